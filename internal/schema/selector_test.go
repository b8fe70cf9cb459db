package schema

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
)

func selectable(t *testing.T) *Table {
	t.Helper()
	column := func(name string, kind Kind, text string) Column {
		parsed, err := cqltype.Parse(text, nil)
		require.NoError(t, err)
		return Column{Name: name, Kind: kind, Type: parsed}
	}
	return New("ks", "t", []Column{
		column(
			"k",
			PartitionKey,
			"int",
		),
		column("v", Regular, "text"),
		column("Mixed", Regular, "frozen<list<int>>"),
		column("l", Regular, "list<int>"),
		column("hits", Regular, "counter"),
	})
}

func TestSelectors(t *testing.T) {
	all, err := selectable(t).Selectors(nil)
	require.NoError(t, err)
	require.Len(t, all, 5)
	got, err := selectable(t).Selectors([]string{"V", "ttl(v)", "WRITETIME( mixed )", "k"})
	require.NoError(t, err)
	var names, cql []string
	for _, s := range got {
		names, cql = append(names, s.Name), append(cql, s.CQL)
	}
	require.Equal(t, []string{"v", "ttl(v)", "writetime(Mixed)", "k"}, names)
	require.Equal(t, []string{"v", "ttl(v)", `writetime("Mixed")`, "k"}, cql)
	require.Equal(t, cqltype.Int, got[1].Type.Kind)
	require.Equal(t, cqltype.Bigint, got[2].Type.Kind)
	require.True(t, got[0].Plain)
	require.False(t, got[1].Plain)
}

func TestSelectorErrors(t *testing.T) {
	for text, want := range map[string]string{
		"ttl(k)":          `ttl(k): column "k" is part of the primary key, which has no ttl`,
		"writetime(l)":    `writetime(l): column "l" is list<int>, and each of its elements has a writetime of its own`,
		"ttl(hits)":       "ttl(hits): a counter has no ttl",
		"ttl(hit)":        `table ks.t has no column "hit"; did you mean "hits"?`,
		"max(v)":          `table ks.t has no column "max(v)"`,
		"writetime(hits)": "a counter has no writetime",
	} {
		_, err := selectable(t).Selectors([]string{text})
		require.ErrorContains(t, err, want, text)
	}
	_, err := selectable(t).Selectors([]string{"ttl(v)", "TTL(V)"})
	require.ErrorContains(t, err, `"ttl(v)" of ks.t is named twice`)
}
