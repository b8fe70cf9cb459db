package simcluster_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/internode"
	"github.com/cqlbulk/cqlbulk/internal/test/internodetest"
	"github.com/cqlbulk/cqlbulk/internal/test/simcluster"
	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
	"github.com/cqlbulk/cqlbulk/pkg/reconcile"
	"github.com/cqlbulk/cqlbulk/pkg/sstable"
	"github.com/cqlbulk/cqlbulk/pkg/sstable/component"
	"github.com/cqlbulk/cqlbulk/pkg/sstable/tablefile"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// streamable is a codec for a table of a cluster, and an Inserter on all of its columns.
func streamable(t *testing.T, columns []simcluster.Column) (*sstable.Codec, *sstable.Inserter) {
	t.Helper()
	var table sstable.Table
	var names []string
	for _, c := range columns {
		typ, err := cqltype.Parse(c.Type, nil)
		require.NoError(t, err)
		list := map[simcluster.Kind]*[]sstable.Column{
			simcluster.PartitionKey: &table.Key, simcluster.Clustering: &table.Clustering,
			simcluster.Static: &table.Statics, simcluster.Regular: &table.Regulars,
		}[c.Kind]
		*list = append(*list, sstable.Column{Name: c.Name, Type: typ, Desc: c.Desc})
		names = append(names, c.Name)
	}
	schema, err := sstable.Plan(&table)
	require.NoError(t, err)
	codec, err := sstable.NewCodec(
		schema,
		component.NB,
		sstable.Minima{Timestamp: 1000, Time: 1442880000},
	)
	require.NoError(t, err)
	in, err := sstable.NewInserter(codec, names, sstable.InsertOptions{})
	require.NoError(t, err)
	return codec, in
}

// partitions is what writers of partitions have in common.
type partitions interface {
	Begin(key []byte, d sstable.Deletion) error
	Static(encoded []byte) error
	Row(encoded []byte) error
	End() error
}

// writePartitions writes the records of a table, but for those whose token is left out.
func writePartitions(
	t *testing.T,
	codec *sstable.Codec,
	in *sstable.Inserter,
	records []simcluster.Record,
	wanted func(token.Token) bool,
	w partitions,
) (keys int64, first []byte) {
	t.Helper()
	var last []byte
	for i, r := range records {
		if !wanted(r.Token) {
			continue
		}
		insert := sstable.Insert{Timestamp: 2000 + int64(i), Now: 1500000000}
		for _, c := range r.Cells {
			v := sstable.Value{Bytes: c.Value, State: sstable.Set}
			if c.Value == nil {
				v.State = sstable.Unset
			}
			insert.Values = append(insert.Values, v)
		}
		key, err := in.AppendKey(nil, insert.Values)
		require.NoError(t, err)
		static, row, err := in.Insert(insert)
		require.NoError(t, err)
		if !bytes.Equal(key, last) {
			if last != nil {
				require.NoError(t, w.End())
			}
			require.NoError(t, w.Begin(key, sstable.Deletion{}))
			if last == nil {
				first = key
			}
			last = key
			keys++
			if static != nil {
				encoded, err := codec.AppendRow(nil, static)
				require.NoError(t, err)
				require.NoError(t, w.Static(encoded))
			}
		}
		encoded, err := codec.AppendRow(nil, row)
		require.NoError(t, err)
		require.NoError(t, w.Row(encoded))
	}
	require.NoError(t, w.End())
	return keys, first
}

// fileOfRows makes a file that is streamed row by row.
func fileOfRows(
	t *testing.T,
	codec *sstable.Codec,
	in *sstable.Inserter,
	records []simcluster.Record,
	wanted func(token.Token) bool,
) internode.File {
	t.Helper()
	var plain bytes.Buffer
	w, err := sstable.NewPartitionWriter(codec, &plain, nil)
	require.NoError(t, err)
	keys, _ := writePartitions(t, codec, in, records, wanted, w)
	require.NoError(t, w.Flush())
	return internode.File{
		Keys:   keys,
		Header: codec.AppendHeader(nil),
		Length: int64(plain.Len()),
		Open: func() (io.ReadCloser, error) {
			return io.NopCloser(bytes.NewReader(plain.Bytes())), nil
		},
	}
}

// fileOfWhole makes an entire SSTable.
func fileOfWhole(
	t *testing.T,
	codec *sstable.Codec,
	in *sstable.Inserter,
	records []simcluster.Record,
	wanted func(token.Token) bool,
) internode.File {
	t.Helper()
	dir := t.TempDir()
	w, err := tablefile.Create(
		&tablefile.FolderOutput{Path: dir},
		codec,
		tablefile.Options{ID: "7", Keys: 30, FilterChance: 0.01, IndexInterval: 128},
	)
	require.NoError(t, err)
	keys, first := writePartitions(t, codec, in, records, wanted, w)
	written, err := w.Commit()
	require.NoError(t, err)
	whole := &internode.Whole{Version: "nb", FirstKey: first}
	for kind, size := range written.Sizes {
		if kind == component.TOCTxt {
			continue
		}
		whole.Components = append(whole.Components, internode.Component{
			Name: string(kind),
			Size: size,
			Open: func() (io.ReadCloser, error) { return os.Open(dir + "/" + written.Name(kind)) },
		})
	}
	return internode.File{Keys: keys, Header: codec.AppendHeader(nil), Whole: whole}
}

// Each replica gets its partitions, and the table then holds the rows.
func TestRowsStreamedIn(t *testing.T) {
	source := launch(t, simcluster.Options{Seed: 1, Tables: []simcluster.Table{wide}})
	records, columns := source.Records("ks.wide"), source.Columns("ks.wide")
	codec, in := streamable(t, columns)
	empty := wide
	empty.Partitions, empty.Largest = 0, 0
	type maker = func(
		*testing.T, *sstable.Codec, *sstable.Inserter, []simcluster.Record, func(token.Token) bool,
	) internode.File
	for name, file := range map[string]maker{
		"row by row": fileOfRows, "whole": fileOfWhole,
	} {
		t.Run(name, func(t *testing.T) {
			c := launch(
				t,
				simcluster.Options{
					Seed:    2,
					Tables:  []simcluster.Table{empty},
					Storage: func(int, *internodetest.Node) {},
				},
			)
			var client internode.Client
			held := map[token.Token]int{}
			for node := range c.Hosts() {
				f := file(
					t,
					codec,
					in,
					records,
					func(at token.Token) bool { return holds(c, node, at) },
				)
				f.Table = c.TableID("ks.wide")
				_, err := client.Stream(
					t.Context(),
					storage(c, node),
					[]internode.File{f},
					internode.Watch{},
				)
				require.NoError(t, err)
			}
			require.Equal(t, values(records), values(c.Records("ks.wide")))
			for _, s := range c.Streams() {
				for _, at := range s.Partitions {
					require.True(t, holds(c, s.Node, at))
					held[at]++
				}
			}
			require.Len(t, held, 30)
			for at, n := range held {
				require.Equal(t, 2, n, "replicas of %v", at)
			}
		})
	}
}

// Each node brings what it is a replica of, of the ranges that it is asked for, and the values are
// those of the table.
func TestRowsStreamedOut(t *testing.T) {
	simple := simcluster.Table{
		Name:       "simple",
		Partitions: 30,
		Rows:       4,
		Nulls:      0.3,
		Columns: []simcluster.Column{
			{
				Name: "p",
				Kind: simcluster.PartitionKey,
				Type: "text",
			},
			{Name: "q", Kind: simcluster.PartitionKey, Type: "int"},
			{
				Name: "c",
				Kind: simcluster.Clustering,
				Type: "int",
				Desc: true,
			},
			{Name: "s", Kind: simcluster.Static, Type: "blob"},
			{Name: "a", Type: "text"},
			{Name: "b", Type: "bigint"},
		},
	}
	c := launch(
		t,
		simcluster.Options{
			Seed:    1,
			Tables:  []simcluster.Table{simple, wide},
			Storage: func(int, *internodetest.Node) {},
		},
	)
	l, err := internode.Listen("127.0.0.1:0", nil)
	require.NoError(t, err)
	defer l.Close()
	var client internode.Client
	low, high, _ := token.Halve(token.Whole(token.Murmur3))
	for node := range c.Hosts() {
		require.NoError(t, client.CheckReach(t.Context(), storage(c, node), l))
		for _, within := range []token.Range{low, high} {
			var want, got [][][]byte
			for _, r := range c.Records("ks.simple") {
				if within.Contains(r.Token) && holds(c, node, r.Token) {
					want = append(want, values([]simcluster.Record{r})...)
				}
			}
			request := internode.Request{
				Keyspace: "ks",
				Table:    "simple",
				Ranges:   []token.Range{within},
			}
			fetched, err := client.Fetch(
				t.Context(),
				storage(c, node),
				l,
				request,
				func(_ context.Context, d *internode.Delivery) error {
					require.Equal(t, c.TableID("ks.simple"), d.Table)
					codec, err := sstable.ReadCodec(d.Header, component.NB)
					if err == nil {
						got, err = rowsOf(codec, d.Body)
					}
					return err
				},
			)
			require.NoError(t, err)
			require.Equal(t, 1, fetched.Files)
			require.Equal(t, want, got)
		}
	}
	for _, name := range []string{"wide", "none"} {
		_, err = client.Fetch(
			t.Context(),
			storage(c, 0),
			l,
			internode.Request{Keyspace: "ks", Table: name, Ranges: []token.Range{low}},
			internode.Discard,
		)
		require.Equal(t, internode.Failed, internode.KindOf(err), "%v", err)
	}
}

// rowsOf are the cells of all rows of a file, in the order of SELECT *.
func rowsOf(codec *sstable.Codec, in io.Reader) (all [][][]byte, err error) {
	schema := codec.Schema()
	merger, err := reconcile.NewMerger(
		&reconcile.Table{Schema: schema},
		[]reconcile.Input{
			{Source: sstable.NewDecoder(codec, in, sstable.MaxRowBytes), Schema: schema},
		},
	)
	if err != nil {
		return nil, err
	}
	var selection []reconcile.Selector
	of := schema.Table()
	for kind, columns := range [][]sstable.Column{of.Key, of.Clustering, of.Statics, of.Regulars} {
		for i, c := range columns {
			selection = append(
				selection,
				reconcile.Selector{Kind: reconcile.Kind(kind), Index: i, Name: c.Name},
			)
		}
	}
	rows, err := reconcile.NewRows(merger, selection, 0)
	if err != nil {
		return nil, err
	}
	for {
		if err = rows.Next(); errors.Is(err, io.EOF) {
			return all, nil
		} else if err != nil {
			return nil, err
		}
		var row [][]byte
		for _, c := range rows.Cells() {
			row = append(row, bytes.Clone(c))
		}
		all = append(all, row)
	}
}

func holds(c *simcluster.Cluster, node int, at token.Token) bool {
	return slices.ContainsFunc(
		c.Replicas(at),
		func(r simcluster.Replica) bool { return r.Node == node },
	)
}

func storage(c *simcluster.Cluster, node int) string {
	return net.JoinHostPort(c.Hosts()[node], "7000")
}

// A node fails a session with partitions of others, and keeps nothing of it.
func TestForeignRowsAreNotTaken(t *testing.T) {
	source := launch(t, simcluster.Options{Seed: 1, Tables: []simcluster.Table{wide}})
	codec, in := streamable(t, source.Columns("ks.wide"))
	empty := wide
	empty.Partitions, empty.Largest = 0, 0
	c := launch(
		t,
		simcluster.Options{
			Seed:    2,
			Tables:  []simcluster.Table{empty},
			Storage: func(int, *internodetest.Node) {},
		},
	)
	f := fileOfRows(t, codec, in, source.Records("ks.wide"), func(token.Token) bool { return true })
	f.Table = c.TableID("ks.wide")
	var client internode.Client
	_, err := client.Stream(t.Context(), storage(c, 0), []internode.File{f}, internode.Watch{})
	require.Equal(t, internode.Failed, internode.KindOf(err), "%v", err)
	require.Empty(t, c.Streams())
	require.Empty(t, c.Records("ks.wide"))
}

// A node that is stopped has no storage port, and has one again when it is restarted.
func TestStoragePortOfANodeThatIsStopped(t *testing.T) {
	starts := make([]int, 3)
	c := launch(
		t,
		simcluster.Options{
			Rows:    1,
			Storage: func(node int, _ *internodetest.Node) { starts[node]++ },
		},
	)
	var client internode.Client
	_, err := client.Probe(t.Context(), storage(c, 1))
	require.NoError(t, err)
	c.Stop(1)
	_, err = client.Probe(t.Context(), storage(c, 1))
	require.Equal(t, internode.Unreachable, internode.KindOf(err), "%v", err)
	require.NoError(t, c.Restart(1))
	_, err = client.Probe(t.Context(), storage(c, 1))
	require.NoError(t, err)
	require.Equal(t, []int{1, 2, 1}, starts)
	c.Close()
	_, err = client.Probe(t.Context(), storage(c, 0))
	require.Equal(t, internode.Unreachable, internode.KindOf(err), "%v", err)
}
