package schema_test

import (
	"fmt"
	"log"

	"github.com/cqlbulk/cqlbulk/pkg/cqlparse/schema"
)

// This example parses a CREATE TABLE with a user-defined type that is created later.
func Example() {
	const text = `
CREATE TABLE flights (
    day date,
    number int,
    dest frozen<airport>,
    PRIMARY KEY (day, number)
) WITH CLUSTERING ORDER BY (number DESC) AND default_time_to_live = 86400;
CREATE TYPE airport (code text, gate int);`
	s, err := schema.Parse(text, "demo")
	if err != nil {
		log.Fatal(err)
	}
	table := s.Table("demo", "flights")
	for _, c := range table.Columns {
		fmt.Println(c.Name, c.Type, c.Kind == schema.PartitionKey, c.Desc)
	}
	fmt.Println(table.Options["default_time_to_live"].Text)
	_, err = schema.Parse("CREATE TABLE t (k int)", "demo")
	fmt.Println(err)
	// Output:
	// day date true false
	// number int false true
	// dest frozen<airport> false false
	// 86400
	// line 1, column 14: the table has no primary key
}
