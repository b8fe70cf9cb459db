package simcluster

import (
	"bytes"
	"encoding/binary"
	"slices"

	"github.com/datastax/go-cassandra-native-protocol/message"

	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// read answers a SELECT, page by page. A paging state is the index of the next of
// the rows that the statement finds.
func (c *conn) read(request Request, st *statement, o *message.QueryOptions) message.Message {
	rel, ok := c.node.relation(st.keyspace, st.table)
	if !ok {
		return missing(st)
	}
	columns, err := st.result(rel)
	if err != nil {
		return &message.Invalid{ErrorMessage: err.Error()}
	}
	rows := rel.rows
	within, err := st.tokenRange(o.PositionalValues)
	if err != nil {
		return &message.Invalid{ErrorMessage: err.Error()}
	}
	if within != (token.Range{}) {
		rows = c.node.cluster.within(within)
	}
	request.Range, request.Paged = within, len(o.PagingState) > 0
	if refusal := c.node.cluster.options.Refuse(request); refusal != nil {
		c.node.cluster.log.add(request, nil)
		return refusal
	}
	if rows, err = st.filter(rel, rows, o.PositionalValues); err != nil {
		return &message.Invalid{ErrorMessage: err.Error()}
	}
	result := &message.RowsResult{Metadata: rowsMetadata(columns)}
	if st.count {
		result.Data = message.RowSet{{bigint(int64(len(rows)))}}
	} else {
		from := 0
		if request.Paged {
			from = int(binary.BigEndian.Uint64(o.PagingState))
		}
		to := len(rows)
		if size := int(o.PageSize); size > 0 && to-from > size {
			to = from + size
			result.Metadata.PagingState = binary.BigEndian.AppendUint64(nil, uint64(to))
		}
		result.Data = st.project(rel, rows[from:to])
	}
	request.Rows = len(result.Data)
	c.node.cluster.log.add(request, nil)
	return result
}

// within is the table's rows with a token in the range.
func (c *Cluster) within(r token.Range) [][][]byte {
	after := func(t token.Token) int {
		i, _ := slices.BinarySearchFunc(c.tokens, t, func(have, want token.Token) int {
			if want.Less(have) {
				return 1
			}
			return -1
		})
		return i
	}
	from, to := after(r.Start), after(r.End)
	return c.data.rows[from:max(from, to)]
}

// filter is the rows that fulfil the conditions on single columns.
func (st *statement) filter(rel *relation, rows [][][]byte, values []*value) ([][][]byte, error) {
	for _, cond := range st.where {
		if cond.onToken {
			continue
		}
		i, err := rel.find(cond.column)
		if err != nil {
			return nil, err
		}
		want := []byte(cond.literal)
		if cond.marker >= 0 {
			want = values[cond.marker].Contents
		}
		var kept [][][]byte
		for _, r := range rows {
			if bytes.Equal(r[i], want) {
				kept = append(kept, r)
			}
		}
		rows = kept
	}
	return rows, nil
}

// project takes the columns of the statement out of the rows.
func (st *statement) project(rel *relation, rows [][][]byte) message.RowSet {
	set := make(message.RowSet, len(rows))
	for i, r := range rows {
		if st.columns == nil {
			set[i] = r
			continue
		}
		for _, name := range st.columns {
			at, _ := rel.find(name)
			set[i] = append(set[i], r[at])
		}
	}
	return set
}
