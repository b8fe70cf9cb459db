package simcluster

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/datastax/go-cassandra-native-protocol/datatype"

	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// Row is a row of the table.
type Row struct {
	Key   int64
	Value string
	Token token.Token
}

// Rows lists the rows of the table in the order of their tokens.
func (c *Cluster) Rows() []Row {
	rows := make([]Row, len(c.data.rows))
	for i, r := range c.data.rows {
		rows[i] = Row{Key: readBigint(r[0]), Value: string(r[1]), Token: c.tokens[i]}
	}
	return rows
}

// makeRows fills the table.
func (c *Cluster) makeRows(random *rand.Rand) {
	c.data = &relation{keyspace: c.options.Keyspace, name: c.options.Table, columns: []column{
		{"k", datatype.Bigint, true}, {"v", datatype.Varchar, false},
	}}
	keys := make(map[int64]bool)
	for len(keys) < c.options.Rows {
		key := int64(random.Uint64())
		if keys[key] {
			continue
		}
		keys[key] = true
		c.data.rows = append(c.data.rows, [][]byte{bigint(key), text(fmt.Sprint("value ", key))})
	}
	at := func(r [][]byte) token.Token { return token.Murmur3.Hash(r[0]) }
	slices.SortFunc(c.data.rows, func(a, b [][]byte) int { return at(a).Compare(at(b)) })
	for _, r := range c.data.rows {
		c.tokens = append(c.tokens, at(r))
	}
}
