package operation

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/run"
	"github.com/cqlbulk/cqlbulk/internal/spec"
	"github.com/cqlbulk/cqlbulk/internal/test/internodetest"
	"github.com/cqlbulk/cqlbulk/internal/test/simcluster"
)

// Where nodes do not say which of them join, a load by streaming does not begin, and names what has
// it begin.
func TestRingThatCannotBeKnown(t *testing.T) {
	s := openShopOn(
		t,
		simcluster.Options{Cores: 1, Release: "4.0.19", Storage: func(int, *internodetest.Node) {}},
	)
	settings := s.load(t, "customer,number,pieces\nann,1,3\n")
	settings.Via, settings.Listen = spec.ViaStream, "192.0.2.1:7099" // which this machine does not have
	_, err := PrepareLoad(t.Context(), s.env, *settings)
	require.ErrorContains(t, err, "it cannot be known whether nodes join, leave or move")
	require.ErrorContains(t, err, "--assume-stable")
	settings = s.load(t, "customer,number,pieces\nann,1,3\n")
	settings.Via, settings.Listen, settings.AssumeStable = spec.ViaStream, "192.0.2.1:7099", true
	report, err := s.runLoad(t, settings)
	require.NoError(t, err)
	require.Equal(t, run.Done, report.Outcome)
}

// While a node joins, no SSTables are written, even if its tokens are not known. They may be
// imported before the node has copied its rows, or later.
func TestNoFilesWhileANodeJoins(t *testing.T) {
	s := openShopOn(t, simcluster.Options{Cores: 1, Storage: func(int, *internodetest.Node) {}})
	change, err := s.cluster.BeginJoin("", "")
	require.NoError(t, err)
	change.AnnounceAll()
	settings := s.load(t, "customer,number,pieces\nann,1,3\n")
	settings.Via, settings.Dir = spec.ViaFiles, "files"
	_, err = PrepareLoad(t.Context(), s.env, *settings)
	require.ErrorContains(t, err, "a node is joining")
	require.ErrorContains(t, err, "begin when the change has ended")
	settings.AssumeStable = true
	report, err := s.runLoad(t, settings)
	require.NoError(t, err)
	require.Equal(t, run.Done, report.Outcome)
}
