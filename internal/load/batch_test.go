package load

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/row"
	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// row1 is a row of a size at a token.
func row1(set *Set, at uint64, size int) *parsed {
	return &parsed{Row: row.Row{Token: token.Token{Lo: at}}, set: set, size: size}
}

func TestCut(t *testing.T) {
	a, b := &Set{index: 0}, &Set{index: 1}
	limits := Limits{MaxRows: 4, Partitions: 2, Bytes: 100, PartitionBytes: 1000}
	for _, tc := range []struct {
		name string
		rows []*parsed
		want []int // rows of each batch
	}{
		{"one", []*parsed{row1(a, 1, 10)}, []int{1}},
		{"one larger than all bounds", []*parsed{row1(a, 1, 9999), row1(a, 1, 9999)}, []int{1, 1}},
		{"rows", []*parsed{row1(a, 1, 1), row1(a, 1, 1), row1(a, 1, 1), row1(a, 1, 1), row1(a, 1, 1)}, []int{4, 1}},
		{"one partition may be large", []*parsed{row1(a, 1, 400), row1(a, 1, 600), row1(a, 1, 1)}, []int{2, 1}},
		{"several may not", []*parsed{row1(a, 1, 60), row1(a, 2, 40), row1(a, 3, 1)}, []int{2, 1}},
		{"several, a byte too many", []*parsed{row1(a, 1, 60), row1(a, 2, 41)}, []int{1, 1}},
		{"a large partition takes no other in", []*parsed{row1(a, 1, 101), row1(a, 2, 1), row1(a, 3, 1)}, []int{1, 2}},
		{"partitions", []*parsed{row1(a, 1, 1), row1(a, 2, 1), row1(a, 3, 1)}, []int{2, 1}},
		{"replicas", []*parsed{row1(a, 1, 1), row1(b, 2, 1), row1(b, 2, 1)}, []int{1, 2}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var got []int
			for from := 0; from < len(tc.rows); {
				to := limits.cut(tc.rows, from)
				got = append(got, to-from)
				from = to
			}
			require.Equal(t, tc.want, got)
		})
	}
}

func TestCellSize(t *testing.T) {
	list := []byte{0, 0, 0, 2, 0, 0, 0, 1, 'a', 0, 0, 0, 1, 'b'}
	udt := &cqltype.Type{Kind: cqltype.UDT, Name: "u", FieldNames: []string{"a", "b", "c"}}
	frozen := *udt
	frozen.Frozen = true
	for _, tc := range []struct {
		typ  *cqltype.Type
		wire []byte
		want int
	}{
		{typed("x", schema.Regular, 0, "int").Type, []byte{0, 0, 0, 9}, cellOverhead + 4},
		{typed("x", schema.Regular, 0, "text").Type, nil, cellOverhead},
		{typed("x", schema.Regular, 0, "list<text>").Type, list, cellOverhead + len(list) + 2*elementOverhead},
		{typed("x", schema.Regular, 0, "frozen<list<text>>").Type, list, cellOverhead + len(list)},
		{typed("x", schema.Regular, 0, "set<text>").Type, []byte{0, 0, 0, 0}, cellOverhead + 4},
		{typed("x", schema.Regular, 0, "map<int, int>").Type, list, cellOverhead + len(list) + 2*elementOverhead},
		{udt, list, cellOverhead + len(list) + 3*elementOverhead},
		{&frozen, list, cellOverhead + len(list)},
	} {
		t.Run(tc.typ.String(), func(t *testing.T) { require.Equal(t, tc.want, shapeOf(tc.typ).size(tc.wire)) })
	}
}

// Rows of one partition that are near each other travel together, and are as
// many as the limits let them be.
func TestRowsOfAPartitionTravelTogether(t *testing.T) {
	var b strings.Builder
	b.WriteString("k,c,id\n")
	for i := range 400 {
		fmt.Fprintf(&b, "%d,%d,%d\n", i%4, i, i)
	}
	job, c, _ := newJob(t, events, b.String())
	c.router = ring(t, 3, 8)
	job.Router = c.router
	result := mustRun(t, job, c)
	require.Equal(t, Result{Tally: Tally{Read: 400, Written: 400}, Batches: 4}, counts(result))
	require.Equal(t, 100, c.biggest)
}

func TestCollectionsCountForTheBatch(t *testing.T) {
	var b strings.Builder
	b.WriteString("k,c,id,l\n")
	for i := range 300 {
		fmt.Fprintf(&b, "%d,0,%d,\"[%s1]\"\n", i, i, strings.Repeat("1, ", i%50))
	}
	job, c, _ := newJob(t, events, b.String())
	job.Limits.Partitions = 100
	c.limits = job.Limits
	mustRun(t, job, c)
}

func TestRouter(t *testing.T) {
	r := ring(t, 4, 16)
	hosts := map[string]*Set{}
	indexes := map[int]*Set{}
	rng := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		key := fmt.Append(nil, rng.Uint64())
		at, set := r.Route(key)
		require.Equal(t, token.Murmur3.Hash(key), at)
		require.Len(t, set.Hosts, 2)
		name := strings.Join(set.Hosts, " ")
		if hosts[name] == nil {
			hosts[name] = set
		}
		require.Same(t, hosts[name], set, "one set for %s", name)
		if indexes[set.index] == nil {
			indexes[set.index] = set
		}
		require.Same(t, indexes[set.index], set)
	}
	require.Greater(t, len(hosts), 4)

	none := NewRouter(nil, nil, nil)
	one, set := none.Route([]byte("a"))
	other, same := none.Route([]byte("b"))
	require.NotEqual(t, one, other)
	require.Same(t, set, same)
	require.Empty(t, set.Hosts)
}
