package stream

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/fault"
	"github.com/cqlbulk/cqlbulk/internal/pace"
	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/pkg/reconcile"
	"github.com/cqlbulk/cqlbulk/pkg/sstable"
	"github.com/cqlbulk/cqlbulk/pkg/sstable/component"
	"github.com/cqlbulk/cqlbulk/pkg/sstable/tablefile"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// golden is a table that Cassandra wrote, of pkg/sstable/testdata/golden, and the codec and the
// bytes of its Data.db.
func golden(t *testing.T, name string) (*schema.Table, *sstable.Codec, []byte) {
	t.Helper()
	folder := filepath.Join("../../../pkg/sstable/testdata/golden", name)
	b, err := os.ReadFile(filepath.Join(folder, "Statistics.db"))
	require.NoError(t, err)
	statistics, err := component.ParseStatistics(b, component.NB)
	require.NoError(t, err)
	codec, err := sstable.ReadCodec(statistics.Header, component.NB)
	require.NoError(t, err)
	data, err := os.ReadFile(filepath.Join(folder, "Data.db"))
	require.NoError(t, err)
	var columns []schema.Column
	add := func(kind schema.Kind, stored []sstable.Column) {
		for i, c := range stored {
			if c.Name == "" {
				c.Name = fmt.Sprintf("key%d_%d", kind, i)
			}
			columns = append(
				columns,
				schema.Column{Name: c.Name, Kind: kind, Position: i, Type: c.Type, Desc: c.Desc},
			)
		}
	}
	stored := codec.Schema().Table()
	add(schema.PartitionKey, stored.Key)
	add(schema.Clustering, stored.Clustering)
	add(schema.Static, stored.Statics)
	add(schema.Regular, stored.Regulars)
	return schema.New("demo", name, columns), codec, data
}

// within leaves out the partitions of other token ranges.
type within struct {
	sstable.Source
	r    token.Range
	fail func() error // asked at each item; nil: all is well
}

func (w *within) Next() (sstable.Item, error) {
	for wanted := false; ; {
		item, err := w.Source.Next()
		if err == nil && w.fail != nil {
			err = w.fail()
		}
		if err != nil {
			return item, err
		}
		if item != sstable.PartitionStart && !wanted {
			if w.r.Contains(token.Murmur3.Hash(w.Key())) {
				return item, nil
			}
			continue
		}
		if wanted = w.r.Contains(token.Murmur3.Hash(w.Key())); wanted {
			return item, nil
		}
	}
}

// opened is a function that is Partitions.
type opened func(ctx context.Context, within token.Range) (sstable.Source, func(), error)

func (o opened) Open(ctx context.Context, within token.Range) (sstable.Source, func(), error) {
	return o(ctx, within)
}

// texts writes down what is in partitions, a text for each of them by its key.
func texts(t *testing.T, from sstable.Source, s *sstable.Schema) map[string]string {
	t.Helper()
	all := make(map[string]string)
	var text strings.Builder
	deletion := func(d sstable.Deletion) string {
		if !d.Set {
			return "-"
		}
		return fmt.Sprintf("%d/%d", d.Timestamp, d.Time)
	}
	for {
		item, err := from.Next()
		if errors.Is(err, io.EOF) {
			return all
		}
		require.NoError(t, err)
		switch item {
		case sstable.PartitionStart:
			text.Reset()
			fmt.Fprintf(&text, "deleted %s\n", deletion(from.Deletion()))
		case sstable.RangeMarker:
			m := from.Marker()
			fmt.Fprintf(
				&text,
				"%d %x ends %s starts %s\n",
				m.Kind,
				m.Values,
				deletion(m.Ended),
				deletion(m.Started),
			)
		case sstable.PartitionEnd:
			key := fmt.Sprintf("%x", from.Key())
			_, twice := all[key]
			require.False(t, twice, "partition %s comes twice", key)
			all[key] = text.String()
		default:
			r := from.Row()
			columns := s.Table().Regulars
			if r.Static {
				columns = s.Table().Statics
			}
			fmt.Fprintf(
				&text,
				"row %v %x %+v deleted %s\n",
				r.Static,
				r.Clustering,
				r.Liveness,
				deletion(r.Deletion),
			)
			for _, d := range r.Deletions {
				if d.Set {
					fmt.Fprintf(
						&text,
						"  %s deleted %s\n",
						columns[d.Column].Name,
						deletion(d.Deletion),
					)
				}
			}
			for _, c := range r.Cells {
				fmt.Fprintf(
					&text,
					"  %s %d %d %d %d %x %x\n",
					columns[c.Column].Name,
					c.Kind,
					c.TTL,
					c.Timestamp,
					c.Time,
					c.Path,
					c.Value,
				)
			}
		}
	}
}

// copies are nodes that take files as they come.
type copies struct {
	t    *testing.T
	fail func(node string) error

	mu    sync.Mutex
	nodes map[string]map[string]string // texts by key, by node
	files int
}

// Send is a method of Sender.
func (c *copies) Send(_ context.Context, node string, f File) error {
	if c.fail != nil {
		if err := c.fail(node); err != nil {
			return err
		}
	}
	codec, err := sstable.ReadCodec(f.Header, component.NB)
	require.NoError(c.t, err)
	var all map[string]string
	if f.Whole == nil {
		all = texts(
			c.t,
			sstable.NewDecoder(codec, io.LimitReader(f.Open(), f.Bytes), sstable.MaxRowBytes),
			codec.Schema(),
		)
	} else {
		table, err := tablefile.Open(tablefile.Folder(f.Whole.folder, f.Whole.Descriptor))
		require.NoError(c.t, err)
		defer table.Close()
		d, err := table.Within([]token.Range{token.Whole(token.Murmur3)})
		require.NoError(c.t, err)
		all = texts(c.t, d, codec.Schema())
	}
	require.EqualValues(c.t, f.Keys, len(all))
	c.mu.Lock()
	defer c.mu.Unlock()
	c.files++
	if c.nodes[node] == nil {
		c.nodes[node] = make(map[string]string)
	}
	for key, text := range all {
		_, twice := c.nodes[node][key]
		require.False(c.t, twice, "partition %s comes twice", key)
		c.nodes[node][key] = text
	}
	return nil
}

// newCopier makes a copier of a table to three nodes, with two replicas of each range.
func newCopier(t *testing.T, table *schema.Table, set func(*Options)) (*Copier, *copies) {
	t.Helper()
	to := &copies{t: t, nodes: make(map[string]map[string]string)}
	o := Options{
		Table:     table,
		Sender:    to,
		Dir:       t.TempDir(),
		FileBytes: 16 << 10,
		Sessions:  2,
		Backoff:   pace.Backoff{Base: 1, Max: 1},
	}
	o.Placement, o.Nodes = ring(t)
	if set != nil {
		set(&o)
	}
	c, err := NewCopier(o)
	require.NoError(t, err)
	t.Cleanup(func() {
		left, err := os.ReadDir(o.Dir)
		require.NoError(t, err)
		require.Empty(t, left)
	})
	return c, to
}

// parts cuts the ring.
func parts(n int) []token.Range {
	all := []token.Range{token.Whole(token.Murmur3)}
	for len(all) < n {
		a, b, _ := token.Halve(all[0])
		all = append(all[1:], a, b)
	}
	return slices.SortedFunc(
		slices.Values(all),
		func(a, b token.Range) int { return a.Start.Compare(b.Start) },
	)
}

// Every cell and every deletion that a server wrote comes to each replica unchanged, in the order
// of the ring.
func TestCopiesAreAsTheyWere(t *testing.T) {
	lz4 := component.Compression{Compressor: component.LZ4Compressor, ChunkLength: 4 << 10}
	made := &WholeOptions{FilterChance: 0.01, IndexInterval: 128, Compression: lz4}
	for _, name := range []string{
		"deletions", "statics", "elements", "types", "clusterings", "columns", "empties", "wide",
	} {
		for _, whole := range []*WholeOptions{nil, made} {
			t.Run(fmt.Sprintf("%s, whole %v", name, whole != nil), func(t *testing.T) {
				table, codec, data := golden(t, name)
				c, to := newCopier(t, table, func(o *Options) { o.Whole = whole })
				merged := func() sstable.Source {
					m, err := reconcile.NewMerger(
						&reconcile.Table{Schema: c.Schema()},
						[]reconcile.Input{
							{
								Source: sstable.NewDecoder(
									codec,
									bytes.NewReader(data),
									sstable.MaxRowBytes,
								),
								Schema: codec.Schema(),
							},
						},
					)
					require.NoError(t, err)
					return m
				}
				want := texts(t, merged(), c.Schema())
				var open atomic.Int64
				ranges := parts(16)
				var told []token.Range
				var partitions, rows int64
				err := c.Copy(
					t.Context(),
					ranges,
					3,
					opened(func(_ context.Context, r token.Range) (sstable.Source, func(), error) {
						open.Add(1)
						return &within{Source: merged(), r: r}, func() { open.Add(-1) }, nil
					}),
					func(r CopiedRange) {
						require.NoError(t, r.Err)
						told = append(told, r.Range)
						partitions, rows = partitions+r.Partitions, rows+r.Rows
					},
				)
				require.NoError(t, err)
				require.Zero(t, open.Load())
				require.Equal(t, ranges, told)
				require.EqualValues(t, len(want), partitions)
				require.Equal(t, partitions, c.Stats().Partitions)
				require.EqualValues(
					t,
					strings.Count(strings.Join(slices.Collect(maps.Values(want)), ""), "row false"),
					rows,
				)
				require.Equal(t, rows, c.o.Progress.Rows.Load())
				for key, text := range want {
					var has []string
					for node, all := range to.nodes {
						if got, ok := all[key]; ok {
							require.Equal(t, text, got)
							has = append(has, node)
						}
					}
					slices.Sort(has)
					raw := make([]byte, len(key)/2)
					_, err := fmt.Sscanf(key, "%x", &raw)
					require.NoError(t, err)
					require.Equal(t, c.o.replicas(c.o.Placement.Find(token.Murmur3.Hash(raw))), has)
				}
			})
		}
	}
}

// generated is a source of partitions, each with the same number of rows.
type generated struct {
	keys  []int32
	rows  int // of each
	row   func(n int) *sstable.Row
	at, n int
	item  sstable.Item
	found *sstable.Row
}

// ordered returns n keys in the order of their tokens.
func ordered(n int) []int32 {
	keys := make([]int32, n)
	for i := range keys {
		keys[i] = int32(i)
	}
	at := func(k int32) token.Token {
		return token.Murmur3.Hash(binary.BigEndian.AppendUint32(nil, uint32(k)))
	}
	slices.SortFunc(keys, func(a, b int32) int { return at(a).Compare(at(b)) })
	return keys
}

func (m *generated) Key() []byte {
	return binary.BigEndian.AppendUint32(nil, uint32(m.keys[m.at]))
}

func (m *generated) Deletion() sstable.Deletion { return sstable.Deletion{} }
func (m *generated) Row() *sstable.Row          { return m.found }
func (m *generated) Marker() *sstable.Marker    { return nil }

func (m *generated) Next() (sstable.Item, error) {
	switch {
	case m.item == sstable.PartitionEnd && m.at == len(m.keys)-1 || len(m.keys) == 0:
		return 0, io.EOF
	case m.item == sstable.PartitionEnd:
		m.at++
		m.item = sstable.PartitionStart
	case m.item == 0:
		m.item = sstable.PartitionStart
	case m.item == sstable.PartitionStart:
		m.item, m.n, m.found = sstable.StaticRow, 0, &sstable.Row{Static: true}
	case m.n < m.rows:
		m.found = m.row(m.n)
		m.item = sstable.RegularRow
		m.n++
	default:
		m.item = sstable.PartitionEnd
	}
	return m.item, nil
}

// plain is a row of the table readings.
func plain(n int) *sstable.Row {
	return &sstable.Row{
		Clustering: [][]byte{
			binary.BigEndian.AppendUint32(nil, uint32(n)),
		},
		Liveness: sstable.Liveness{Set: true, Timestamp: 1_700_000_000_000_000},
		Cells: []sstable.Cell{
			{Column: 0, Timestamp: 1_700_000_000_000_000, Value: []byte("value")},
		},
	}
}

// errBroken is what is wrong with a source.
var errBroken = errors.New("broken")

// If a range cannot be read, nothing of it is copied, wherever it breaks off, and its error is
// reported. All others are copied.
func TestOfABrokenRangeNothingIsCopied(t *testing.T) {
	c, to := newCopier(
		t,
		readings,
		func(o *Options) { o.Whole = &WholeOptions{FilterChance: 0.01, IndexInterval: 128} },
	)
	ranges := parts(8)
	keys := ordered(2000)
	failed := make(map[token.Range]error)
	err := c.Copy(
		t.Context(),
		ranges,
		3,
		opened(func(_ context.Context, r token.Range) (sstable.Source, func(), error) {
			switch r {
			case ranges[2]:
				return nil, nil, fault.New(fault.GivenUp, errBroken)
			case ranges[5]:
				items := 0
				return &within{
					Source: &generated{keys: keys, rows: 3, row: plain},
					r:      r,
					fail: func() error {
						if items++; items > 6*1500 { // some of its partitions were read
							return errBroken
						}
						return nil
					},
				}, func() {}, nil
			}
			return &within{
				Source: &generated{keys: keys, rows: 3, row: plain},
				r:      r,
			}, func() {}, nil
		}),
		func(r CopiedRange) {
			if r.Err != nil {
				failed[r.Range] = r.Err
				require.Zero(t, r.Partitions+r.Rows)
			}
		},
	)
	require.NoError(t, err)
	require.Len(t, failed, 2)
	require.ErrorIs(t, failed[ranges[2]], errBroken)
	require.ErrorIs(t, failed[ranges[5]], errBroken)
	has := make(map[string]int)
	for _, node := range to.nodes {
		for key := range node {
			has[key]++
		}
	}
	for _, k := range keys {
		key := binary.BigEndian.AppendUint32(nil, uint32(k))
		want := 2
		if at := token.Murmur3.Hash(key); ranges[2].Contains(at) || ranges[5].Contains(at) {
			want = 0
		}
		require.Equal(t, want, has[fmt.Sprintf("%x", key)], k)
	}
}

// What ends more than a range ends the copy, and nothing hangs.
func TestACopyEnds(t *testing.T) {
	keys := ordered(3000)
	all := func(_ context.Context, r token.Range) (sstable.Source, func(), error) {
		return &within{Source: &generated{keys: keys, rows: 3, row: plain}, r: r}, func() {}, nil
	}
	t.Run("what is read", func(t *testing.T) {
		c, _ := newCopier(t, readings, nil)
		ranges := parts(64)
		err := c.Copy(
			t.Context(),
			ranges,
			3,
			opened(func(ctx context.Context, r token.Range) (sstable.Source, func(), error) {
				if r == ranges[20] {
					return nil, nil, fault.New(fault.Fatal, errBroken)
				}
				return all(ctx, r)
			}),
			func(CopiedRange) {},
		)
		require.ErrorIs(t, err, errBroken)
	})
	t.Run("a node", func(t *testing.T) {
		c, to := newCopier(t, readings, nil)
		to.fail = func(node string) error {
			if node == "node1" {
				return fault.New(fault.Permanent, errBroken)
			}
			return nil
		}
		require.ErrorIs(
			t,
			c.Copy(t.Context(), parts(64), 3, opened(all), func(CopiedRange) {}),
			errBroken,
		)
	})
	t.Run("nodes that moved", func(t *testing.T) {
		c, _ := newCopier(t, readings, func(o *Options) {
			failRing(o, fault.New(fault.Fatal, errBroken))
		})
		require.ErrorIs(
			t,
			c.Copy(t.Context(), parts(4), 1, opened(all), func(CopiedRange) {}),
			errBroken,
		)
		require.EqualValues(t, 9000, c.o.Progress.Ready.Load())
		require.Zero(t, c.o.Progress.Rows.Load(), "rows count that are where they belong")
	})
	t.Run("who wants it", func(t *testing.T) {
		c, _ := newCopier(t, readings, nil)
		ctx, cancel := context.WithCancel(t.Context())
		ranges := parts(64)
		err := c.Copy(
			ctx,
			ranges,
			3,
			opened(func(at context.Context, r token.Range) (sstable.Source, func(), error) {
				if r == ranges[20] {
					cancel()
				}
				return all(at, r)
			}),
			func(CopiedRange) {},
		)
		require.ErrorIs(t, err, context.Canceled)
	})
}

// A disk that is full ends the copy, with that as the reason.
func TestACopyOnADiskThatIsFull(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can mount a disk that is small")
	}
	for name, whole := range map[string]*WholeOptions{"sorted partitions": nil, "SSTable: ": {FilterChance: 0.01, IndexInterval: 128}} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			require.NoError(
				t,
				syscall.Mount(
					"tmpfs",
					dir,
					"tmpfs",
					0,
					"size="+map[bool]string{false: "16k", true: "120k"}[whole != nil],
				),
			)
			t.Cleanup(func() { require.NoError(t, syscall.Unmount(dir, 0)) })
			c, _ := newCopier(
				t,
				readings,
				func(o *Options) { o.Dir, o.Whole, o.FileBytes = dir, whole, 1<<20 },
			)
			keys := ordered(1200)
			err := c.Copy(
				t.Context(),
				parts(4),
				2,
				opened(func(_ context.Context, r token.Range) (sstable.Source, func(), error) {
					return &within{
						Source: &generated{keys: keys, rows: 2, row: plain},
						r:      r,
					}, func() {}, nil
				}),
				func(r CopiedRange) { require.NoError(t, r.Err) },
			)
			require.ErrorIs(t, err, syscall.ENOSPC)
			require.ErrorContains(t, err, name)
		})
	}
}

// A partition that is larger than a file, and than what may be in memory, is copied in one piece.
func TestAWidePartitionIsCopied(t *testing.T) {
	const rows = 40_000
	value := bytes.Repeat([]byte("wide"), 256)
	wide := func(n int) *sstable.Row {
		r := plain(n)
		r.Cells[0].Value = value
		return r
	}
	var received atomic.Int64
	c, _ := newCopier(t, readings, func(o *Options) {
		o.Sender = senderFunc(func(_ context.Context, _ string, f File) error {
			received.Add(f.Bytes)
			return nil
		})
	})
	before := new(runtime.MemStats)
	runtime.GC()
	runtime.ReadMemStats(before)
	var most atomic.Uint64
	err := c.Copy(
		t.Context(),
		[]token.Range{token.Whole(token.Murmur3)},
		1,
		opened(func(context.Context, token.Range) (sstable.Source, func(), error) {
			return &generated{keys: []int32{7}, rows: rows, row: func(n int) *sstable.Row {
				if n%10_000 == 0 {
					now := new(runtime.MemStats)
					runtime.GC()
					runtime.ReadMemStats(now)
					most.Store(max(most.Load(), now.HeapAlloc))
				}
				return wide(n)
			}}, func() {}, nil
		}),
		func(CopiedRange) {},
	)
	require.NoError(t, err)
	require.Greater(t, received.Load(), int64(2*rows*len(value)))
	require.Less(t, most.Load(), before.HeapAlloc+rows*uint64(len(value))/4)
}

// A time that the version of the SSTables has no room for is refused, with the partition, rather
// than cut off.
func TestTimesBeyondTheVersionAreRefused(t *testing.T) {
	for _, c := range []struct {
		name string
		row  func(second int64) *sstable.Row
	}{
		{"a cell", func(second int64) *sstable.Row {
			r := plain(1)
			r.Cells[0].Kind, r.Cells[0].TTL, r.Cells[0].Time = sstable.Expiring, 100, second
			return r
		}},
		{"a row", func(second int64) *sstable.Row {
			r := plain(1)
			r.Liveness.TTL, r.Liveness.Expiry = 100, second
			return r
		}},
		{"a row's deletion", func(second int64) *sstable.Row {
			r := plain(1)
			r.Deletion = sstable.Deletion{Set: true, Timestamp: 1, Time: second}
			return r
		}},
		{"a list's deletion", func(second int64) *sstable.Row {
			r := plain(1)
			r.Deletions = []sstable.ColumnDeletion{
				{Column: 1, Deletion: sstable.Deletion{Set: true, Timestamp: 1, Time: second}},
			}
			return r
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			for second, version := range map[int64]component.Version{
				1 << 31:   component.NB,
				1<<31 - 2: component.NB,
				1<<31 + 1: component.OA,
				1 << 33:   component.OA,
			} {
				copier, _ := newCopier(t, readings, func(o *Options) {
					o.Version = version
					o.Sender = senderFunc(func(context.Context, string, File) error { return nil })
				})
				var failed error
				err := copier.Copy(
					t.Context(),
					parts(1),
					1,
					opened(func(context.Context, token.Range) (sstable.Source, func(), error) {
						return &generated{
							keys: []int32{7},
							rows: 1,
							row:  func(int) *sstable.Row { return c.row(second) },
						}, func() {}, nil
					}),
					func(r CopiedRange) { failed = r.Err },
				)
				require.NoError(t, err)
				if second > version.MaxExpiry()+1 {
					require.ErrorContains(
						t,
						failed,
						fmt.Sprintf(
							"partition 00000007 has a cell that expires, or a deletion, %d seconds after 1970, and SSTables of version %s ",
							second,
							version,
						),
					)
				} else {
					require.NoError(t, failed)
				}
			}
		})
	}
}
