package cqltext

import "fmt"

// scalar is the codec of every type that is neither text nor made of other types. What the types have in
// common (sizes, the raw form, quotes inside collections) is here; format and parse are the type's own.
type scalar struct {
	name string
	// sizes says how many bytes a value may have.
	sizes sizeRule
	// fixed is the length inside a vector, -1 when it varies.
	fixed int
	// quoted says that the literal stands in single quotes inside a collection.
	quoted bool
	// format appends the text of wire, which is not empty and of a size that sizes allows. It returns false
	// when only the raw form is exact; what it appended is then dropped.
	format func(dst, wire []byte) ([]byte, bool)
	// parse appends the wire bytes of text, which has neither surrounding blanks nor the raw form but may be
	// empty. Its error is the reason alone.
	parse func(dst, text []byte) ([]byte, error)
}

// sizeRule says which lengths a value may have: each bit of exact allows the length of its index, and atLeast,
// unless it is negative, allows every length from there on.
type sizeRule struct {
	exact   uint32
	atLeast int
	words   string
}

// anySize allows every length.
var anySize = sizeRule{atLeast: 0, words: "any number of bytes"}

// zeroOr allows n bytes, at most 16, or none.
func zeroOr(n int) sizeRule {
	return sizeRule{exact: 1 | 1<<n, atLeast: -1, words: fmt.Sprintf("0 or %d bytes", n)}
}

func (r sizeRule) allows(n int) bool {
	return n < 32 && r.exact>>n&1 != 0 || r.atLeast >= 0 && n >= r.atLeast
}

func (s *scalar) fixedLen() int { return s.fixed }

func (s *scalar) check(wire []byte) error {
	if !s.sizes.allows(len(wire)) {
		return malformed(s.name, "%d bytes, where %s are due", len(wire), s.sizes.words)
	}
	return nil
}

func (s *scalar) AppendText(dst, wire []byte) ([]byte, error) {
	if !s.sizes.allows(len(wire)) {
		return dst, s.check(wire)
	}
	if len(wire) > 0 {
		if out, ok := s.format(dst, wire); ok {
			return out, nil
		}
	}
	return appendRaw(dst, wire), nil
}

func (s *scalar) AppendWire(dst, text []byte) ([]byte, error) {
	text = trimBlanks(text)
	mark := len(dst)
	var err error
	if isRaw(text) {
		if dst, err = parseRaw(dst, text); err == nil {
			if n := len(dst) - mark; !s.sizes.allows(n) {
				err = fmt.Errorf("%d bytes, where %s are due", n, s.sizes.words)
			}
		}
	} else {
		dst, err = s.parse(dst, text)
	}
	if err != nil {
		return dst[:mark], invalid(s.name, text, err)
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
