package cqljson_test

import (
	"fmt"

	"github.com/cqlbulk/cqlbulk/pkg/cqljson"
	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
)

// This example writes a map as a member of an object.
func ExamplePlan() {
	column, err := cqltype.Parse("map<int, text>", nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	encoder, err := cqljson.Plan(column)
	if err != nil {
		fmt.Println(err)
		return
	}
	wire := []byte(
		"\x00\x00\x00\x01" + "\x00\x00\x00\x04\x00\x00\x00\x07" + "\x00\x00\x00\x05seven",
	)
	line, err := encoder.AppendJSON([]byte(`{"names":`), wire)
	fmt.Println(string(append(line, '}')), err)
	// Output: {"names":{"7":"seven"}} <nil>
}

// This example reads a list, and reports a value that does not fit its type.
func ExamplePlanDecoder() {
	column, err := cqltype.Parse("list<int>", nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	decoder, err := cqljson.PlanDecoder(column)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, value := range []string{`[7, "8"]`, `[7, 8.5]`} {
		wire, err := decoder.AppendWire(nil, []byte(value))
		fmt.Printf("%x %v\n", wire, err)
	}
	// Output:
	// 0000000200000004000000070000000400000008 <nil>
	//  invalid list<int> [7, 8.5] at offset 4: invalid int "8.5": not an integer
}
