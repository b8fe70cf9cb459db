package driver

import (
	"context"

	"github.com/cqlbulk/cqlbulk/internal/row"
	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// KeyReader reads rows of one table by their keys. It is safe for concurrent use.
type KeyReader struct {
	s         *Session
	table     string   // as in CQL
	partition int      // number of columns of the partition key
	stmts     []string // by the number of clustering columns that are given
	columns   int
}

// KeyReader makes a reader of a table.
func (s *Session) KeyReader(t *schema.Table, q Query) *KeyReader {
	r := &KeyReader{s: s, table: t.String(), columns: len(q.Select)}
	var where []string
	for _, c := range t.OfKind(schema.PartitionKey) {
		where = append(where, cqltype.QuoteIdent(c.Name)+" = ?")
	}
	r.partition = len(where)
	r.stmts = []string{q.statement(t, where)}
	for _, c := range t.OfKind(schema.Clustering) {
		where = append(where, cqltype.QuoteIdent(c.Name)+" = ?")
		r.stmts = append(r.stmts, q.statement(t, where))
	}
	return r
}

// Page reads one page of the rows of a key. A key has the values of all columns of the partition
// key. Then come those of no, some or all clustering columns, from the first on. The token is that
// of the partition key; on ScyllaDB it selects the shard. Host, state and rows are as for
// [Reader.Page].
func (r *KeyReader) Page(
	ctx context.Context,
	host string,
	at token.Token,
	key [][]byte,
	state []byte,
	rows int,
) (row.Page, error) {
	values := make([]any, len(key))
	for i := range key {
		values[i] = &cell{key[i]}
	}
	stmt := r.stmts[len(key)-r.partition]
	return r.s.page(ctx, host, r.table, at, stmt, values, r.columns, state, rows)
}
