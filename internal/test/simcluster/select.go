package simcluster

import (
	"github.com/datastax/go-cassandra-native-protocol/message"
)

// outputs finds the columns that a SELECT names; all without selectors.
func (st *statement) outputs(t *table) ([]output, error) {
	var all []output
	if st.selectors == nil {
		for i := range t.cols {
			all = append(all, output{column: &t.cols[i]})
		}
		return all, nil
	}
	for _, s := range st.selectors {
		o := output{function: s.function}
		if s.column != "" {
			i, err := t.find(s.column)
			if err != nil {
				return nil, err
			}
			o.column = &t.cols[i]
		}
		all = append(all, o)
	}
	return all, nil
}

// selection makes a SELECT of one of the cluster's tables ready to be run.
func (c *conn) selection(t *table, st *statement, o *message.QueryOptions) (*work, error) {
	q := &query{
		table: t, st: st, size: int(o.PageSize), bytes: c.node.cluster.options.PageBytes,
		from: position{statement: st.identity(o.PositionalValues), start: true},
	}
	columns, err := st.result(&t.relation)
	if err != nil {
		return nil, err
	}
	if q.outputs, err = st.outputs(t); err != nil {
		return nil, err
	}
	if q.tests, err = st.tests(t, o.PositionalValues); err != nil {
		return nil, err
	}
	if q.within, err = st.tokenRange(o.PositionalValues); err != nil {
		return nil, err
	}
	if len(o.PagingState) > 0 {
		if q.from, err = decodePosition(o.PagingState, q.from.statement, t.clusters); err != nil {
			return nil, err
		}
	}
	w := c.work(t.fullName(), st.text)
	w.level, w.paged = o.Consistency, !st.counts() || st.grouped
	w.request.Range = q.within
	w.request.Paged = len(o.PagingState) > 0
	w.request.PageSize = int(o.PageSize)
	w.content = mix(st.identity(o.PositionalValues), hashBytes(o.PagingState))
	w.read = func(s shape) *message.RowsResult {
		page := q.run(s)
		result := &message.RowsResult{Metadata: rowsMetadata(columns), Data: page.rows}
		if page.next != nil {
			result.Metadata.PagingState = page.next.encode()
		}
		return result
	}
	return w, nil
}

// systemSelection makes a SELECT of a system table ready to be run. It is answered in
// one page.
func (c *conn) systemSelection(
	rel *relation,
	st *statement,
	o *message.QueryOptions,
) (*work, error) {
	columns, err := st.result(rel)
	if err != nil {
		return nil, err
	}
	rows, err := c.node.pick(st, rel, o.PositionalValues)
	if err != nil {
		return nil, err
	}
	w := c.work(rel.keyspace+"."+rel.name, st.text)
	w.system, w.level = true, o.Consistency
	w.content = st.identity(o.PositionalValues)
	w.read = func(shape) *message.RowsResult {
		return &message.RowsResult{Metadata: rowsMetadata(columns), Data: rows}
	}
	return w, nil
}
