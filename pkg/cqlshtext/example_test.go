package cqlshtext_test

import (
	"fmt"

	"github.com/cqlbulk/cqlbulk/pkg/cqlshtext"
	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
)

// This example reads a map as COPY TO writes it, and a text that is not a timestamp.
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
	_, err = codec.AppendWire(nil, []byte("{'a': 13/12/2015}"))
	fmt.Println(err)
	// Output:
	// true
	// 00000001000000046974277300000008000001519abc247b <nil>
	// invalid map<text, timestamp> "{'a': 13/12/2015}": offset 6: invalid timestamp "13/12/2015": not of the form "%Y-%m-%d %H:%M:%S.%f%z", nor YYYY-MM-DD with or without a time and a zone, nor milliseconds
}
