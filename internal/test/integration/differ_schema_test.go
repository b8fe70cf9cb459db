//go:build integration

package integration

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
)

// differSchema makes a table by chance: keys, static and regular columns of all types, up to three
// deep, or counters.
type differSchema struct {
	r         *rand.Rand
	keyspace  string
	vectors   bool // the servers have them
	types     []*cqltype.Type
	made      []string // statements that make the types
	scalars   []cqltype.Kind
	plainKeys bool // keys are of types without elements
	counters  bool
	apart     bool // replicas are to differ
}

func newDifferSchema(t *testing.T, r *rand.Rand, keyspace string, apart bool) *differSchema {
	t.Helper()
	s := &differSchema{
		r: r, keyspace: keyspace, vectors: atLeast(t, 5), apart: apart,
		plainKeys: r.IntN(2) == 0, counters: r.IntN(8) == 0,
	}
	for kind := cqltype.Ascii; kind <= cqltype.Varint; kind++ {
		if orderEdges[kind] != "" {
			s.scalars = append(s.scalars, kind)
		}
	}
	for n := range r.IntN(3) {
		udt := &cqltype.Type{
			Kind:     cqltype.UDT,
			Keyspace: keyspace,
			Name:     fmt.Sprintf("differ_t%d", n),
		}
		var fields []string
		for f := range 1 + r.IntN(3) {
			name := []string{"a", "b c", "D"}[f]
			field := s.typ(1, true)
			udt.FieldNames, udt.Elems = append(udt.FieldNames, name), append(udt.Elems, field)
			fields = append(fields, cqltype.QuoteIdent(name)+" "+field.String())
		}
		s.types = append(s.types, udt)
		s.made = append(
			s.made,
			fmt.Sprintf("CREATE TYPE %s.%s (%s)", keyspace, udt.Name, strings.Join(fields, ", ")),
		)
	}
	return s
}

// typ returns a frozen type with at most depth levels below it. key says that it is part of a key,
// of a set or of the key of a map, where durations are not allowed.
func (s *differSchema) typ(depth int, key bool) *cqltype.Type {
	scalar := func() *cqltype.Type {
		for {
			if kind := s.scalars[s.r.IntN(len(s.scalars))]; !key || kind != cqltype.Duration {
				return &cqltype.Type{Kind: kind}
			}
		}
	}
	if depth == 0 || s.r.IntN(5) == 0 {
		return scalar()
	}
	t := &cqltype.Type{Frozen: true}
	switch n := s.r.IntN(7); {
	case n == 0:
		t.Kind, t.Elems = cqltype.List, []*cqltype.Type{s.typ(depth-1, key)}
	case n == 1:
		t.Kind, t.Elems = cqltype.Set, []*cqltype.Type{s.typ(depth-1, true)}
	case n == 2:
		t.Kind, t.Elems = cqltype.Map, []*cqltype.Type{s.typ(depth-1, true), s.typ(depth-1, key)}
	case n == 3:
		t.Kind = cqltype.Tuple
		for range 1 + s.r.IntN(3) {
			t.Elems = append(t.Elems, s.typ(depth-1, key))
		}
	case n == 4 && len(s.types) > 0:
		*t = *s.types[s.r.IntN(len(s.types))]
		t.Frozen = true
	case n >= 5 && s.vectors:
		t.Kind, t.Dimension, t.Elems, t.Frozen = cqltype.Vector, 1+s.r.IntN(
			3,
		), []*cqltype.Type{
			s.typ(depth-1, key),
		}, false
	default:
		return scalar()
	}
	return t
}

// keyType is the type of a column of the primary key.
func (s *differSchema) keyType() *cqltype.Type {
	if s.plainKeys {
		return s.typ(0, true)
	}
	return s.typ(3, true)
}

// valueType is the type of a static or regular column, frozen or not.
func (s *differSchema) valueType() *cqltype.Type {
	if s.counters {
		return &cqltype.Type{Kind: cqltype.Counter}
	}
	t := s.typ(3, false)
	if s.r.IntN(3) == 0 {
		t.Frozen = false
	}
	return t
}

// body is what stands in CREATE TABLE behind the name.
func (s *differSchema) body() string {
	var columns, partition, clustering, order []string
	add := func(name string, t *cqltype.Type, more string) {
		columns = append(columns, cqltype.QuoteIdent(name)+" "+t.String()+more)
	}
	for i := range 1 + s.r.IntN(2) {
		partition = append(partition, fmt.Sprintf("k%d", i))
		add(partition[i], s.keyType(), "")
	}
	for i := range s.r.IntN(4) {
		clustering = append(clustering, fmt.Sprintf("c%d", i))
		order = append(order, fmt.Sprintf("c%d %s", i, []string{"ASC", "DESC"}[s.r.IntN(2)]))
		add(clustering[i], s.keyType(), "")
	}
	if len(clustering) > 0 {
		for i := range s.r.IntN(4) {
			add(fmt.Sprintf("s%d", i), s.valueType(), " static")
		}
	}
	least := 0
	if s.counters {
		least = 1 // without one it is no table of counters
	}
	for i := range max(least, s.r.IntN(5)) {
		add([]string{"v0", "v 1", "V2", "select"}[i], s.valueType(), "")
	}
	key := append([]string{"(" + strings.Join(partition, ", ") + ")"}, clustering...)
	body := fmt.Sprintf(
		"(%s, PRIMARY KEY (%s))",
		strings.Join(columns, ", "),
		strings.Join(key, ", "),
	)
	var options []string
	if len(clustering) > 0 {
		options = append(
			options,
			fmt.Sprintf("CLUSTERING ORDER BY (%s)", strings.Join(order, ", ")),
		)
	}
	if s.r.IntN(4) == 0 && !s.counters {
		options = append(options, "default_time_to_live = 1000000")
	}
	switch s.r.IntN(6) {
	case 0:
		options = append(options, "compression = {'enabled': 'false'}")
	case 1:
		options = append(
			options,
			"compression = {'class': 'ZstdCompressor', 'chunk_length_in_kb': '4'}",
		)
	}
	if s.apart && s.r.IntN(4) > 0 { // else the first read by CQL ends the difference
		options = append(options, "read_repair = 'NONE'")
	}
	if len(options) > 0 {
		body += " WITH " + strings.Join(options, " AND ")
	}
	return body
}

// make drops what an earlier run left, and makes the types and the tables.
func (s *differSchema) make(t *testing.T, body string, names ...string) *schema.Table {
	t.Helper()
	for _, name := range names {
		exec(t, fmt.Sprintf("DROP MATERIALIZED VIEW IF EXISTS %s.%s_view", s.keyspace, name),
			fmt.Sprintf("DROP TABLE IF EXISTS %s.%s", s.keyspace, name))
	}
	for n := 2; n >= 0; n-- { // a later one may have an earlier one in it
		exec(t, fmt.Sprintf("DROP TYPE IF EXISTS %s.differ_t%d", s.keyspace, n))
	}
	exec(t, s.made...)
	for _, name := range names {
		exec(t, fmt.Sprintf("CREATE TABLE %s.%s %s", s.keyspace, name, body))
	}
	made, err := session.Table(t.Context(), s.keyspace, names[0])
	require.NoError(t, err)
	return made
}
