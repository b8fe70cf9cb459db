package simcluster

import (
	"errors"

	"github.com/datastax/go-cassandra-native-protocol/datatype"
	"github.com/datastax/go-cassandra-native-protocol/message"
	"github.com/datastax/go-cassandra-native-protocol/primitive"

	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

type value = primitive.Value

// statement is a CQL statement of the few kinds that are understood.
type statement struct {
	text            string
	verb            string // select, insert or update
	keyspace, table string
	selectors       []selector  // nil: all columns
	where           []condition // joined by AND; of an UPDATE, the key
	grouped         bool        // by the partition
	filtering       bool        // ALLOW FILTERING
	sets            []assigned  // of an INSERT all columns, of an UPDATE the counters
	timestamp, ttl  *term
	markers         int
}

// selector is a thing that a SELECT gives of each row.
type selector struct {
	// count, writetime, ttl, token, or totimestamp of now(); empty: the column itself
	function string
	column   string // of token and totimestamp none
}

// condition is one term of a WHERE clause.
type condition struct {
	column  string
	onToken bool   // on the token of the partition key, not on a column
	op      string // =, <, >, <= or >=
	value   term
}

// assigned is a column and what it is set to, or of a counter what is added.
type assigned struct {
	column string
	value  term
}

// term is a marker or a literal.
type term struct {
	marker  int // index of its value, -1 for a literal
	literal string
	null    bool // the literal null
}

// read reads the value of a term: its bytes, nil for null, and whether it is set.
func (t term) read(typ *cqltype.Type, values []*value) (content []byte, isSet bool, err error) {
	if t.marker < 0 {
		if t.null {
			return nil, true, nil
		}
		content, err = literal(typ, t.literal)
		return content, true, err
	}
	switch v := values[t.marker]; v.Type {
	case primitive.ValueTypeUnset:
		return nil, false, nil
	case primitive.ValueTypeNull:
		return nil, true, nil
	default:
		if v.Contents == nil {
			return []byte{}, true, nil
		}
		return v.Contents, true, nil
	}
}

// bound checks the number of values.
func (st *statement) bound(values []*value) error {
	if len(values) != st.markers {
		return sayf("Invalid amount of bind variables: %d instead of %d", len(values), st.markers)
	}
	return nil
}

// tokenRange is the range of "token(k) > ? AND token(k) <= ?", the zero Range when
// the statement has none.
func (st *statement) tokenRange(values []*value) (token.Range, error) {
	var r token.Range
	some := false
	for _, cond := range st.where {
		if !cond.onToken {
			continue
		}
		wire, _, err := cond.value.read(bigintType, values)
		if err != nil {
			return r, err
		}
		t, err := token.Murmur3.ReadWire(wire)
		if err != nil {
			return r, err
		}
		if !some {
			r, some = token.Whole(token.Murmur3), true
		}
		switch cond.op {
		case ">":
			r.Start = t
		case "<=":
			r.End = t
		default:
			return r, errors.New("simcluster compares tokens by > and <= only")
		}
	}
	return r, nil
}

// variables describes the markers.
func (st *statement) variables(rel *relation) (*message.VariablesMetadata, error) {
	v := &message.VariablesMetadata{Columns: make([]*message.ColumnMetadata, st.markers)}
	at := make(map[string]uint16) // the markers of columns
	add := func(name string, t term) error {
		i, err := rel.find(name)
		if err == nil && t.marker >= 0 {
			v.Columns[t.marker] = rel.describe(rel.columns[i])
			at[name] = uint16(t.marker)
		}
		return err
	}
	for _, s := range st.sets {
		if err := add(s.column, s.value); err != nil {
			return nil, err
		}
	}
	for _, cond := range st.where {
		if !cond.onToken {
			if err := add(cond.column, cond.value); err != nil {
				return nil, err
			}
		} else if cond.value.marker >= 0 {
			v.Columns[cond.value.marker] = rel.describe(
				column{name: "partition key token", typ: datatype.Bigint},
			)
		}
	}
	if st.timestamp != nil && st.timestamp.marker >= 0 {
		v.Columns[st.timestamp.marker] = rel.describe(
			column{name: "[timestamp]", typ: datatype.Bigint},
		)
	}
	if st.ttl != nil && st.ttl.marker >= 0 {
		v.Columns[st.ttl.marker] = rel.describe(column{name: "[ttl]", typ: datatype.Int})
	}
	for _, name := range rel.keys() {
		i, ok := at[name]
		if !ok { // without all of the partition key there is nothing to route by
			v.PkIndices = nil
			break
		}
		v.PkIndices = append(v.PkIndices, i)
	}
	return v, nil
}

// result describes the columns of a SELECT's rows.
func (st *statement) result(rel *relation) ([]*message.ColumnMetadata, error) {
	var all []*message.ColumnMetadata
	if st.selectors == nil {
		for _, c := range rel.columns {
			all = append(all, rel.describe(c))
		}
		return all, nil
	}
	for _, s := range st.selectors {
		switch s.function {
		case "count", "token":
			all = append(all, rel.describe(column{name: s.function, typ: datatype.Bigint}))
			continue
		case "totimestamp":
			all = append(
				all,
				rel.describe(
					column{name: "system.totimestamp(system.now())", typ: datatype.Timestamp},
				),
			)
			continue
		}
		i, err := rel.find(s.column)
		if err != nil {
			return nil, err
		}
		c := rel.columns[i]
		switch s.function {
		case "writetime":
			c = column{name: "writetime(" + s.column + ")", typ: datatype.Bigint}
		case "ttl":
			c = column{name: "ttl(" + s.column + ")", typ: datatype.Int}
		}
		all = append(all, rel.describe(c))
	}
	return all, nil
}

// counts says whether the rows are counted.
func (st *statement) counts() bool {
	for _, s := range st.selectors {
		if s.function == "count" {
			return true
		}
	}
	return false
}

var (
	bigintType = &cqltype.Type{Kind: cqltype.Bigint}
	intType    = &cqltype.Type{Kind: cqltype.Int}
)

func rowsMetadata(columns []*message.ColumnMetadata) *message.RowsMetadata {
	return &message.RowsMetadata{ColumnCount: int32(len(columns)), Columns: columns}
}
