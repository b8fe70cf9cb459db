//go:build integration

package integration

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Lists that are appended to with one timestamp have all elements, in the order of the input, as by
// UPDATE ... SET l = l + [...].
func TestStreamedAppendOfOneTimestamp(t *testing.T) {
	t.Parallel()
	table(t, "it2.appended", "(k int PRIMARY KEY, l list<int>)")
	exec(t, "UPDATE it2.appended USING TIMESTAMP 1700000000000000 SET l = l + [-1] WHERE k = 0")
	var in strings.Builder
	in.WriteString("k,l\n")
	want := [2][]int{{-1}}
	for i := range 3000 {
		fmt.Fprintf(&in, "%d,\"[%d,%d]\"\n", i%2, i, i)
		want[i%2] = append(want[i%2], i, i)
	}
	ok(
		t,
		"load",
		"it2.appended",
		file(t, "in.csv", in.String()),
		"--via",
		"stream",
		"--append-collections",
		"--timestamp",
		"1700000000000000",
	)
	for k := range want {
		var got struct{ L []int }
		out := ok(
			t,
			"scan",
			"it2.appended",
			"--where",
			fmt.Sprintf("k = %d", k),
			"--format",
			"json",
		).out
		require.NoError(t, json.Unmarshal([]byte(out), &got), out)
		require.Equal(t, want[k], got.L)
	}
}

// Rejects whose number changed have lost their timestamps, so that lists would be appended to once
// more: they are not loaded a second time. Those that kept them may be.
func TestStreamedAppendOfRejectsOnce(t *testing.T) {
	t.Parallel()
	table(t, "it2.appended_again", "(k int PRIMARY KEY, n int, l list<int>)")
	dir := t.TempDir() + "/run"
	r := cqlbulk(
		t,
		"load",
		"it2.appended_again",
		file(t, "in.csv", "k,n,l\n1,x,\"[1,2]\"\n2,x,[3]\n3,4,[5]\n"),
		"--via",
		"stream",
		"--append-collections",
		"--run-dir",
		dir,
	)
	require.Equal(t, 2, r.code, r.report)
	rejects := dir + "/rejects.csv"
	mended := strings.ReplaceAll(read(t, rejects), ",x,", ",7,")
	require.NoError(t, os.WriteFile(rejects, []byte(mended), 0o600))
	ok(t, "retry", dir)
	ok(t, "retry", dir)
	lines := strings.SplitAfter(mended, "\n")
	require.NoError(t, os.WriteFile(rejects, []byte(lines[0]+lines[1]), 0o600))
	wrong(t, 1, "what was rejected was loaded again before", "retry", dir)
	got := sortedLines(t, ok(t, "scan", "it2.appended_again").out)
	require.Equal(t, []string{"k,l,n", `1,"[1, 2]",7`, "2,[3],7", "3,[5],4"}, got)
}

// What a row of static columns alone has besides, nulls that delete, has no row to go to.
func TestStreamedNullsOfStaticRows(t *testing.T) {
	t.Parallel()
	in := file(t, "in.csv", "k,c,s,v\n1,,alone,\n2,1,both,x\n")
	var got []string
	for _, via := range []string{"cql", "stream"} {
		table(t, "it2.static_"+via, "(k int, c int, s text static, v text, PRIMARY KEY (k, c))")
		ok(t, "load", "it2.static_"+via, in, "--via", via, "--nulls", "tombstone")
		got = append(got, strings.Join(sortedLines(t, ok(t, "scan", "it2.static_"+via).out), " "))
	}
	require.Equal(t, []string{"k,c,s,v 1,,alone, 2,1,both,x", "k,c,s,v 1,,alone, 2,1,both,x"}, got)
}

// Rows with values that an index does not take are rejected, as by CQL.
func TestStreamedValuesThatIndexesRefuse(t *testing.T) {
	t.Parallel()
	var in strings.Builder
	in.WriteString("k,v,m\n")
	for k, n := range []int{1, 65534, 65535, 70000} {
		fmt.Fprintf(&in, "%d,%s,\n", k, strings.Repeat("x", n))
	}
	fmt.Fprintf(
		&in,
		"10,a,\"{'a': '%s'}\"\n11,a,\"{'a': '%s'}\"\n",
		strings.Repeat("x", 65527),
		strings.Repeat("x", 65528),
	)
	values := file(t, "values.csv", in.String())
	for _, via := range []string{"cql", "stream"} {
		name := "it2.index_" + via
		table(t, name, "(k int PRIMARY KEY, v text, m map<text, text>)")
		exec(t, "CREATE INDEX ON "+name+" (v)", "CREATE INDEX ON "+name+" (entries(m))")
		require.Equal(
			t,
			2,
			cqlbulk(t, "load", name, values, "--via", via, "--run-dir", t.TempDir()+"/run").code,
		)
		require.Equal(
			t,
			[]string{"k", "0", "1", "10"},
			sortedLines(t, ok(t, "scan", name, "--columns", "k").out),
			via,
		)
	}
	if !atLeast(t, 5) {
		return // there are no vectors
	}
	vectors := file(
		t,
		"vectors.csv",
		"k,v,e\n1,\"[1,2]\",\"[0,0]\"\n2,\"[0,0]\",\n3,\"[NaN,2]\",\n4,\"[1,Infinity]\",\n5,,\"[NaN,0]\"\n6,\"[2e17,1]\",\n7,,\n",
	)
	const name = "it2.vectors" // by CQL a node fails such a write, and is asked again for long
	table(t, name, "(k int PRIMARY KEY, v vector<float, 2>, e vector<float, 2>)")
	exec(
		t,
		"CREATE INDEX ON "+name+" (v) USING 'sai'",
		"CREATE INDEX ON "+name+" (e) USING 'sai' WITH OPTIONS = {'similarity_function': 'euclidean'}",
	)
	require.Equal(
		t,
		2,
		cqlbulk(t, "load", name, vectors, "--via", "stream", "--run-dir", t.TempDir()+"/run").code,
	)
	require.Equal(
		t,
		[]string{"k", "1", "7"},
		sortedLines(t, ok(t, "scan", name, "--columns", "k").out),
	)
}

// A partition of large rows goes into a table with change capture, whose nodes write streamed rows
// as mutations.
func TestStreamedLargeRowsOfChangeCapture(t *testing.T) {
	t.Parallel()
	table(t, "it2.captured", "(k int, c int, v text, PRIMARY KEY (k, c)) WITH cdc = true")
	var in strings.Builder
	in.WriteString("k,c,v\n")
	for c := range 90 {
		fmt.Fprintf(&in, "1,%d,%s\n", c, strings.Repeat(string(rune('a'+c%26)), 200_000))
	}
	r := ok(t, "load", "it2.captured", file(t, "in.csv", in.String()), "--via", "stream")
	require.Regexp(
		t,
		`streamed .* 1 partition, 4 entire SSTables, on 2 nodes`,
		r.report,
		"two on each",
	)
	require.Equal(t, "90\n", ok(t, "count", "it2.captured").out)
}
