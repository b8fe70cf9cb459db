package simcluster

import (
	"fmt"

	"github.com/datastax/go-cassandra-native-protocol/datatype"
	"github.com/datastax/go-cassandra-native-protocol/message"
)

// relation is the form of a table and, of a system table, its rows, each a list of wire values in
// the order of the columns.
type relation struct {
	keyspace, name string
	columns        []column
	rows           [][][]byte
}

type column struct {
	name string
	typ  datatype.DataType
	key  bool // part of the partition key
}

// find is the index of a column.
func (r *relation) find(name string) (int, error) {
	for i, c := range r.columns {
		if c.name == name {
			return i, nil
		}
	}
	return 0, fmt.Errorf("undefined column name %s in table %s.%s", name, r.keyspace, r.name)
}

// keys are the names of the columns of the partition key, in order.
func (r *relation) keys() []string {
	var names []string
	for _, c := range r.columns {
		if c.key {
			names = append(names, c.name)
		}
	}
	return names
}

func (r *relation) describe(c column) *message.ColumnMetadata {
	return &message.ColumnMetadata{Keyspace: r.keyspace, Table: r.name, Name: c.name, Type: c.typ}
}
