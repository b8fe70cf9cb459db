package bykey_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/row"
	"github.com/cqlbulk/cqlbulk/internal/scan/bykey"
	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/internal/test/tabletest"
	"github.com/cqlbulk/cqlbulk/internal/write"
	"github.com/cqlbulk/cqlbulk/pkg/rowsum"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// orders is a table with two clustering columns, whose names are not in their order.
var orders = schema.New("ks", "orders", []schema.Column{
	tabletest.Column("p", schema.PartitionKey, 0, "int"),
	tabletest.Column("z", schema.Clustering, 0, "text"),
	tabletest.Column("a", schema.Clustering, 1, "int"),
	tabletest.Column("v", schema.Regular, 0, "text"),
})

// tracker counts what becomes of rows.
type tracker struct {
	mu       sync.Mutex
	written  int
	released int
	reasons  []string
}

func (t *tracker) Begun() bool { return false }
func (t *tracker) Ready(int)   {}
func (t *tracker) Written(rows int, _ rowsum.Sum) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.written += rows
	return nil
}
func (t *tracker) NotApplied(*write.Row, error) error { return nil }
func (t *tracker) Reject(_ *write.Row, _ write.Outcome, reason error) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.reasons = append(t.reasons, reason.Error())
	return nil
}
func (t *tracker) Find(context.Context, int64) (*write.Row, error) { return nil, nil }
func (t *tracker) Release(rows int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.released += rows
}

func number(n int) []byte { return binary.BigEndian.AppendUint32(nil, uint32(n)) }

// sorted makes a list of keys, each of the values of p, z and a; fewer are unset.
func sorted(t *testing.T, keys ...[][]byte) (*bykey.List, int64, *tracker) {
	t.Helper()
	s, err := bykey.NewSorter(orders, token.Murmur3, 1<<10, t.TempDir())
	require.NoError(t, err)
	require.Equal(t, []string{"p", "a", "z"}, s.Fields().Names())
	require.Equal(t, schema.Regular, s.Fields().Columns[2].Kind)
	columns := []schema.Column{orders.Columns[2], orders.Columns[0], orders.Columns[1]} // a, p, z
	in := s.Intake(columns)
	result := &tracker{}
	var rows []*write.Row
	for _, key := range keys {
		cells := make([]row.Cell, 3)
		for i, at := range []int{1, 2, 0}[:len(key)] {
			if key[i] != nil {
				cells[at] = row.Cell{Bytes: key[i], State: row.Set}
			}
		}
		rows = append(rows, &write.Row{Row: row.Row{Cells: cells}, Tracker: result})
	}
	for len(rows) > 0 {
		n := min(len(rows), 7)
		require.NoError(t, in.Put(t.Context(), rows[:n]))
		rows = rows[n:]
	}
	s.Finish()
	require.NoError(t, s.Run(t.Context()))
	require.Equal(t, len(keys), result.released)
	list, twice, err := s.Sorted(t.Context())
	require.NoError(t, err)
	require.NoError(t, s.Close())
	t.Cleanup(func() { _ = list.Close() })
	return list, twice, result
}

func key(p int, more ...[]byte) [][]byte { return append([][]byte{number(p)}, more...) }

func TestKeysAreSortedAndEachIsThereOnce(t *testing.T) {
	list, twice, result := sorted(
		t,
		key(1, []byte("b"), number(2)),
		key(1, []byte("b")), // has the row before
		key(2), key(2, []byte("x")), key(2, []byte("x"), number(1)),
		key(3, []byte(""), number(1)), key(3, []byte(""), number(1)),
		key(3, nil, number(1)),
		[][]byte{nil, []byte("x")},
		key(4, make([]byte, 70_000)),
	)
	require.EqualValues(t, 3, list.Len())
	require.EqualValues(t, 4, twice)
	require.Equal(t, 7, result.written)
	require.Equal(t, []string{
		`clustering column "a" has a value, and "z" before it has none`,
		`column "p" of the partition key has no value`,
		`column "z": a value of 70000 bytes, where at most 65535 are allowed`,
	}, result.reasons)
}

// table is a cluster that has the rows of some keys, two on a page.
type table struct {
	mu    sync.Mutex
	rows  map[string]int // by the values of a key
	asked map[string]int
}

func (c *table) Page(
	_ context.Context,
	_ string,
	at token.Token,
	key [][]byte,
	state []byte,
	_ int,
) (row.Page, error) {
	if at != token.Murmur3.Hash(key[0]) {
		return nil, fmt.Errorf("token %v of key %x", at, key)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	name := fmt.Sprintf("%x", key)
	c.asked[name]++
	from := 0
	if len(state) > 0 {
		from = int(state[0])
	}
	p := &page{key: key, left: min(2, c.rows[name]-from)}
	if from+2 < c.rows[name] {
		p.state = []byte{byte(from + 2)}
	}
	return p, nil
}

type page struct {
	key   [][]byte
	left  int
	state []byte
}

func (p *page) Next() bool      { p.left--; return p.left >= 0 }
func (p *page) Cells() [][]byte { return p.key }
func (p *page) Rows() int       { return p.left }
func (p *page) State() []byte   { return p.state }
func (p *page) Err() error      { return nil }
func (p *page) Close()          {}

// read reads a range, and returns the number of rows of each key.
func read(t *testing.T, r *bykey.Reader, within token.Range, rows map[string]int) {
	t.Helper()
	last := within.Start
	for state := []byte(nil); ; {
		p, err := r.Page(t.Context(), "", within, state, 10)
		require.NoError(t, err)
		for p.Next() {
			at := token.Murmur3.Hash(p.Cells()[0])
			require.False(t, at.Less(last), "rows come in the order of their tokens")
			last = at
			rows[fmt.Sprintf("%x", p.Cells())]++
		}
		if state = p.State(); len(state) == 0 {
			return
		}
	}
}

// TestRangesHaveTheRowsOfTheirKeys reads many keys by ranges that make up the ring.
func TestRangesHaveTheRowsOfTheirKeys(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var keys [][][]byte
	cluster := &table{rows: map[string]int{}, asked: map[string]int{}}
	want := map[string]int{}
	var missing []string
	for i := range 5000 {
		k := key(i)
		if i%3 == 0 {
			k = key(i, []byte(fmt.Sprint("z", i)), number(i))
		}
		keys = append(keys, k)
		name := fmt.Sprintf("%x", k)
		if n := rng.IntN(6); n > 0 {
			cluster.rows[name], want[name] = n, n
		} else {
			missing = append(missing, name)
		}
	}
	rng.Shuffle(len(keys), func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })
	list, twice, _ := sorted(t, keys...)
	require.Zero(t, twice)
	require.EqualValues(t, len(keys), list.Len())

	path := filepath.Join(t.TempDir(), "keys")
	require.NoError(t, list.Save(path))
	again, err := bykey.OpenList(path, 1)
	require.NoError(t, err)
	defer again.Close()
	require.Equal(t, list.Sum(), again.Sum())

	noted := bykey.NewMissing(list.Len())
	r := bykey.NewReader(again, cluster, noted)
	rows := map[string]int{}
	vacant := 0
	for start := token.Murmur3.Min(); start != token.Murmur3.Max(); {
		width := rng.Uint64N(1 << 55)
		end := token.Token{Lo: start.Lo + width}
		if end.Less(start) || token.Murmur3.Max().Less(end) {
			end = token.Murmur3.Max()
		}
		within := token.Range{Start: start, End: end}
		if r.Vacant(within) {
			vacant++
		}
		read(t, r, within, rows)
		start = end
	}
	require.Equal(t, want, rows)
	require.Positive(t, vacant)
	for _, name := range missing {
		require.Equal(t, 1, cluster.asked[name])
	}
	require.Equal(t, missingOf(t, noted, list), sortedNames(missing))
	require.EqualValues(t, len(missing), noted.Count())

	clear(rows)
	read(t, r, token.Range{}, rows)
	require.Equal(t, want, rows, "the whole ring, as one range")
}

func missingOf(t *testing.T, m *bykey.Missing, l *bykey.List) (names []string) {
	t.Helper()
	require.NoError(t, m.Each(l, func(k bykey.Key) error {
		names = append(names, fmt.Sprintf("%x", k.Values))
		return nil
	}))
	return sortedNames(names)
}

func sortedNames(names []string) []string {
	slices.Sort(names)
	return names
}

// TestMissingKeysAreKept has a second run find what the first one noted, but for a note that was
// cut off.
func TestMissingKeysAreKept(t *testing.T) {
	var keys [][][]byte
	for i := range 100 {
		keys = append(keys, key(i))
	}
	list, _, _ := sorted(t, keys...)
	path := filepath.Join(t.TempDir(), "missing")
	cluster := &table{rows: map[string]int{}, asked: map[string]int{}}
	first := bykey.NewMissing(list.Len())
	require.ErrorIs(t, first.KeepIn(path), os.ErrNotExist, "a run directory without it is damaged")
	require.NoError(t, os.WriteFile(path, nil, 0o600))
	require.NoError(t, first.KeepIn(path))
	read(t, bykey.NewReader(list, cluster, first), token.Range{}, map[string]int{})
	require.EqualValues(t, 100, first.Count())
	require.NoError(t, first.Sync())
	require.NoError(t, first.Sync())
	require.NoError(t, first.Close())
	info, err := os.Stat(path)
	require.NoError(t, err)
	require.NoError(t, os.Truncate(path, info.Size()-3))
	require.NoError(t, os.Truncate(path, info.Size()+30), "zeros after a power failure")

	second := bykey.NewMissing(list.Len())
	require.NoError(t, second.KeepIn(path))
	require.EqualValues(t, 99, second.Count())
	for i := range 100 {
		cluster.rows[fmt.Sprintf("%x", key(i))] = i % 2
	}
	read(t, bykey.NewReader(list, cluster, second), token.Range{}, map[string]int{})
	require.EqualValues(t, 50, second.Count(), "what is found later is not missing")
	require.NoError(t, second.Sync())
	require.NoError(t, second.Close())

	third := bykey.NewMissing(list.Len())
	require.NoError(t, third.KeepIn(path))
	require.Equal(t, missingOf(t, second, list), missingOf(t, third, list))
	require.NoError(t, third.Close())
	require.ErrorContains(t, bykey.NewMissing(1).KeepIn(path), "the file is damaged")
}

func FuzzOpenList(f *testing.F) {
	f.Add([]byte(nil))
	f.Add([]byte("\x16aaaaaaaabbbbbbbb\x04keyk\x00"))
	f.Add([]byte("\x17aaaaaaaabbbbbbbb\x01k\x01\x02zz\x00"))
	f.Add([]byte("\xff\xff\xff\xff\x0f"))
	f.Fuzz(func(t *testing.T, b []byte) {
		path := filepath.Join(t.TempDir(), "keys")
		require.NoError(t, os.WriteFile(path, b, 0o600))
		list, err := bykey.OpenList(path, 1)
		if err != nil {
			return
		}
		defer list.Close()
		if key, ok, err := list.First(token.Range{}); err == nil && ok {
			require.NotEmpty(t, key.Values)
		}
		_, _, _ = list.First(token.Range{Start: token.Token{Lo: 7}, End: token.Token{Lo: 1 << 60}})
	})
}
