package cqlshtext_test

import (
	"fmt"

	"github.com/cqlbulk/cqlbulk/pkg/cqlshtext"
	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
)

// This example reads a map as COPY TO writes it, and a text that is not a map.
func ExamplePlan() {
	t, err := cqltype.Parse("map<text, timestamp>", nil)
	if err != nil {
		panic(err)
	}
	codec, err := cqlshtext.Plan(t, cqlshtext.Options{Null: "NULL"})
	if err != nil {
		panic(err)
	}
	fmt.Println(codec.IsNull([]byte("NULL")))
	wire, err := codec.AppendWire(nil, []byte("{'it''s': '2015-12-13 09:46:40.123+0000'}"))
	fmt.Printf("%x %v\n", wire, err)
	_, err = codec.AppendWire(nil, []byte("{'a'}"))
	fmt.Println(err)
	// Output:
	// true
	// 00000001000000046974277300000008000001519abc247b <nil>
	// invalid map<text, timestamp> "{'a'}": offset 1: expected a key, ':' and a value
}
