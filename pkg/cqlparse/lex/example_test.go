package lex_test

import (
	"fmt"
	"log"

	"github.com/cqlbulk/cqlbulk/pkg/cqlparse/lex"
)

// This example reads the start of a statement.
func Example() {
	r, err := lex.NewReader("USE \"Demo\" -- a comment\n;")
	if err != nil {
		log.Fatal(err)
	}
	if err := r.Expect("use"); err != nil {
		log.Fatal(err)
	}
	name, err := r.Name("a keyspace")
	fmt.Println(name, err)
	fmt.Println(r.Take(";"), r.Next().Kind == lex.End)
	fmt.Println(r.Expect(";"))
	// Output:
	// Demo <nil>
	// true true
	// line 2, column 2: expected ;, found the end
}
