package where_test

import (
	"fmt"

	"github.com/cqlbulk/cqlbulk/pkg/cqlparse/schema"
	"github.com/cqlbulk/cqlbulk/pkg/cqlparse/where"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// This example evaluates a WHERE clause for a row, and reports a literal of the wrong type.
func Example() {
	s, err := schema.Parse(
		"CREATE TABLE flights (day int, origin text, delay int, PRIMARY KEY (day, origin))", "demo",
	)
	if err != nil {
		panic(err)
	}
	table := where.Table{Columns: s.Table("demo", "flights").Columns, Partitioner: token.Murmur3}
	c, err := where.Parse("day = 3 AND origin IN ('EWR', 'JFK')", table)
	if err != nil {
		panic(err)
	}
	fmt.Println(c.Columns(), len(c.Tokens()))
	day := []byte{0, 0, 0, 3}
	fmt.Println(c.Holds([][]byte{day, []byte("JFK")}, token.Murmur3.Hash(day)))
	_, err = where.Parse("delay > 'x'", table)
	fmt.Println(err)
	// Output:
	// [day origin] 1
	// true
	// line 1, column 9: column delay: 'x' is not of type int
}
