package mutation_test

import (
	"fmt"
	"log"

	"github.com/cqlbulk/cqlbulk/pkg/cqlparse/mutation"
)

// This example parses an UPDATE that adds to a set.
func Example() {
	s, err := mutation.Parse("UPDATE shop.carts SET items = items + :new WHERE id = :id;")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(s.WithTimestamp(":at"))
	list := func(string) mutation.ColumnKind { return mutation.List }
	fmt.Println(s.Unrepeatable(list))
	// Output:
	// UPDATE shop.carts USING TIMESTAMP :at SET items = items + :new WHERE id = :id
	// column items is a list that is not frozen
}
