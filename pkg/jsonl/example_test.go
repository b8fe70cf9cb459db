package jsonl_test

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/cqlbulk/cqlbulk/pkg/jsonl"
)

// This example reads records, with a blank line and a line that is not a record.
func Example() {
	const text = `{"id": 1, "note": "two\nlines"}

{"id": 2, "note"}
{"note": null, "id": 3}`
	in := strings.NewReader(text)
	s, p := jsonl.NewSplitter(in, jsonl.Options{}), jsonl.NewParser()
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
			if r.Err != nil {
				fmt.Println(r.Err)
				continue
			}
			for _, f := range r.Fields {
				fmt.Printf("line %d, column %d: %s is %s\n", r.Line, f.Offset+1, f.Name, f.Value)
			}
		}
	}
	// Output:
	// line 1, column 8: id is 1
	// line 1, column 19: note is "two\nlines"
	// line 3, column 17: expected ':', found "}"
	// line 4, column 10: note is null
	// line 4, column 22: id is 3
}
