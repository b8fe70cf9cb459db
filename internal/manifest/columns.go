package manifest

import "github.com/cqlbulk/cqlbulk/internal/schema"

// kindNames are the names of the kinds of columns.
var kindNames = map[schema.Kind]string{
	schema.PartitionKey: "partition_key",
	schema.Clustering:   "clustering",
	schema.Static:       "static",
	schema.Regular:      "regular",
}

// ColumnsOf returns the columns of a selection.
func ColumnsOf(selection []schema.Selector) []Column {
	var all []Column
	for _, c := range selection {
		one := Column{Name: c.Name, Kind: kindNames[c.Column.Kind], Type: c.Type.String()}
		all = append(all, one)
	}
	return all
}
