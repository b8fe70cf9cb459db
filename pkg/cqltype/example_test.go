package cqltype_test

import (
	"fmt"
	"log"

	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
)

// This example reads a column's type and describes it.
func Example() {
	t, err := cqltype.Parse("map<text, frozen<list<int>>>", nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(t.Kind, t.MultiCell())
	fmt.Println("key", t.Elems[0])
	fmt.Println("value", t.Elems[1])
	// Output:
	// map true
	// key text
	// value frozen<list<int>>
}

// A user-defined type needs a callback that returns its definition.
func ExampleParse() {
	definitions := map[string]*cqltype.Type{
		"addr": {
			Kind: cqltype.UDT, Keyspace: "demo", Name: "addr",
			FieldNames: []string{"street", "zip"},
			Elems:      []*cqltype.Type{{Kind: cqltype.Text}, {Kind: cqltype.Int}},
		},
	}
	t, err := cqltype.Parse("frozen<addr>", func(name string) (*cqltype.Type, error) {
		return definitions[name], nil
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(t, t.FieldNames)
	_, err = cqltype.Parse("list<adr>", nil)
	fmt.Println(err)
	// Output:
	// frozen<addr> [street zip]
	// type "list<adr>": offset 5: user type "adr": no such type
}

func ExampleQuoteIdent() {
	for _, name := range []string{"flights", "Flights", "order"} {
		fmt.Println(cqltype.QuoteIdent(name))
	}
	// Output:
	// flights
	// "Flights"
	// "order"
}
