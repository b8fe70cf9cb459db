package component_test

import (
	"fmt"

	"github.com/cqlbulk/cqlbulk/pkg/sstable/component"
)

// Names of files are taken apart, and made for the other components of the same SSTable.
func ExampleParseName() {
	d, kind, err := component.ParseName("nb-7-big-Data.db")
	if err != nil {
		panic(err)
	}
	fmt.Println(d.Version, d.ID, kind)
	fmt.Println(d.Name(component.StatisticsDB))
	// Output:
	// nb 7 Data.db
	// nb-7-big-Statistics.db
}

// A Filter.db is written and read again.
func ExampleFilter() {
	filter := component.NewFilter(1000, 0.01)
	filter.Add([]byte("a key"))
	file := filter.Append(nil, component.NB)

	again, err := component.ParseFilter(file, component.NB)
	if err != nil {
		panic(err)
	}
	fmt.Println(again.Has([]byte("a key")), again.Has([]byte("another key")))
	// Output:
	// true false
}
