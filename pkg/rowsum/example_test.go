package rowsum_test

import (
	"fmt"

	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
	"github.com/cqlbulk/cqlbulk/pkg/rowsum"
)

// This example computes the checksum of two rows. The order of the rows does not matter.
func Example() {
	id := &cqltype.Type{Kind: cqltype.Int}
	name := &cqltype.Type{Kind: cqltype.Text}
	h := rowsum.New([]*cqltype.Type{id, name})

	first := h.Row([][]byte{{0, 0, 0, 1}, []byte("one")})
	second := h.Row([][]byte{{0, 0, 0, 2}, nil})
	fmt.Println(first.Add(second))
	fmt.Println(second.Add(first) == first.Add(second))
	// Output:
	// 0a7a5d80ab2bc39b2cfeb15b0e087a5b
	// true
}
