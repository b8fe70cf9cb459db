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
				fmt.Printf("%d:%d: %s=%s\n", r.Line, f.Offset+1, f.Name, f.Value)
			}
		}
	}
	// Output:
	// 1:8: id=1
	// 1:19: note="two\nlines"
	// line 3, column 17: expected ':', found "}"
	// 4:10: note=null
	// 4:22: id=3
}
