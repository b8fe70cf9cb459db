package cqltext

import "github.com/cqlbulk/cqlbulk/pkg/cqlwire"

// scalar is the codec of every type that is neither text nor has elements. It implements what these
// types share: sizes, the raw form, and quotes inside collections. format and parse implement the
// rest.
type scalar struct {
	// wire has the name of the type and the sizes of its values.
	wire cqlwire.Layout
	// quoted is true if the literal has single quotes inside a collection.
	quoted bool
	// format appends the text of wire, which is not empty and of an allowed size. It returns false
	// if only the raw form is exact; the caller then discards the text.
	format func(dst, wire []byte) ([]byte, bool)
	// parse appends the wire bytes of text. The text may be empty, but it has no blanks at its ends
	// and is not in the raw form. The error is the bare reason.
	parse func(dst, text []byte) ([]byte, error)
}

func (s *scalar) AppendText(dst, wire []byte) ([]byte, error) {
	switch {
	case len(wire) == 0: // tables contain such values, though servers no longer accept them
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
		// The raw form has no quotes.
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
