package dsv_test

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/cqlbulk/cqlbulk/pkg/dsv"
)

// This example reads a file with a header, a quoted line end, a null and a bad line.
func Example() {
	in := strings.NewReader("id,note\n1,\"two\nlines\"\n2,\n3,\"\"\n4,\"lost\n5,found\n")
	s := dsv.NewSplitter(in, dsv.DefaultFormat, dsv.Options{
		Bad: func(b dsv.Bad) error {
			fmt.Printf("bad line %d: %s\n", b.Line, b.Reason)
			return nil
		},
	})
	header, err := s.Header()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("columns: %d\n", len(header.Fields))
	p := dsv.NewParser(dsv.DefaultFormat)
	for {
		chunk, err := s.Next(nil)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			fmt.Println(err)
			return
		}
		for p.Reset(chunk); p.Next(); {
			r := p.Record()
			note := r.Fields[1]
			null := len(note.Text) == 0 && !note.Quoted
			fmt.Printf("line %d: %s %q null=%t\n", r.Line, r.Fields[0].Text, note.Text, null)
		}
	}
	// Output:
	// columns: 2
	// line 2: 1 "two\nlines" null=false
	// line 4: 2 "" null=true
	// line 5: 3 "" null=false
	// bad line 6: quote opened at column 3 is never closed
	// line 7: 5 "found" null=false
}

// A writer quotes a field only if necessary. An empty text has quotes, a null has none.
func ExampleFormat_AppendField() {
	var line []byte
	for i, field := range []string{"7", "say \"hi\"", "a,b", ""} {
		if i > 0 {
			line = append(line, dsv.DefaultFormat.Delimiter)
		}
		line = dsv.DefaultFormat.AppendField(line, []byte(field), true)
	}
	fmt.Printf("%s\n", line)
	// Output:
	// 7,"say ""hi""","a,b",""
}
