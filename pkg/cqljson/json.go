// Package cqljson converts CQL values to JSON and JSON to CQL values, one cell at a time. The value
// is the body of a native protocol v4 value, without its length.
//
// # Where to start
//
//   - [Plan] returns the [Encoder] of a column's type.
//   - [PlanDecoder] returns its [Decoder].
//
// Plan once for each column. Null columns are up to the caller in both directions.
//
// # The JSON
//
// The JSON is close to that of Cassandra's SELECT JSON. Unlike that, it determines the value bit
// for bit, except for bytes that are not UTF-8:
//
//	CQL type                 JSON                        where SELECT JSON differs
//	ascii, text              string
//	tinyint, smallint, int,  number
//	bigint, counter, varint
//	decimal                  number, the digits of
//	                         Java's BigDecimal.toString:
//	                         1E+10, 0.10
//	float, double            shortest number: 1e+21      1.0E21
//	  NaN, infinities        "NaN", "Infinity",          null
//	                         "-Infinity"
//	boolean                  true, false
//	blob                     "0x" and hex
//	uuid, timeuuid           string
//	inet                     "::1", "::ffff:1.2.3.4"     "0:0:0:0:0:0:0:1", "1.2.3.4"
//	date, time               string
//	timestamp                "2015-12-13T09:46:40Z"      "2015-12-13 09:46:40.000Z"; years
//	                                                     before 0001 lose their sign
//	duration                 "1y2mo3d", "0s"             "" for the zero duration
//	list, set, vector        array, null for a null
//	                         element of a list
//	tuple                    array, null for a null      no array for a value with
//	                         element, nothing for an     absent elements
//	                         absent one
//	user type                object, null for a null     null for an absent field;
//	                         field, nothing for an       "\"A\"" for the field "A"
//	                         absent one
//	map                      object
//	custom, empty            "0x" and hex                the class's own text; ""
//
// The differences have two reasons. A null for a NaN, or for a field that was never written, would
// be the same as a null. Programs other than Cassandra expect times with a T and names without a
// second pair of quotes. There are no blanks between tokens, unlike in SELECT JSON.
//
// Strings and numbers have the text of package cqltext. If that is the raw form, 0x and the wire
// bytes in hex, it becomes a string. Examples are a zero-length int (in SELECT JSON ""), a NaN with
// a payload, and a varint with needless leading bytes. Only a text value has other strings of that
// form. Numbers have all their digits: a reader that stores numbers as doubles loses digits of a
// large bigint, varint or decimal.
//
// The key of a map is its JSON if that is a string. Otherwise it is its JSON as a string:
// {"1":true}, {"[1,2]":true}, {"{\"a\":1}":true}. Keys keep the order of the wire. Different keys
// have different JSON. This includes NaNs, because all except Java's are raw. A key can therefore
// occur twice only if it does so on the wire. The exception is two keys that differ only in bytes
// that are not UTF-8.
//
// Only such bytes are lost. In text that is not valid UTF-8, each invalid byte becomes the escape
// \ufffd. The servers refuse such text, apart from a few forms that Cassandra accepts: surrogates
// and overlong forms.
//
// # Reading
//
// For every wire value that Cassandra or ScyllaDB accepts, AppendWire(AppendJSON(w)) is w, bit for
// bit. The only conditions are that its text is UTF-8 and that no map in it has a key twice. A
// Decoder also reads JSON that is never written:
//
//   - for a number or a boolean, a string with its text: "42"
//   - for any type except text, all other texts that package cqltext reads: "2015-12-13 09:46",
//     "yes", "0x0000002a"
//   - for a timestamp, a number of milliseconds
//   - for text and ascii, a number, true or false, which becomes its own text: 1.50 is "1.50"
//   - the members of a user type in any order: missing fields are null up to the last one present,
//     and absent after it
//
// A member that is not a field of the user type is an error. So is a field or key that occurs
// twice, and a lone surrogate in an escape. Null is an error outside a tuple, a user type or a
// list. Keys are compared as wire bytes: "1" and "01" are one int. Numbers are read from their
// digits, never as a double. A number that does not fit is an error, and 1.0 is not an integer.
//
// # Bytes and concurrency
//
// Encoders and decoders append to a buffer of the caller and do not retain their arguments. They
// have no state and are safe for concurrent use.
//
// # Sources
//
// RFC 8259; "JSON Support" in the documentation of Apache Cassandra; the toJSONString methods of
// the types of Apache Cassandra 5.0 (org.apache.cassandra.db.marshal).
package cqljson

import (
	"fmt"

	"github.com/cqlbulk/cqlbulk/pkg/cqltext"
	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
	"github.com/cqlbulk/cqlbulk/pkg/cqlwire"
)

// Encoder writes one cell that is not null. It is safe for concurrent use.
type Encoder interface {
	// AppendJSON appends the JSON of a wire value, which is valid UTF-8 on one line. If the bytes
	// cannot be a value of the type, it returns dst with its original length and an error that
	// contains "malformed <type> value". It allocates only to grow dst, except for varints and
	// decimals of more than 64 bits.
	AppendJSON(dst, wire []byte) ([]byte, error)
}

// maxKeyDepth is the largest nesting of maps in keys of maps. Each level quotes the JSON of its key
// again and may double its length.
const maxKeyDepth = 8

// Plan returns the encoder of a type. It returns an error if cqltext.Plan does, or if more than 8
// maps are nested in each other's keys.
func Plan(t *cqltype.Type) (Encoder, error) {
	// This finds every fault of the type itself.
	if _, err := cqltext.Plan(t); err != nil {
		return nil, err
	}
	e, err := plan(t, 0)
	if err != nil {
		return nil, fmt.Errorf("no JSON for type %s: %w", t, err)
	}
	return e, nil
}

// plan returns the encoder of a type that is inside the keys of keyDepth maps.
func plan(t *cqltype.Type, keyDepth int) (Encoder, error) {
	if keyDepth > maxKeyDepth {
		return nil, fmt.Errorf("more than %d maps are nested in each other's keys", maxKeyDepth)
	}
	text, err := cqltext.Plan(t)
	if err != nil {
		return nil, err
	}
	layout, err := cqlwire.Plan(t)
	if err != nil {
		return nil, err
	}
	elems := make([]Encoder, len(t.Elems))
	for i, e := range t.Elems {
		depth := keyDepth
		if t.Kind == cqltype.Map && i == 0 && !e.Kind.Scalar() {
			depth++
		}
		if elems[i], err = plan(e, depth); err != nil {
			return nil, err
		}
	}
	switch t.Kind {
	case cqltype.Ascii, cqltype.Text:
		return textEncoder{}, nil
	case cqltype.Tinyint,
		cqltype.Smallint,
		cqltype.Int,
		cqltype.Bigint,
		cqltype.Counter,
		cqltype.Varint,
		cqltype.Decimal,
		cqltype.Float,
		cqltype.Double,
		cqltype.Boolean:
		return &bareEncoder{text}, nil
	case cqltype.List, cqltype.Set:
		return &listEncoder{odd: odd{text}, elem: elems[0], nullable: t.Kind == cqltype.List}, nil
	case cqltype.Map:
		return &mapEncoder{odd: odd{text}, key: elems[0], value: elems[1]}, nil
	case cqltype.Tuple:
		return newTupleEncoder(text, elems), nil
	case cqltype.UDT:
		return newUDTEncoder(text, t.FieldNames, elems), nil
	case cqltype.Vector:
		return &vectorEncoder{
			odd:       odd{text},
			elem:      elems[0],
			dimension: t.Dimension,
			fixed:     layout.Elem(0).FixedLen(),
		}, nil
	default:
		return &quotedEncoder{text}, nil
	}
}
