package copystmt_test

import (
	"fmt"
	"log"

	"github.com/cqlbulk/cqlbulk/pkg/cqlparse/copystmt"
)

// This example parses a COPY statement, and reports a file name without quotes.
func Example() {
	const text = "copy demo.flights (day, dest) from 'a.csv' with header = true -- all"
	s, err := copystmt.Parse(text)
	if err != nil {
		log.Fatal(err)
	}
	header, _ := s.Option("header")
	fmt.Println(s.Table, s.Columns, s.Direction, s.Files, header.Value)
	_, err = copystmt.Parse("COPY flights FROM a.csv")
	fmt.Println(err)
	// Output:
	// flights [day dest] FROM [a.csv] true
	// line 1, column 19: found "a", expected the name of a file in single quotes or STDIN
}

// String returns a statement in canonical form.
func ExampleStatement_String() {
	s, err := copystmt.Parse("copy T to stdout with nullval = N and header = 1 -- all")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(s)
	// Output: COPY t TO STDOUT WITH NULLVAL = 'N' AND HEADER = '1';
}
