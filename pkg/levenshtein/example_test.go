package levenshtein_test

import (
	"fmt"

	"github.com/cqlbulk/cqlbulk/pkg/levenshtein"
)

func Example() {
	names := []string{"origin", "dest", "Day"}
	fmt.Printf("%q\n", levenshtein.Nearest("orgin", names))
	fmt.Printf("%q\n", levenshtein.Nearest("carrier", names))
	fmt.Println(levenshtein.Distance("orgin", "origin"))
	// Output:
	// "origin"
	// ""
	// 1
}
