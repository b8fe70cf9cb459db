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
			fmt.Printf("%d: %s\n", b.Line, b.Reason)
			return nil
		},
	})
	header, err := s.Header()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(len(header.Fields), "columns")
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
			fmt.Printf("%d: %q %t\n", r.Line, note.Text, null)
		}
	}
	// Output:
	// 2 columns
	// 2: "two\nlines" false
	// 4: "" true
	// 5: "" false
	// 6: quote opened at column 3 is never closed
	// 7: "found" false
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
