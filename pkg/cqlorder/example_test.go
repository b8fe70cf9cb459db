package cqlorder_test

import (
	"fmt"

	"github.com/cqlbulk/cqlbulk/pkg/cqlorder"
	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
	"github.com/cqlbulk/cqlbulk/pkg/cqlwire"
)

// This example brings a set into the form in which the server stores it, and compares the two.
func Example() {
	t, err := cqltype.Parse("frozen<set<tinyint>>", nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	order, err := cqlorder.Plan(t)
	if err != nil {
		fmt.Println(err)
		return
	}
	sent := cqlwire.AppendCount(nil, 3)
	for _, element := range []byte{2, 0xff, 2} {
		sent = cqlwire.AppendElem(sent, []byte{element})
	}
	stored, err := order.AppendCanonical(nil, sent)
	fmt.Printf("%x %v\n", stored, err)
	fmt.Println(order.Compare(stored, sent))
	// Output:
	// 0000000200000001ff0000000102 <nil>
	// -1
}
