//go:build integration

package integration

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/pkg/cqltext"
)

// A row that is streamed equals, to the bit, the one that an insert makes of the same input. Here
// it has values of all types, in clustering columns of both directions and in others. Sets and maps
// are in any order, with repeated elements.
func TestStreamedRowsAreThoseOfInserts(t *testing.T) {
	lengthy(t)
	t.Parallel()
	exec(t, "CREATE TYPE IF NOT EXISTS it1.order_pair (a int, b frozen<set<tinyint>>)")
	var body, key, order []string
	for i, typ := range orderColumns(t) {
		body = append(body, fmt.Sprintf("c%d %s, v%d %s", i, typ, i, typ))
		key = append(key, fmt.Sprintf("c%d", i))
		order = append(order, fmt.Sprintf("c%d %s", i, []string{"ASC", "DESC"}[i%2]))
	}
	body = append(
		body,
		"l list<text>, s set<decimal>, m map<decimal, frozen<set<inet>>>, u order_pair, d duration, t tuple<frozen<set<decimal>>, frozen<tuple<frozen<set<tinyint>>>>>",
		"k3 frozen<tuple<frozen<set<tinyint>>, int>>, st set<int> static",
	)
	ddl := fmt.Sprintf(
		"(k1 frozen<set<decimal>>, k2 int, %s, PRIMARY KEY ((k1, k2, k3), %s)) WITH CLUSTERING ORDER BY (%s)",
		strings.Join(body, ", "),
		strings.Join(key, ", "),
		strings.Join(order, ", "),
	)
	table(t, "it1.door_cql", ddl)
	table(t, "it1.door_stream", ddl)
	made, err := session.Table(t.Context(), "it1", "door_cql")
	require.NoError(t, err)

	r := rand.New(rand.NewPCG(5, 6))
	var in []byte
	in = append(in, strings.Join(made.Names(), ",")+"\n"...)
	for range 150 {
		for i, c := range made.Columns {
			codec, err := cqltext.Plan(c.Type)
			require.NoError(t, err)
			text, err := codec.AppendText(nil, randomValue(t, r, c.Type))
			require.NoError(t, err)
			end := map[bool]string{true: "\"\n", false: `",`}[i == len(made.Columns)-1]
			in = append(in, `"`+strings.ReplaceAll(string(text), `"`, `""`)+end...)
		}
	}
	path := file(t, "rows.csv", string(in))
	for _, door := range []string{"cql", "stream"} {
		r := ok(t, "load", "it1.door_"+door, path, "--via", door)
		require.Contains(t, r.report, "0 rejected")
	}
	want := rawRows(t, "it1", "door_cql")
	require.Len(t, want, 150)
	require.Equal(t, want, rawRows(t, "it1", "door_stream"))
}
