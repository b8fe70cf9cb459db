package cqlwire_test

import (
	"fmt"

	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
	"github.com/cqlbulk/cqlbulk/pkg/cqlwire"
)

// This example writes a value of a map, iterates over it and checks it.
func Example() {
	t, err := cqltype.Parse("map<text, frozen<tuple<int, int>>>", nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	layout, err := cqlwire.Plan(t)
	if err != nil {
		fmt.Println(err)
		return
	}
	value := cqlwire.AppendElem(cqlwire.AppendNull(nil), []byte{0, 0, 0, 7})
	wire := cqlwire.AppendCount(nil, 1)
	wire = cqlwire.AppendElem(wire, []byte("key"))
	wire = cqlwire.AppendElem(wire, value)

	w := layout.Walk(wire)
	for w.Next() {
		fmt.Printf("%d: %s, %d bytes\n", w.Index(), w.Type(), w.Length())
	}
	fmt.Println(w.Err(), layout.Check(wire))
	fmt.Println(layout.Check(wire[:10]))
	// Output:
	// 0: text, 3 bytes
	// 1: frozen<tuple<int, int>>, 12 bytes
	// <nil> <nil>
	// malformed map<text, frozen<tuple<int, int>>> value: element 0 is cut off
}
