package schema

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
)

func column(name string, kind Kind, position int) Column {
	return Column{
		Name:     name,
		Kind:     kind,
		Position: position,
		Type:     &cqltype.Type{Kind: cqltype.Int},
	}
}

func TestColumnsStandInTheOrderOfSelectStar(t *testing.T) {
	want := []string{"p2", "p1", "z", "y", "S", "s", "A", "_", "a", "b"}
	columns := []Column{
		column(
			"p2",
			PartitionKey,
			0,
		),
		column("p1", PartitionKey, 1),
		column("z", Clustering, 0),
		column("y", Clustering, 1),
		column("s", Static, -1),
		column("S", Static, -1),
		column(
			"b",
			Regular,
			-1,
		),
		column("A", Regular, -1),
		column("_", Regular, -1),
		column("a", Regular, -1),
	}
	for range 20 {
		rand.Shuffle(
			len(columns),
			func(i, j int) { columns[i], columns[j] = columns[j], columns[i] },
		)
		first := columns[0]
		table := New("ks", "t", columns)
		require.Equal(t, want, table.Names())
		require.Equal(t, first, columns[0], "the argument is not changed")
	}
	table := New("ks", "t", columns)
	require.Len(t, table.OfKind(PartitionKey), 2)
	require.Equal(t, "p2", table.OfKind(PartitionKey)[0].Name)
	require.Len(t, table.OfKind(Clustering), 2)
	require.Len(t, table.OfKind(Static), 2)
	require.Len(t, table.OfKind(Regular), 4)
	for _, c := range table.Columns {
		require.Equal(t, c.Kind == PartitionKey || c.Kind == Clustering, c.IsKey())
	}
}

func TestTable(t *testing.T) {
	table := New("Ks", "select", []Column{column("k", PartitionKey, 0)})
	require.Equal(t, `"Ks"."select"`, table.String())
	require.False(t, table.IsCounter())
	c, ok := table.Column("k")
	require.True(t, ok)
	require.Equal(t, "k", c.Name)
	_, ok = table.Column("K")
	require.False(t, ok)
	counter := New(
		"ks",
		"t",
		[]Column{
			column("k", PartitionKey, 0),
			{Name: "n", Kind: Regular, Type: &cqltype.Type{Kind: cqltype.Counter}},
		},
	)
	require.True(t, counter.IsCounter())
	require.Empty(t, New("ks", "t", nil).Names())
}

func TestResolve(t *testing.T) {
	table := New("ks", "t", []Column{
		column("id", PartitionKey, 0),
		column("Name", Regular, 0),
		column("tailnum", Regular, 0),
		column(
			"x",
			Regular,
			0,
		),
		column("X", Regular, 0),
		column("aB", Regular, 0),
		column("Ab", Regular, 0),
		column("straße", Regular, 0),
	})
	for _, tc := range []struct{ name, want, err string }{
		{"id", "id", ""},
		{"ID", "id", ""},
		{"name", "Name", ""},
		{"NAME", "Name", ""},
		{"x", "x", ""},
		{"X", "X", ""},
		{"Ab", "Ab", ""},
		{"STRAßE", "straße", ""},
		{"ab", "", `column "ab" of ks.t: "Ab" and "aB" differ only in case; write one of them exactly`},
		{"tailnumb", "", `table ks.t has no column "tailnumb"; did you mean "tailnum"?`},
		{"TAILNMU", "", `table ks.t has no column "TAILNMU"; did you mean "tailnum"?`},
		{"nonsense", "", `table ks.t has no column "nonsense"`},
		{" id", "", `table ks.t has no column " id"; did you mean "id"?`},
		{"q", "", `table ks.t has no column "q"`},
		{"", "", `table ks.t has no column ""`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c, err := table.Resolve(tc.name)
			if tc.err != "" {
				require.EqualError(t, err, tc.err)
				return
			}
			require.NoError(t, err)
			require.Equal(t, tc.want, c.Name)
		})
	}
}

func TestResolveAll(t *testing.T) {
	table := New(
		"ks",
		"t",
		[]Column{column("id", PartitionKey, 0), column("a", Regular, 0), column("b", Regular, 0)},
	)
	columns, err := table.ResolveAll([]string{"B", "id"})
	require.NoError(t, err)
	require.Len(t, columns, 2)
	require.Equal(t, []string{"b", "id"}, []string{columns[0].Name, columns[1].Name})
	_, err = table.ResolveAll([]string{"a", "b", "A"})
	require.EqualError(t, err, `column "a" of ks.t is named twice`)
	_, err = table.ResolveAll([]string{"a", "idd"})
	require.EqualError(t, err, `table ks.t has no column "idd"; did you mean "id"?`)
	columns, err = table.ResolveAll(nil)
	require.NoError(t, err)
	require.Empty(t, columns)
}

func TestDidYouMean(t *testing.T) {
	names := []string{"hosts", "port", "password", "password-file", "k", "ingestrate"}
	for _, tc := range []struct{ name, want string }{
		{"host", "hosts"}, {"HOSTS", "hosts"}, {"prot", "port"}, {"passwrod", "password"}, {"password-fiel", "password-file"},
		{"ingest-rate", "ingestrate"}, {"ingestrat", "ingestrate"}, {"rate", ""}, {"zzzzzz", ""}, {"v", ""}, {"K", "k"}, {"kk", "k"}, {"", ""},
	} {
		want := ""
		if tc.want != "" {
			want = `; did you mean "` + tc.want + `"?`
		}
		require.Equal(t, want, DidYouMean(tc.name, names), tc.name)
	}
	require.Empty(t, DidYouMean("x", nil))
}

// A table is another one when a type of a column has other fields.
func TestFingerprintOfUserTypes(t *testing.T) {
	table := func(inner *cqltype.Type, names ...string) string {
		u := &cqltype.Type{Kind: cqltype.UDT, Keyspace: "ks", Name: "addr", FieldNames: names}
		for range names {
			u.Elems = append(u.Elems, inner)
		}
		list := &cqltype.Type{Kind: cqltype.List, Elems: []*cqltype.Type{u}}
		return (&Table{Keyspace: "ks", Name: "t", Columns: []Column{{Name: "a", Kind: Regular, Type: list}}}).Fingerprint()
	}
	number, text := &cqltype.Type{Kind: cqltype.Int}, &cqltype.Type{Kind: cqltype.Text}
	deep := &cqltype.Type{
		Kind:       cqltype.UDT,
		Keyspace:   "ks",
		Name:       "in",
		FieldNames: []string{"x"},
		Elems:      []*cqltype.Type{number},
	}
	deeper := &cqltype.Type{
		Kind:       cqltype.UDT,
		Keyspace:   "ks",
		Name:       "in",
		FieldNames: []string{"x"},
		Elems:      []*cqltype.Type{text},
	}
	all := []string{
		table(
			number,
			"x",
		),
		table(number, "y"),
		table(number, "x", "y"),
		table(number, "y", "x"),
		table(text, "x"),
		table(deep, "x"),
		table(deeper, "x"),
	}
	seen := map[string]bool{}
	for _, f := range all {
		require.False(t, seen[f])
		seen[f] = true
	}
	require.Equal(t, all[0], table(number, "x"))
}

// A name that is as long as a file is cut, and compared with no column.
func TestLongNameIsCut(t *testing.T) {
	table := New("demo", "t", []Column{{Name: "k", Kind: PartitionKey}})
	_, err := table.Resolve(strings.Repeat("k", 300))
	require.EqualError(t, err, `table demo.t has no column "`+strings.Repeat("k", 200)+`..."`)
	require.Equal(
		t,
		`; did you mean "kk"?`,
		DidYouMean("kkk", []string{strings.Repeat("k", 300), "kk"}),
	)
}

// Run directories of a time when the clustering order was not read are still taken up.
func TestFingerprintHasNoClusteringOrder(t *testing.T) {
	columns := []Column{
		{Name: "k", Kind: PartitionKey, Type: &cqltype.Type{Kind: cqltype.Int}},
		{Name: "c", Kind: Clustering, Type: &cqltype.Type{Kind: cqltype.Int}},
	}
	ascending := New("ks", "t", columns)
	columns[1].Desc = true
	require.Equal(t, ascending.Fingerprint(), New("ks", "t", columns).Fingerprint())
	require.Equal(
		t,
		"ba63ca72329a58d23e0688d5a5f90fce5733f9437bdcbc87b3c470eeed6d6f0c",
		ascending.Fingerprint(),
	)
}

// A hint can be typed as it stands.
func TestATableWithCapitalsIsShownAsItIsTyped(t *testing.T) {
	require.Equal(
		t,
		`; did you mean 'demo."Mixed"'? Its capitals need the quotes`,
		DidYouMeanTable("demo", "mixed", []string{"Mixed", "other"}),
	)
	require.Equal(
		t,
		`; did you mean "other"?`,
		DidYouMeanTable("demo", "othr", []string{"Mixed", "other"}),
	)
}
