// Package cqljson writes CQL values as JSON and reads them back, one cell at a time: native protocol v4 value bodies,
// without their length, on one side and a JSON value on the other.
//
// Start with Plan, which gives the Encoder of a column's type, or with PlanDecoder for its Decoder. Plan once per
// column; either keeps no state, so that one may serve any number of goroutines. They append to a buffer of the
// caller's and keep nothing of what they are given. A column that is null is the caller's, both ways.
//
// The JSON is close to that of Cassandra's SELECT JSON, but, bytes that are not UTF-8 apart, a value can be told from
// it bit for bit:
//
//	CQL type                        JSON                                  where SELECT JSON differs
//	ascii, text                     string
//	tinyint, smallint, int, bigint,
//	counter, varint                 number
//	decimal                         number, the digits of Java's
//	                                BigDecimal.toString: 1E+10, 0.10
//	float, double                   number in its shortest form: 1e+21    1.0E21
//	  NaN and the infinities        "NaN", "Infinity", "-Infinity"        null
//	boolean                         true, false
//	blob                            "0x" and hex
//	uuid, timeuuid                  string
//	inet                            string: "::1", "::ffff:1.2.3.4"       "0:0:0:0:0:0:0:1", "1.2.3.4"
//	date, time                      string
//	timestamp                       string: "2015-12-13T09:46:40Z"        "2015-12-13 09:46:40.000Z"; the sign of
//	                                                                      years before 0001 is lost
//	duration                        string: "1y2mo3d", "0s"               "" for the zero duration
//	list, set, vector               array, null for a null element
//	                                of a list
//	tuple                           array, null for a null element, none  none for a value with absent elements
//	                                for an absent one
//	user type                       object, null for a null field, none   null for an absent field; "\"A\"" for
//	                                for an absent one                     the field "A"
//	map                             object
//	custom, empty                   "0x" and hex                          the class's own text; ""
//
// The reasons: null for a NaN or for a field that was never written would be the same as for a null, and times with
// a T and names without a second pair of quotes are what programs other than Cassandra read. Nothing stands between
// tokens where SELECT JSON has a blank.
//
// Strings and numbers have the text of package cqltext. Where that is the raw form, 0x and the wire bytes in hex (a
// zero-length int, for which SELECT JSON has "", a NaN with a payload, a varint with needless leading bytes, a list
// of negative length), it is written as a string; no value but text has another string of that form. Numbers have
// all their digits: a reader that takes every number for a double loses those of a large bigint, varint or decimal.
//
// The key of a map is its JSON when that is a string, else its JSON as a string: {"1":true}, {"[1,2]":true},
// {"{\"a\":1}":true}. Keys are written as they come. Two that differ have different JSON, NaNs too, of which all but
// Java's are raw; so a key stands twice only when it does so on the wire or when two keys differ in nothing but
// bytes that are not UTF-8.
//
// Those bytes are the one loss: in text that is not valid UTF-8, which the servers refuse but for a few forms that
// Cassandra takes (surrogates, overlong forms), each such byte becomes the escape \ufffd.
//
// The law of reading: for every wire value that Cassandra or ScyllaDB accepts, AppendWire(AppendJSON(w)) is w, bit for
// bit, provided that its text is UTF-8 and no map in it has a key twice. Besides what is written, a Decoder reads:
//
//   - for a number or a boolean, a string with its text, "42", and for any type but text whatever else package cqltext
//     reads as its text: "2015-12-13 09:46", "yes", "0x0000002a";
//   - for a timestamp, a number, which is milliseconds;
//   - for text and ascii, a number, true or false, which becomes the text as it stands: 1.50 is "1.50";
//   - the members of a user type in any order: those not named are null up to the last one named, and absent after it.
//
// It is an error when a member is no field of the user type, when a field or a key stands twice (keys are compared as
// wire bytes: "1" and "01" are one int), when null stands anywhere but in a tuple, a user type or a list, and when an escape
// is half of a surrogate pair. Numbers are read from their digits, never through a double, and what does not fit is an
// error; 1.0 is no integer.
//
// Sources: RFC 8259; "JSON Support" in the documentation of Apache Cassandra; the toJSONString methods of the types
// of Apache Cassandra 5.0 (org.apache.cassandra.db.marshal).
package cqljson

import (
	"fmt"

	"github.com/cqlbulk/cqlbulk/pkg/cqltext"
	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
	"github.com/cqlbulk/cqlbulk/pkg/cqlwire"
)

// Encoder writes one cell that is not null. It is safe for concurrent use.
type Encoder interface {
	// AppendJSON appends the JSON of a wire value, which is valid UTF-8 on one line. When the bytes cannot be a
	// value of the type, dst comes back at its original length with an error that says "malformed <type>
	// value". It allocates nothing but what dst needs to grow, except for varints and decimals of more than 64
	// bits.
	AppendJSON(dst, wire []byte) ([]byte, error)
}

// maxKeyDepth is how many maps may lie in each other's keys. Each quotes its key's JSON once more and may double
// its length.
const maxKeyDepth = 8

// Plan returns the encoder of a type. It fails when cqltext.Plan does, and when more than 8 maps lie in each
// other's keys.
func Plan(t *cqltype.Type) (Encoder, error) {
	// All that could be wrong with the type itself is found here.
	if _, err := cqltext.Plan(t); err != nil {
		return nil, err
	}
	e, err := plan(t, 0)
	if err != nil {
		return nil, fmt.Errorf("no JSON for type %s: %w", t, err)
	}
	return e, nil
}

// plan returns the encoder of a type that lies in the keys of so many maps.
func plan(t *cqltype.Type, keyDepth int) (Encoder, error) {
	if keyDepth > maxKeyDepth {
		return nil, fmt.Errorf("more than %d maps lie in each other's keys", maxKeyDepth)
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
	case cqltype.Tinyint, cqltype.Smallint, cqltype.Int, cqltype.Bigint, cqltype.Counter, cqltype.Varint,
		cqltype.Decimal, cqltype.Float, cqltype.Double, cqltype.Boolean:
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
		return &vectorEncoder{odd: odd{text}, elem: elems[0], dimension: t.Dimension, fixed: layout.Elem(0).FixedLen()}, nil
	default:
		return &quotedEncoder{text}, nil
	}
}
