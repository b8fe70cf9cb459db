package simcluster

import (
	"fmt"

	"github.com/datastax/go-cassandra-native-protocol/datatype"
	"github.com/datastax/go-cassandra-native-protocol/message"
)

// relation is a table with its rows, each a list of wire values in the order of
// the columns.
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

// keys is the number of columns of the partition key.
func (r *relation) keys() int {
	n := 0
	for _, c := range r.columns {
		if c.key {
			n++
		}
	}
	return n
}

func (r *relation) describe(c column) *message.ColumnMetadata {
	return &message.ColumnMetadata{Keyspace: r.keyspace, Table: r.name, Name: c.name, Type: c.typ}
}
