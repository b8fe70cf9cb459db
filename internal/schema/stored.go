package schema

import "github.com/cqlbulk/cqlbulk/pkg/sstable"

// Stored returns the columns of the table in the form of the codec of SSTables.
func (t *Table) Stored() *sstable.Table {
	columns := func(kind Kind) []sstable.Column {
		var list []sstable.Column
		for _, c := range t.OfKind(kind) {
			list = append(list, sstable.Column{Name: c.Name, Type: c.Type, Desc: c.Desc})
		}
		return list
	}
	return &sstable.Table{
		Key: columns(
			PartitionKey,
		),
		Clustering: columns(Clustering),
		Statics:    columns(Static),
		Regulars:   columns(Regular),
	}
}
