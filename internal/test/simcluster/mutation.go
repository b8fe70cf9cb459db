package simcluster

import (
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// mutation is a row to be written.
type mutation struct {
	table     *table
	at        token.Token
	key       [][]byte
	raw       []byte
	cluster   [][]byte // nil: static columns alone
	sets      []set
	timestamp int64
	ttl       int
	expires   int64 // seconds since the epoch; 0 without a TTL
	inserts   bool  // the row exists then, even without cells
}

// cell is a cell that the mutation writes; nil deletes.
func (m *mutation) cell(value []byte) cell {
	return cell{value: value, timestamp: m.timestamp, ttl: m.ttl, expires: m.expires, written: true}
}

// set is a column with its new value; nil deletes.
type set struct {
	column int
	value  []byte
}

// builder collects the values of a row, in any order.
type builder struct {
	m       *mutation
	cluster [][]byte
	err     error
}

func newBuilder(t *table, timestamp int64) *builder {
	return &builder{
		m:       &mutation{table: t, key: make([][]byte, len(t.keys())), timestamp: timestamp},
		cluster: make([][]byte, t.clusters),
	}
}

// set takes the value of a column; nil is null.
func (b *builder) set(column int, value []byte) {
	c := &b.m.table.cols[column]
	if err := valid(c.cql, value); err != nil && b.err == nil {
		b.err = err
	}
	switch c.kind {
	case PartitionKey, Clustering:
		if value == nil && b.err == nil {
			b.err = said("Invalid null value in condition for column " + c.name)
		}
		if c.kind == PartitionKey {
			b.m.key[c.slot] = value
		} else {
			b.cluster[c.slot] = value
		}
	default:
		b.m.sets = append(b.m.sets, set{column, value})
	}
}

// done checks that the row is whole. Its error is in the server's words.
func (b *builder) done() (*mutation, error) {
	if b.err != nil {
		return nil, b.err
	}
	t, m := b.m.table, b.m
	given := 0
	for _, c := range t.cols {
		switch {
		case c.kind == PartitionKey && m.key[c.slot] == nil:
			return nil, sayf("Some partition key parts are missing: %s", c.name)
		case c.kind == Clustering && b.cluster[c.slot] != nil:
			given++
		}
	}
	m.raw = token.AppendKey(nil, m.key...)
	if len(m.raw) == 0 {
		return nil, said("Key may not be empty")
	}
	m.at = token.Murmur3.Hash(m.raw)
	regular := false
	for _, s := range m.sets {
		regular = regular || t.cols[s.column].kind == Regular
	}
	if given < t.clusters && (given > 0 || regular || t.statics == 0) {
		return nil, said("Some clustering keys are missing")
	}
	if given == t.clusters {
		m.cluster = b.cluster
	}
	return m, nil
}
