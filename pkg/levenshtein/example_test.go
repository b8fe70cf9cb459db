package levenshtein_test

import (
	"fmt"

	"github.com/cqlbulk/cqlbulk/pkg/levenshtein"
)

func Example() {
	names := []string{"origin", "dest", "Day"}
	fmt.Printf("%q\n", levenshtein.Nearest("orig", names))
	fmt.Printf("%q\n", levenshtein.Nearest("carrier", names))
	fmt.Println(levenshtein.Distance("orig", "origin"))
	// Output:
	// "origin"
	// ""
	// 2
}
