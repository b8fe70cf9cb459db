package cqljson

import (
	"fmt"
	"time"

	"github.com/cqlbulk/cqlbulk/pkg/cqltext"
	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
	"github.com/cqlbulk/cqlbulk/pkg/jsonl/jsonscan"
)

// scalarReader reads the types without elements. The codec of the type reads the text of a string.
// If the type has numbers or booleans, their JSON is the text.
type scalarReader struct {
	text     cqltext.Codec
	numbers  bool
	booleans bool
	whole    error  // the error for a number with an exponent or fraction; nil: both are allowed
	fraction bool   // a fraction is allowed even if whole is set
	want     string // describes the expected value
}

func newScalarReader(t *cqltype.Type, text cqltext.Codec, unit time.Duration) *scalarReader {
	r := &scalarReader{text: text, want: "a string"}
	switch t.Kind {
	case cqltype.Ascii, cqltype.Text:
		r.numbers, r.booleans, r.want = true, true, "a string, a number, true or false"
	case cqltype.Tinyint,
		cqltype.Smallint,
		cqltype.Int,
		cqltype.Bigint,
		cqltype.Counter,
		cqltype.Varint,
		cqltype.Decimal,
		cqltype.Float,
		cqltype.Double:
		r.numbers, r.want = true, "a number or a string"
	case cqltype.Timestamp:
		name := cqltext.UnitName(unit)
		r.numbers, r.fraction, r.want = true, unit == time.Second, "a string or a number of "+name
		format := "a timestamp given as a number must be a whole number of %s, without an exponent"
		if r.fraction {
			format = "a timestamp given as a number must be a number of %s without an exponent"
		}
		r.whole = fmt.Errorf(format, name)
	case cqltype.Boolean:
		r.booleans, r.want = true, "true, false or a string"
	}
	return r
}

func (r *scalarReader) read(dst, json []byte, pos int) ([]byte, int, error) {
	if pos == len(json) {
		return dst, pos, jsonscan.Unexpected(json, pos, r.want)
	}
	var next int
	var err error
	switch c := json[pos]; {
	case c == '"':
		return r.readString(dst, json, pos)
	case r.numbers && (c == '-' || c >= '0' && c <= '9'):
		next, err = jsonscan.Number(json, pos)
		if err == nil && r.whole != nil && !isWhole(json[pos:next], r.fraction) {
			err = at(pos, r.whole)
		}
	case r.booleans && (c == 't' || c == 'f'):
		next, err = jsonscan.Word(json, pos)
	case isNull(json, pos):
		err = at(pos, errNullHere)
	default:
		err = jsonscan.Unexpected(json, pos, r.want)
	}
	if err != nil {
		return dst, pos, err
	}
	if dst, err = r.text.AppendWire(dst, json[pos:next]); err != nil {
		return dst, pos, at(pos, err)
	}
	return dst, next, nil
}

// isWhole reports whether a JSON number is an optional sign and digits, with a fraction only if
// that is allowed.
func isWhole(number []byte, fraction bool) bool {
	for _, c := range number {
		if c == '.' && !fraction || c|0x20 == 'e' {
			return false
		}
	}
	return true
}

func (r *scalarReader) readString(dst, json []byte, pos int) ([]byte, int, error) {
	mark := len(dst)
	dst, text, next, err := readText(dst, json, pos)
	if err != nil {
		return dst, pos, err
	}
	end := len(dst)
	if dst, err = r.text.AppendWire(dst, text); err != nil {
		return dst, pos, at(pos, err)
	}
	return cutOut(dst, mark, end), next, nil
}

func (r *scalarReader) readKey(dst, text []byte) ([]byte, error) {
	dst, err := r.text.AppendWire(dst, text)
	if err != nil {
		return dst, at(0, err)
	}
	return dst, nil
}

// readText reads the string at json[pos]. If it has no escapes, its text is a slice of json.
// Otherwise the text is appended to dst and a slice of it; the caller removes it with cutOut after
// it has appended the value.
func readText(dst, json []byte, pos int) (out, text []byte, next int, err error) {
	next, escaped, err := jsonscan.String(json, pos)
	if err != nil {
		return dst, nil, pos, err
	}
	body := json[pos+1 : next-1]
	if !escaped {
		return dst, body, next, nil
	}
	mark := len(dst)
	if dst, err = jsonscan.AppendText(dst, body); err != nil {
		offset, reason := split(err)
		return dst, nil, pos, at(pos+1+offset, reason)
	}
	return dst, dst[mark:], next, nil
}

// cutOut removes dst[from:to].
func cutOut(dst []byte, from, to int) []byte {
	if from == to {
		return dst
	}
	return dst[:from+copy(dst[from:], dst[to:])]
}

// isNull reports whether the value at json[pos] is null.
func isNull(json []byte, pos int) bool {
	if pos >= len(json) || json[pos] != 'n' {
		return false
	}
	_, err := jsonscan.Word(json, pos)
	return err == nil
}
