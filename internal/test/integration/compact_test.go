//go:build integration

package integration

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A table of COMPACT STORAGE is scanned, counted and loaded by CQL, without the columns that the
// servers hide, and is refused for streaming. After DROP COMPACT STORAGE it is a table like others,
// and its old SSTables are read as such.
func TestCompactStorage(t *testing.T) {
	t.Parallel()
	names := map[string]struct {
		body     string
		rows     []string
		after    string // the columns after DROP COMPACT STORAGE
		counters bool
	}{
		"compact_static": {
			"(k int PRIMARY KEY, v text, w int)",
			[]string{"k,v,w\n", "1,a,10\n", "2,b,\n", "3,,30\n"},
			"k,column1,v,w,value\n",
			false,
		},
		"compact_dense": {
			"(k int, c int, v text, PRIMARY KEY (k, c))",
			[]string{"k,c,v\n", "1,1,a\n", "1,2,b\n"},
			"k,c,v\n",
			false,
		},
		"compact_two": {
			"(k int, c int, d text, v text, PRIMARY KEY (k, c, d))",
			[]string{"k,c,d,v\n", "1,1,x,a\n", "1,1,y,b\n"},
			"k,c,d,v\n",
			false,
		},
		"compact_keys": {
			"(k int, c int, PRIMARY KEY (k, c))",
			[]string{"k,c\n", "1,1\n", "1,2\n"},
			"k,c,value\n",
			false,
		},
		"compact_counters": {
			"(k int PRIMARY KEY, n counter, m counter)",
			[]string{"k,m,n\n", "1,,5\n"},
			"k,column1,m,n,value\n",
			true,
		},
		"compact_counted": {
			"(k int, c int, n counter, PRIMARY KEY (k, c))",
			[]string{"k,c,n\n", "1,1,5\n"},
			"k,c,n\n",
			true,
		},
	}
	for name, of := range names {
		full := "it1." + name
		table(t, full, of.body+" WITH COMPACT STORAGE")
		in := file(t, name+".csv", strings.Join(of.rows, ""))
		ok(t, "load", full, in)
		require.Equal(
			t,
			sortedLines(t, strings.Join(of.rows, "")),
			sortedLines(t, ok(t, "scan", full).out),
			name,
		)
		require.Equal(t, fmt.Sprintln(len(of.rows)-1), ok(t, "count", full).out, name)
		ok(t, "scan", full, "--check")
		for _, words := range [][]string{{"scan", full, "--listen", anyPort}, {"count", full, "--listen", anyPort}, {"load", full, in}} {
			r := cqlbulk(t, append(words, "--via", "stream")...)
			require.Equal(t, 1, r.code, name)
			if !of.counters {
				require.Contains(t, r.report, "is a table of COMPACT STORAGE", name)
			}
		}
	}
	exec(
		t,
		"INSERT INTO it1.compact_two (k, c, v) VALUES (1, 2, 'half')",
	) // its column d is null, which no other table can have
	for _, n := range tablesOnDisk(t, "it1", "compact_static") {
		require.NoError(
			t,
			takeSnapshot(
				n.node,
				"compact",
				"it1.compact_static",
				"it1.compact_two",
				"it1.compact_keys",
			),
		)
	}
	for _, name := range []string{"compact_static", "compact_two", "compact_keys"} {
		var snapshots []string
		for _, n := range tablesOnDisk(t, "it1", name) {
			snapshots = append(snapshots, filepath.Join(n.folder, "snapshots/compact"))
		}
		read := append([]string{"it1." + name, "--via", "sstables"}, snapshots...)
		for _, words := range [][]string{append([]string{"scan"}, read...), append([]string{"clone", "it1." + name}, snapshots...)} {
			r := cqlbulk(t, words...)
			require.Equal(t, 1, r.code, name)
			require.Contains(t, r.report, "is a table of COMPACT STORAGE", name)
		}
		exec(t, "ALTER TABLE it1."+name+" DROP COMPACT STORAGE")
		all := ok(t, "scan", "it1."+name).out
		require.Contains(t, all, names[name].after)
		want := scannedLines(t, "it1."+name)
		require.Equal(t, want, scannedLines(t, read...), name)
		require.Equal(
			t,
			want,
			scannedLines(t, "it1."+name, "--via", "stream", "--listen", anyPort),
			name,
		)
	}
}
