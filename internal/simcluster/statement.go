package simcluster

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/datastax/go-cassandra-native-protocol/datatype"
	"github.com/datastax/go-cassandra-native-protocol/message"
	"github.com/datastax/go-cassandra-native-protocol/primitive"

	"github.com/cqlbulk/cqlbulk/pkg/token"
)

type value = primitive.Value

// statement is a CQL statement of the few kinds that are understood: a SELECT with
// conditions joined by AND, and an INSERT of markers.
type statement struct {
	verb            string // SELECT or INSERT
	keyspace, table string
	columns         []string // selected, nil for all; or inserted
	count           bool     // SELECT count(*)
	where           []condition
	timestamp       bool // INSERT with a marker for the timestamp, the last one
}

// condition is one term of a WHERE clause.
type condition struct {
	column  string
	onToken bool   // on the token of the partition key, not on a column
	op      string // =, > or <=; only = on columns
	marker  int    // index of the value, -1 for a literal
	literal string // a text
}

const tableForm = `"?(\w+)"?\."?(\w+)"?`

var (
	selectForm    = regexp.MustCompile(`(?i)^SELECT (.+?) FROM ` + tableForm + `(?: WHERE (.+?))?(?: ALLOW FILTERING)?(?: USING TIMEOUT \d+ms)?$`)
	insertForm    = regexp.MustCompile(`(?i)^INSERT INTO ` + tableForm + ` \((.+?)\) VALUES \((?:\?(?:, )?)+\)( USING TIMESTAMP \?)?$`)
	conditionForm = regexp.MustCompile(`(?i)^(token\()?"?(\w+)"?\)? ?(=|>|<=) ?(?:\?|'(.*)')$`)
)

// parse reads a statement. The error names the text.
func parse(text string) (*statement, error) {
	if m := insertForm.FindStringSubmatch(text); m != nil {
		return &statement{verb: "INSERT", keyspace: m[1], table: m[2], columns: names(m[3]), timestamp: m[4] != ""}, nil
	}
	m := selectForm.FindStringSubmatch(text)
	if m == nil {
		return nil, fmt.Errorf("simcluster does not understand %q", text)
	}
	st := &statement{verb: "SELECT", keyspace: m[2], table: m[3]}
	switch {
	case strings.EqualFold(m[1], "count(*)"):
		st.count = true
	case m[1] != "*":
		st.columns = names(m[1])
	}
	if m[4] == "" {
		return st, nil
	}
	marker := 0
	for _, term := range strings.Split(m[4], " AND ") {
		t := conditionForm.FindStringSubmatch(term)
		if t == nil {
			return nil, fmt.Errorf("simcluster does not understand %q in %q", term, text)
		}
		cond := condition{column: t[2], onToken: t[1] != "", op: t[3], marker: -1, literal: t[4]}
		if strings.HasSuffix(term, "?") {
			cond.marker = marker
			marker++
		}
		st.where = append(st.where, cond)
	}
	return st, nil
}

// names splits a list of column names.
func names(list string) []string {
	var all []string
	for name := range strings.SplitSeq(list, ",") {
		all = append(all, strings.Trim(strings.TrimSpace(name), `"`))
	}
	return all
}

// tokenRange is the range of "token(k) > ? AND token(k) <= ?", the zero Range when
// the statement has none.
func (st *statement) tokenRange(values []*value) (token.Range, error) {
	var r token.Range
	for _, cond := range st.where {
		if !cond.onToken {
			continue
		}
		if cond.marker < 0 || cond.marker >= len(values) {
			return token.Range{}, errors.New("a token without a value")
		}
		t, err := token.Murmur3.ReadWire(values[cond.marker].Contents)
		if err != nil {
			return token.Range{}, err
		}
		if cond.op == ">" {
			r.Start = t
		} else {
			r.End = t
		}
	}
	return r, nil
}

// variables describes the markers.
func (st *statement) variables(rel *relation) (*message.VariablesMetadata, error) {
	v := &message.VariablesMetadata{}
	add := func(name string) error {
		i, err := rel.find(name)
		if err != nil {
			return err
		}
		if rel.columns[i].key {
			v.PkIndices = append(v.PkIndices, uint16(len(v.Columns)))
		}
		v.Columns = append(v.Columns, rel.describe(rel.columns[i]))
		return nil
	}
	if st.verb == "INSERT" {
		for _, name := range st.columns {
			if err := add(name); err != nil {
				return nil, err
			}
		}
	}
	for _, cond := range st.where {
		if cond.marker < 0 {
			continue
		}
		if cond.onToken {
			v.Columns = append(v.Columns, rel.describe(column{name: "partition key token", typ: datatype.Bigint}))
		} else if err := add(cond.column); err != nil {
			return nil, err
		}
	}
	if st.timestamp {
		v.Columns = append(v.Columns, rel.describe(column{name: "[timestamp]", typ: datatype.Bigint}))
	}
	// Without all of the partition key there is nothing to route by.
	if len(v.PkIndices) < rel.keys() {
		v.PkIndices = nil
	}
	return v, nil
}

// result describes the columns of a SELECT's rows.
func (st *statement) result(rel *relation) ([]*message.ColumnMetadata, error) {
	if st.count {
		return []*message.ColumnMetadata{rel.describe(column{name: "count", typ: datatype.Bigint})}, nil
	}
	var all []*message.ColumnMetadata
	if st.columns == nil {
		for _, c := range rel.columns {
			all = append(all, rel.describe(c))
		}
		return all, nil
	}
	for _, name := range st.columns {
		i, err := rel.find(name)
		if err != nil {
			return nil, err
		}
		all = append(all, rel.describe(rel.columns[i]))
	}
	return all, nil
}

func rowsMetadata(columns []*message.ColumnMetadata) *message.RowsMetadata {
	return &message.RowsMetadata{ColumnCount: int32(len(columns)), Columns: columns}
}
