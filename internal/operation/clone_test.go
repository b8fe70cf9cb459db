package operation

import (
	"context"
	"fmt"
	"maps"
	"net"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/run"
	"github.com/cqlbulk/cqlbulk/internal/spec"
	"github.com/cqlbulk/cqlbulk/internal/test/internodetest"
	"github.com/cqlbulk/cqlbulk/internal/test/simcluster"
)

// clone is the spec of a clone of shop.orders to shop.copies, out of the nodes.
func (s *shop) clone() *spec.Clone {
	settings := spec.NewClone()
	settings.Connection, settings.Consistency = s.connection, spec.CloneConsistency
	settings.TableName = spec.TableName{Keyspace: "shop", Table: "copies"}
	settings.From.Hosts, settings.From.Port = s.connection.Hosts, s.connection.Port
	settings.From.TableName = orders
	settings.From.Listen = net.JoinHostPort("127.0.0.1", "0")
	return settings
}

// runClone prepares a clone and runs it.
func (s *shop) runClone(ctx context.Context, settings *spec.Clone) (CloneReport, error) {
	c, err := PrepareClone(ctx, s.env, *settings)
	if err != nil {
		return CloneReport{}, err
	}
	defer c.Close()
	return c.Run(ctx)
}

// If a node does not report its storage port, the error names the flag for the node's cluster.
func TestCloneOfNodesThatTellNoStoragePort(t *testing.T) {
	s := openShopOn(t, simcluster.Options{Cores: 1, StoragePort: -1})
	_, err := s.runClone(t.Context(), s.clone())
	require.ErrorContains(t, err, "what is cloned: --from-hosts: node ")
	require.ErrorContains(
		t,
		err,
		" does not report its storage port: name it with --from-storage-port",
	)

	settings := spec.NewScan()
	settings.Connection, settings.TableName = s.connection, orders
	settings.Path, settings.Via = "out.csv", spec.ViaStream
	_, err = PrepareScan(t.Context(), s.env, *settings)
	require.ErrorContains(t, err, "--via stream: node ")
	require.ErrorContains(t, err, " does not report its storage port: name it with --storage-port")
	load := s.load(t, "")
	load.Via = spec.ViaStream
	_, err = PrepareLoad(t.Context(), s.env, *load)
	require.ErrorContains(t, err, "--via stream: node ")
	require.ErrorContains(t, err, " does not report its storage port: name it with --storage-port")
}

// A table is streamed out of its nodes and to those of another one, slice by slice, and a row that
// is newer there stays.
func TestCloneOfATableOfACluster(t *testing.T) {
	s := openShopOn(t, simcluster.Options{Cores: 1, Storage: func(int, *internodetest.Node) {}})
	var in strings.Builder
	in.WriteString("customer,number,pieces\n")
	for i := range 2000 {
		fmt.Fprintf(&in, "customer %d,%d,%d\n", i%300, i, i*7)
	}
	settings := s.load(t, in.String())
	settings.Timestamp, settings.NoJournal = "1700000000000000", true
	_, err := s.runLoad(t, settings)
	require.NoError(t, err)
	newer := s.load(t, "customer,number,pieces\ncustomer 7,7,-1\ncustomer 7,9999,-2\n")
	newer.TableName.Table, newer.Timestamp, newer.NoJournal = "copies", "1700000000000001", true
	_, err = s.runLoad(t, newer)
	require.NoError(t, err)

	records := func(table string) map[string]simcluster.Record {
		all := make(map[string]simcluster.Record)
		for _, r := range s.cluster.Records("shop." + table) {
			all[fmt.Sprintf("%s %x", r.Cells[0].Value, r.Cells[1].Value)] = r
		}
		return all
	}
	want := records("orders")
	require.Len(t, want, 2000)
	before := records("copies")
	require.Len(t, before, 2)

	dry := s.clone()
	dry.DryRun = true
	r, err := s.runClone(t.Context(), dry)
	require.NoError(t, err)
	require.EqualValues(t, 2000, r.Rows)
	require.Equal(t, before, records("copies"))

	for range 2 { // once more changes nothing
		r, err = s.runClone(t.Context(), s.clone())
		require.NoError(t, err)
		require.Equal(t, run.Done, r.Outcome)
		require.EqualValues(t, 2000, r.Rows)
		require.EqualValues(t, 300, r.Stream.Partitions)
		require.Equal(t, spec.CloneConsistency, r.Consistency)
		require.Equal(t, "shop.copies", r.Table)
		maps.Copy(want, before)
		require.Equal(t, want, records("copies"), "each with the time that it had")
	}

	self := s.clone()
	self.TableName = orders
	_, err = s.runClone(t.Context(), self)
	require.EqualError(t, err, "shop.orders would be cloned to itself")
}

// A dry run foretells the form that the nodes are then sent, and how many files of it.
func TestCloneDryRunForetellsTheRun(t *testing.T) {
	s := openShopOn(t, simcluster.Options{Cores: 1, Storage: func(int, *internodetest.Node) {}})
	load := s.load(t, "customer,number,pieces\nann,1,2\nbob,2,3\ncyd,3,4\ndot,4,5\n")
	load.NoJournal = true
	_, err := s.runLoad(t, load)
	require.NoError(t, err)
	for _, form := range []struct {
		via, stream string
		whole       bool
	}{
		{spec.ViaStream, spec.StreamAuto, true},
		{spec.ViaStream, spec.StreamWhole, true},
		{spec.ViaStream, spec.StreamRows, false},
		{spec.ViaFiles, spec.StreamAuto, true},
	} {
		settings := s.clone()
		settings.Writing.Via, settings.Stream = form.via, form.stream
		if form.via == spec.ViaFiles {
			settings.Dir = filepath.Join(t.TempDir(), "kept")
		}
		cloned := func(dry bool) StreamStats {
			settings.DryRun = dry
			r, err := s.runClone(t.Context(), settings)
			require.NoError(t, err, form)
			for i := range r.Stream.Nodes {
				r.Stream.Nodes[i].Time = 0
				slices.Sort(r.Stream.Nodes[i].Sizes)
			}
			if !form.whole { // rows are compressed on their way, with heads before them
				require.Positive(t, r.Stream.Bytes)
				r.Stream.Bytes = 0
			}
			return r.Stream
		}
		foretold := cloned(true)
		require.Equal(t, form.whole, foretold.Whole, form)
		require.Equal(t, cloned(false), foretold, form)
	}
}
