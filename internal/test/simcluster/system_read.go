package simcluster

import (
	"bytes"
	"errors"

	"github.com/datastax/go-cassandra-native-protocol/message"

	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
)

var textOnly = &cqltype.Type{Kind: cqltype.Text}

// pick returns the columns that a SELECT names, from the rows of a system table. The SELECT may
// compare them with texts, or with markers of any type.
func (n *node) pick(st *statement, rel *relation, values []*value) (message.RowSet, error) {
	rows := rel.rows
	for _, cond := range st.where {
		if cond.onToken || cond.op != "=" {
			return nil, errors.New("simcluster finds rows of system tables by equality only")
		}
		i, err := rel.find(cond.column)
		if err != nil {
			return nil, err
		}
		want, _, err := cond.value.read(textOnly, values)
		if err != nil {
			return nil, err
		}
		var kept [][][]byte
		for _, r := range rows {
			if bytes.Equal(r[i], want) {
				kept = append(kept, r)
			}
		}
		rows = kept
	}
	if st.counts() {
		return message.RowSet{{bigint(int64(len(rows)))}}, nil
	}
	set := make(message.RowSet, len(rows))
	for i, r := range rows {
		if st.selectors == nil {
			set[i] = r
			continue
		}
		for _, s := range st.selectors {
			if s.function == "totimestamp" {
				set[i] = append(set[i], bigint(n.now().UnixMilli()))
				continue
			}
			at, err := rel.find(s.column)
			if err != nil {
				return nil, err
			}
			set[i] = append(set[i], r[at])
		}
	}
	return set, nil
}
