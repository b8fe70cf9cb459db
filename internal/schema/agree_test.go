package schema_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
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
	require.NoError(t, schema.Agree(from, declared(t, "a", table)))
	require.NoError(
		t,
		schema.Agree(from, declared(t, "c", table+"; more int r; still text s")),
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
		err := schema.Agree(from, declared(t, "c", strings.Replace(table, was, is, 1)))
		require.ErrorContains(t, err, want, change)
	}
	require.EqualError(
		t,
		schema.Agree(from, declared(t, "b", table)),
		`column "u" is addr (street text, zip int) in a.t, and addr (street text, zip int, city text) in b.t`,
	)
}
