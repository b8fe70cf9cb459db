package cqljson

import "github.com/cqlbulk/cqlbulk/pkg/cqltext"

// textEncoder is the encoder of ascii and text.
type textEncoder struct{}

func (textEncoder) AppendJSON(dst, wire []byte) ([]byte, error) {
	return AppendString(dst, wire), nil
}

// quotedEncoder is the encoder of the types whose text is a string without characters to escape.
type quotedEncoder struct{ text cqltext.Codec }

func (e *quotedEncoder) AppendJSON(dst, wire []byte) ([]byte, error) {
	out, err := e.text.AppendText(append(dst, '"'), wire)
	if err != nil {
		return dst, err
	}
	return append(out, '"'), nil
}

// bareEncoder is the encoder of the types whose text is a JSON number, true or false. It quotes the
// raw form and the floating-point values for which JSON has no number.
type bareEncoder struct{ text cqltext.Codec }

func (e *bareEncoder) AppendJSON(dst, wire []byte) ([]byte, error) {
	begin := len(dst)
	dst, err := e.text.AppendText(dst, wire)
	if err == nil && !isBare(dst[begin:]) {
		dst = quoteFrom(dst, begin)
	}
	return dst, err
}

// isBare reports whether a text of bareEncoder's types is JSON: not 0x..., NaN, Infinity or
// -Infinity.
func isBare(text []byte) bool {
	switch text[0] {
	case 'N', 'I':
		return false
	case '0':
		return len(text) == 1 || text[1] != 'x'
	case '-':
		return text[1] != 'I'
	default:
		return true
	}
}

// odd writes values with elements that have no JSON of their own. For these cqltext has only the
// raw form or, if the value is malformed, an error.
type odd struct{ text cqltext.Codec }

// appendOdd appends the raw form as a string to dst[:begin].
func (o odd) appendOdd(dst []byte, begin int, wire []byte) ([]byte, error) {
	out, err := o.text.AppendText(append(dst[:begin], '"'), wire)
	if err != nil {
		return dst[:begin], err
	}
	return append(out, '"'), nil
}
