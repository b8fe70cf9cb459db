package chaos

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/test/simcluster"
)

// newUnreplicated returns a cluster of three nodes; each row is on one of them only.
func newUnreplicated(t *testing.T, rows int) *small {
	c, err := simcluster.Start(
		simcluster.Options{Base: simcluster.Anywhere, Factor: 1, Release: release, Rows: rows},
	)
	require.NoError(t, err)
	t.Cleanup(c.Close)
	return &small{T: t, Cluster: c, dir: t.TempDir()}
}

// impatient are options of a run that is not to wait for long.
var impatient = []string{"--patience", "2s", "--maxattempts", "3", "--splits", "30"}

// If a node of a table is down, everything else is read, and the ranges of that node are listed,
// with exit status 2. It does not matter whether the reading of the others takes longer than the
// patience with a silent cluster. A retry ends in the same way until the node is back.
func TestRangesOfADeadNode(t *testing.T) {
	for name, speed := range map[string][]string{"fast": nil, "slow": {"--rate", "150", "--pagesize", "10"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newUnreplicated(t, 600)
			s.Inject(simcluster.Rule{Match: reads, Skip: 5, Times: 1, Do: func() { s.Stop(1) }})
			args := append(
				append([]string{"scan", "ks.t", "-o", "out.csv", "--run-dir", "run"}, impatient...),
				speed...)
			says := s.run(2, "token ranges failed", args...)
			require.NotContains(t, says, "the cluster has answered no read")
			require.Contains(
				t,
				s.run(2, "there is no connection to it", "retry", "run", "--patience", "2s"),
				"token ranges failed",
			)
			require.NoFileExists(t, filepath.Join(s.dir, "out.csv"))
			s.run(
				2,
				"counted ",
				append(append([]string{"count", "ks.t"}, impatient...), speed...)...)

			require.NoError(t, s.Restart(1))
			s.run(0, "600 rows", "retry", "run")
			text, err := os.ReadFile(filepath.Join(s.dir, "out.csv"))
			require.NoError(t, err)
			require.Equal(t, 601, strings.Count(string(text), "\n"))
		})
	}
}

// If no node of a cluster answers, the run ends, and can be resumed.
func TestClusterThatIsGone(t *testing.T) {
	s := newUnreplicated(t, 6000)
	s.Inject(simcluster.Rule{Match: reads, Skip: 60, Times: 1, Do: func() {
		for node := range 3 {
			s.Stop(node)
		}
	}})
	s.run(
		4,
		"the cluster has answered no read for",
		append([]string{"scan", "ks.t", "-o", "out.csv", "--run-dir", "run"}, impatient...)...)
	for node := range 3 {
		require.NoError(t, s.Restart(node))
	}
	s.run(0, "6,000 rows", "resume", "run")
}

// Rows of a node that is down are rejected, and all others are written, with exit
// status 2; the summary names the node. When it is back a retry loads them.
func TestRowsOfADeadNode(t *testing.T) {
	s := newUnreplicated(t, 1)
	before := len(s.Records("ks.t"))
	var text strings.Builder
	text.WriteString("k,v\n")
	for k := range 9_000 {
		fmt.Fprintf(&text, "%d,%s\n", k, strings.Repeat("x", 100))
	}
	s.write("in.csv", text.String())
	s.Stop(1)
	says := s.run(
		2,
		"rows of theirs are rejected until they take one, all others are still written",
		"load",
		"ks.t",
		"in.csv",
		"--run-dir",
		"run",
		"--patience",
		"3s",
	)
	require.Contains(t, says, "node "+s.Hosts()[1])
	require.Contains(t, says, "9,000 read")
	there := len(s.Records("ks.t")) - before
	require.Greater(t, there, 4_500)
	require.Less(t, there, 7_500)

	require.NoError(t, s.Restart(1))
	s.run(0, "0 rejected", "retry", "run")
	require.Equal(t, before+9_000, len(s.Records("ks.t")))
}
