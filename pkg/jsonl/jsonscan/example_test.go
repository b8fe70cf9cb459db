package jsonscan_test

import (
	"fmt"

	"github.com/cqlbulk/cqlbulk/pkg/jsonl/jsonscan"
)

// This example checks a value, and returns the text of a string.
func Example() {
	text := []byte(`["caf\u00e9", 1]`)
	end, err := jsonscan.Value(text, 0, 0)
	fmt.Println(end, err)
	end, escaped, err := jsonscan.String(text, 1)
	fmt.Println(end, escaped, err)
	body, err := jsonscan.AppendText(nil, text[2:end-1])
	fmt.Printf("%s %v\n", body, err)
	_, err = jsonscan.Value([]byte("[1,]"), 0, 0)
	fmt.Println(err)
	// Output:
	// 16 <nil>
	// 12 true <nil>
	// café <nil>
	// offset 3: expected a value, found "]"
}
