package cqltext_test

import (
	"fmt"
	"log"

	"github.com/cqlbulk/cqlbulk/pkg/cqltext"
	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
)

// This example reads a literal into wire bytes and writes the bytes as text again.
func Example() {
	t, err := cqltype.Parse("map<text, int>", nil)
	if err != nil {
		log.Fatal(err)
	}
	codec, err := cqltext.Plan(t)
	if err != nil {
		log.Fatal(err)
	}
	wire, err := codec.AppendWire(nil, []byte("{'a':1,'it''s': 0x00000002}"))
	if err != nil {
		log.Fatal(err)
	}
	text, err := codec.AppendText(nil, wire)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d bytes: %s\n", len(wire), text)
	_, err = codec.AppendWire(nil, []byte("{'a': x}"))
	fmt.Println(err)
	// Output:
	// 33 bytes: {'a': 1, 'it''s': 2}
	// invalid map<text, int> "{'a': x}": offset 6: invalid int "x": not an integer
}

// Of ascii and text, every byte counts. Other types ignore blanks at both ends of a text.
func ExampleTextLike() {
	for _, kind := range []cqltype.Kind{cqltype.Text, cqltype.Int} {
		codec, err := cqltext.Plan(&cqltype.Type{Kind: kind})
		if err != nil {
			log.Fatal(err)
		}
		wire, err := codec.AppendWire(nil, []byte(" 7 "))
		fmt.Printf("%s %x %v\n", kind, wire, err)
	}
	// Output:
	// text 203720 <nil>
	// int 00000007 <nil>
}
