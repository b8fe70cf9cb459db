package cqljson

import (
	"fmt"
	"math"
	"time"

	"github.com/cqlbulk/cqlbulk/pkg/cqltext"
	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
	"github.com/cqlbulk/cqlbulk/pkg/cqlwire"
	"github.com/cqlbulk/cqlbulk/pkg/jsonl/jsonscan"
)

// Decoder reads one cell that is not null. It is safe for concurrent use.
type Decoder interface {
	// AppendWire appends the wire bytes of json: one JSON value that is not null, with optional
	// blanks around it. If json is not JSON or not a value of the type, it returns dst with its
	// original length and an *Error. It neither retains nor modifies json.
	//
	// It allocates only to grow dst, with three exceptions. These are varints and decimals of more
	// than 18 digits, user types of more than 32 fields, and large maps. A large map has more than
	// 32 keys that do not ascend on the wire.
	AppendWire(dst, json []byte) ([]byte, error)
}

// PlanDecoder returns the decoder of a type. It returns an error if Plan does.
func PlanDecoder(t *cqltype.Type) (Decoder, error) { return PlanDecoderIn(t, time.Millisecond) }

// PlanDecoderIn is PlanDecoder for JSON in which a timestamp that is a number counts units, as in
// cqltext.PlanIn.
func PlanDecoderIn(t *cqltype.Type, unit time.Duration) (Decoder, error) {
	if _, err := Plan(t); err != nil {
		return nil, err
	}
	r, err := planReader(t, unit)
	if err != nil {
		return nil, err
	}
	if list, ok := r.(*listReader); ok {
		list.nullable = t.Kind == cqltype.List
	}
	return &columnDecoder{name: t.String(), scalar: t.Kind.Scalar(), reader: r}, nil
}

// reader reads the values of a type inside JSON. Its errors are *fault or *jsonscan.Error; both
// have the offset in its input. After an error, the bytes of dst beyond its original length are
// undefined.
type reader interface {
	// read reads the JSON value at json[pos], appends its wire bytes and returns the offset after
	// it. There must be no blank at json[pos].
	read(dst, json []byte, pos int) ([]byte, int, error)
	// readKey reads the text of a map's key and appends its wire bytes.
	readKey(dst, text []byte) ([]byte, error)
}

// columnDecoder is the Decoder of a type. It reads one value and nothing after it.
type columnDecoder struct {
	name   string
	scalar bool
	reader reader
}

func (d *columnDecoder) AppendWire(dst, json []byte) ([]byte, error) {
	begin := len(dst)
	dst, err := readWhole(d.reader, dst, json)
	if err != nil {
		return dst[:begin], d.fail(json, err)
	}
	return dst, nil
}

// readWhole reads json, which is one value with optional blanks around it. The limit on the length
// of the JSON also bounds the number of elements.
func readWhole(r reader, dst, json []byte) ([]byte, error) {
	if len(json) > math.MaxInt32 {
		return dst, at(0, cqlwire.ErrTooLong)
	}
	dst, pos, err := r.read(dst, json, jsonscan.Blanks(json, 0))
	if err != nil {
		return dst, err
	}
	if pos = jsonscan.Blanks(json, pos); pos < len(json) {
		return dst, jsonscan.Unexpected(json, pos, "the end")
	}
	return dst, nil
}

// planReader returns the reader of a type that Plan has accepted.
func planReader(t *cqltype.Type, unit time.Duration) (reader, error) {
	text, err := cqltext.PlanIn(t, unit)
	if err != nil {
		return nil, err
	}
	wire, err := cqlwire.Plan(t)
	if err != nil {
		return nil, err
	}
	elems := make([]reader, len(t.Elems))
	for i, e := range t.Elems {
		if elems[i], err = planReader(e, unit); err != nil {
			return nil, err
		}
	}
	c := composite{wire: wire, text: text}
	switch t.Kind {
	case cqltype.List, cqltype.Set:
		return &listReader{composite: c, elem: elems[0]}, nil
	case cqltype.Map:
		return &mapReader{composite: c, key: elems[0], value: elems[1]}, nil
	case cqltype.Tuple:
		return &tupleReader{composite: c, elems: elems}, nil
	case cqltype.UDT:
		return newUDTReader(c, t.FieldNames, elems), nil
	case cqltype.Vector:
		return &vectorReader{composite: c, elem: elems[0]}, nil
	}
	if !t.Kind.Scalar() {
		return nil, fmt.Errorf("no JSON for type %s", t)
	}
	return newScalarReader(t, text, unit), nil
}
