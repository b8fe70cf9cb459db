package operation

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/driver"
	"github.com/cqlbulk/cqlbulk/internal/plan"
	"github.com/cqlbulk/cqlbulk/internal/read/files"
	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/internal/sstables"
	"github.com/cqlbulk/cqlbulk/internal/table"
	"github.com/cqlbulk/cqlbulk/internal/topology"
	"github.com/cqlbulk/cqlbulk/internal/write/delivery"
	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
	"github.com/cqlbulk/cqlbulk/pkg/reconcile"
	"github.com/cqlbulk/cqlbulk/pkg/sstable/component"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// declared makes a table of "name type kind; ...", where a kind is p, c, d (clustering,
// descending), s or r. The user type addr has the fields street and zip in keyspace a, and the
// keyspace b has one with a field more.
func declared(t *testing.T, keyspace, text string) *schema.Table {
	t.Helper()
	kinds := map[string]schema.Kind{
		"p": schema.PartitionKey,
		"c": schema.Clustering,
		"d": schema.Clustering,
		"s": schema.Static,
		"r": schema.Regular,
	}
	at := make(map[schema.Kind]int)
	var columns []schema.Column
	for _, one := range strings.Split(text, "; ") {
		words := strings.Fields(one)
		kind := words[len(words)-1]
		typed, err := cqltype.Parse(
			strings.Join(words[1:len(words)-1], " "),
			func(name string) (*cqltype.Type, error) {
				udt := &cqltype.Type{
					Kind:       cqltype.UDT,
					Keyspace:   keyspace,
					Name:       name,
					FieldNames: []string{"street", "zip"},
					Elems:      []*cqltype.Type{{Kind: cqltype.Text}, {Kind: cqltype.Int}},
				}
				switch {
				case name != "addr":
					return nil, errors.New("no such type")
				case keyspace == "b":
					udt.FieldNames = append(udt.FieldNames, "city")
					udt.Elems = append(
						udt.Elems,
						&cqltype.Type{Kind: cqltype.Text},
					)
				}
				return udt, nil
			},
		)
		require.NoError(t, err)
		columns = append(
			columns,
			schema.Column{
				Name:     words[0],
				Kind:     kinds[kind],
				Position: at[kinds[kind]],
				Type:     typed,
				Desc:     kind == "d",
			},
		)
		at[kinds[kind]]++
	}
	return schema.New(keyspace, "t", columns)
}

// What a table cannot hold of another one is named.
func TestTablesAgree(t *testing.T) {
	const table = "k int p; l text p; c int c; e text d; s text s; v list<int> r; f frozen<list<int>> r; u addr r"
	from := declared(t, "a", table)
	require.NoError(t, agreeOn(from, declared(t, "a", table)))
	require.NoError(
		t,
		agreeOn(from, declared(t, "c", table+"; more int r; still text s")),
		"another keyspace, and more columns",
	)
	for change, want := range map[string]string{
		"k int p=>k bigint p":                           `column "k" is int in a.t, and bigint in c.t`,
		"l text p; =>":                                  `the partition key of a.t has 2 columns, and that of c.t has 1`,
		"e text d=>e text d; g int c":                   `the clustering of a.t has 2 columns, and that of c.t has 3`,
		"k int p; l text p=>l text p; k int p":          `column "k" has another place in the key of a.t than in that of c.t`,
		"e text d=>e text c":                            `column "e" is in another order, ascending or descending, in a.t than in c.t`,
		"e text d=>g text d":                            `a.t has a column "e", and c.t has not`,
		"s text s=>s text r":                            `column "s" is static in a.t, and a regular column in c.t`,
		"; s text s=>":                                  `a.t has a column "s", and c.t has not`,
		"v list<int> r=>v set<int> r":                   `column "v" is list<int> in a.t, and set<int> in c.t`,
		"v list<int> r=>v list<bigint> r":               `column "v" is list<int> in a.t, and list<bigint> in c.t`,
		"v list<int> r=>v frozen<list<int>> r":          `column "v" is list<int> in a.t, and frozen<list<int>> in c.t`,
		"f frozen<list<int>> r=>f list<int> r":          `column "f" is frozen<list<int>> in a.t, and list<int> in c.t`,
		"v list<int> r; =>v list<int> r; n counter r; ": `counters are not cloned: `,
	} {
		was, is, _ := strings.Cut(change, "=>")
		require.Contains(t, table, was)
		err := agreeOn(from, declared(t, "c", strings.Replace(table, was, is, 1)))
		require.ErrorContains(t, err, want, change)
	}
	require.EqualError(
		t,
		agreeOn(from, declared(t, "b", table)),
		`column "u" is addr (street text, zip int) in a.t, and addr (street text, zip int, city text) in b.t`,
	)
}

// cloned is a clone of a table a.t to c.t in the same cluster.
func cloned(t *testing.T) *Clone {
	t.Helper()
	const columns = "k int p; v int r"
	cluster := &topology.Cluster{Nodes: []topology.Node{{ID: "one"}}}
	from := &files.Source{
		Table: &table.Table{
			Session: &driver.Session{},
			Schema:  declared(t, "a", columns),
			Cluster: cluster,
		},
		Files: &files.Files{Merged: &reconcile.Table{}},
	}
	c := &Clone{from: from}
	c.t = &table.Table{Schema: declared(t, "c", columns), Cluster: cluster}
	from.Schema.ID, c.t.Schema.ID = "1", "2"
	return c
}

// A table is not cloned to itself, nor where what it has would not be seen.
func TestCloneIsRefused(t *testing.T) {
	c := cloned(t)
	c.from.Dropped = []reconcile.Dropped{{Name: "v", Time: 5}, {Name: "gone", Time: 7}}
	c.t.Dropped = []reconcile.Dropped{{Name: "v", Time: 4}, {Name: "never", Time: 9}}
	require.NoError(t, c.agree())
	require.Equal(
		t,
		[]reconcile.Dropped{{Name: "v", Time: 5}, {Name: "gone", Time: reconcile.Forever}},
		c.from.Files.Merged.Dropped,
		"what was dropped there is left out, and what is not there again with all its cells",
	)
	require.Equal(t, token.Murmur3, c.from.Files.Merged.Partitioner)

	c = cloned(t)
	c.t.Schema.ID = c.from.Schema.ID
	require.EqualError(t, c.agree(), "c.t would be cloned to itself")
	c.t.Cluster = &topology.Cluster{Nodes: []topology.Node{{ID: "another"}}}
	require.NoError(t, c.agree(), "a table of that id in another cluster")

	c = cloned(t)
	c.t.Dropped = []reconcile.Dropped{{Name: "v", Time: 5}}
	require.ErrorContains(t, c.agree(), `column "v" of c.t was dropped at 5`)

	c = cloned(t)
	c.from.KnownOptions.IsView = true
	require.ErrorContains(t, c.agree(), "a.t is a materialized view")
}

// An SSTable in a folder that has other columns than the table is named before anything is sent.
func TestClonedFilesAreOfTheTable(t *testing.T) {
	c := cloned(t)
	file, err := sstables.Open(
		"../../pkg/sstable/testdata/golden/files/nb_lz4",
		component.Descriptor{Version: component.NB, ID: "1"},
	)
	require.NoError(t, err)
	defer func() { require.NoError(t, file.Close()) }()
	c.from.Files.Whole = []sstables.File{file}
	require.ErrorContains(t, c.agree(), file.Path()+": ")
}

// Ranges that one fetch returns are delivered together. Of folders, a slice has enough that few
// SSTables result. Ranges come in the order of the ring.
func TestSlicesOfAClone(t *testing.T) {
	whole := token.Whole(token.Murmur3)
	a, b, _ := token.Halve(whole)
	c := &Clone{
		delivery: &delivery.Delivery{Setup: &delivery.Setup{}},
		from: &files.Source{
			Table: &table.Table{Plan: &plan.Plan{Splits: []token.Split{{Range: b}, {Range: a}}}},
			Files: &files.Files{},
		},
	}
	placed := func() *token.Placement {
		ring, err := token.NewRing(
			token.Murmur3,
			[]token.Node{{ID: "one", DC: "dc1", Rack: "r1", Tokens: []token.Token{{Lo: 1}}}},
		)
		require.NoError(t, err)
		strategy, err := token.ParseStrategy(
			map[string]string{"class": "SimpleStrategy", "replication_factor": "1"},
		)
		require.NoError(t, err)
		return ring.Place(strategy)
	}
	c.delivery.Setup.Options.Placement, c.delivery.Setup.Options.Nodes = placed(), []string{"one"}
	slices := func() (all [][]token.Range) {
		for ranges, err := range c.slices(t.Context(), nil) {
			require.NoError(t, err)
			all = append(all, ranges)
		}
		return all
	}
	require.Equal(t, [][]token.Range{{a, b}}, slices())
	c.from.Files.Bytes = c.delivery.Setup.Options.DefaultSlice()
	require.Equal(t, [][]token.Range{{a}, {b}}, slices())
	c.from.Files.Pieces = sstables.FetchPieces(
		t.Context(),
		[]sstables.Piece{{Ranges: []token.Range{b, a}}},
		0,
		func(context.Context, sstables.Piece, int64) (sstables.Fetched, error) { return sstables.Fetched{}, nil },
	)
	require.Equal(t, [][]token.Range{{a, b}}, slices())
	require.NoError(t, c.from.Files.Pieces.Close())
	c.from.Files.Pieces, c.from.Plan.Splits = nil, nil
	require.Empty(t, slices())
}
