package selectstmt_test

import (
	"fmt"
	"log"

	"github.com/cqlbulk/cqlbulk/pkg/cqlparse/selectstmt"
)

// This example takes a SELECT apart.
func Example() {
	s, err := selectstmt.Parse("SELECT id, toDate(at) AS day FROM shop.orders WHERE state = 'paid'")
	if err != nil {
		log.Fatal(err)
	}
	for _, item := range s.Items {
		fmt.Println(item.Text)
	}
	fmt.Println(s.Where)
	// Output:
	// id
	// toDate(at) AS day
	// state = 'paid'
}
