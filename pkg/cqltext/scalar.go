package cqltext

import "github.com/cqlbulk/cqlbulk/pkg/cqlwire"

// scalar is the codec of every type that is neither text nor made of other types. What the types have in
// common (sizes, the raw form, quotes inside collections) is here; format and parse are the type's own.
type scalar struct {
	// wire says what the type is named and how many bytes a value may have.
	wire cqlwire.Layout
	// quoted says that the literal stands in single quotes inside a collection.
	quoted bool
	// format appends the text of wire, which is not empty and of a size that wire allows. It returns false
	// when only the raw form is exact; what it appended is then dropped.
	format func(dst, wire []byte) ([]byte, bool)
	// parse appends the wire bytes of text, which has neither surrounding blanks nor the raw form but may be
	// empty. Its error is the reason alone.
	parse func(dst, text []byte) ([]byte, error)
}

func (s *scalar) AppendText(dst, wire []byte) ([]byte, error) {
	switch {
	case len(wire) == 0: // some such values are in tables that no server takes any more
		return appendRaw(dst, wire), nil
	case !s.wire.AllowsSize(len(wire)):
		return dst, s.wire.Check(wire)
	}
	if out, ok := s.format(dst, wire); ok {
		return out, nil
	}
	return appendRaw(dst, wire), nil
}

func (s *scalar) AppendWire(dst, text []byte) ([]byte, error) {
	text = trimBlanks(text)
	mark := len(dst)
	var err error
	if isRaw(text) {
		if dst, err = parseRaw(dst, text); err == nil {
			err = s.wire.CheckScalar(dst[mark:])
		}
	} else {
		dst, err = s.parse(dst, text)
	}
	if err != nil {
		return dst[:mark], invalid(s.wire.String(), text, err)
	}
	return dst, nil
}

func (s *scalar) appendElemText(dst, wire []byte) ([]byte, error) {
	if !s.quoted {
		return s.AppendText(dst, wire)
	}
	mark := len(dst)
	dst = append(dst, '\'')
	dst, err := s.AppendText(dst, wire)
	if err != nil {
		return dst[:mark], err
	}
	if isRaw(dst[mark+1:]) {
		// The raw form stands bare.
		copy(dst[mark:], dst[mark+1:])
		return dst[:len(dst)-1], nil
	}
	return append(dst, '\''), nil
}

func (s *scalar) appendElemWire(dst, text []byte, pos int, key bool) ([]byte, int, error) {
	word, start, next, err := scanWord(text, pos, key)
	if err != nil {
		return dst, start, err
	}
	dst, err = s.AppendWire(dst, word)
	if err != nil {
		return dst, start, at(start, err)
	}
	return dst, next, nil
}
