package times_test

import (
	"context"
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/row"
	"github.com/cqlbulk/cqlbulk/internal/scan/times"
	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/internal/test/tabletest"
	"github.com/cqlbulk/cqlbulk/pkg/cqlwire"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// rows is a table of one page.
type rows [][][]byte

func (r rows) Open(_ context.Context, within token.Range) (token.Range, error) {
	return within, nil
}

func (r rows) Page(context.Context, string, token.Range, []byte, int) (row.Page, error) {
	return &page{rows: r, at: -1}, nil
}

type page struct {
	rows rows
	at   int
}

func (p *page) Next() bool      { p.at++; return p.at < len(p.rows) }
func (p *page) Cells() [][]byte { return p.rows[p.at] }
func (p *page) Rows() int       { return len(p.rows) }
func (p *page) State() []byte   { return nil }
func (p *page) Err() error      { return nil }
func (p *page) Close()          {}

// read returns the rows that a scan writes.
func read(t *testing.T, of *times.Times, from rows) (out rows) {
	t.Helper()
	p, err := of.Reader(from).Page(t.Context(), "", token.Range{}, nil, 10)
	require.NoError(t, err)
	for p.Next() {
		var cells [][]byte
		for _, cell := range p.Cells() {
			if cell != nil {
				cell = append([]byte{}, cell...)
			}
			cells = append(cells, cell)
		}
		out = append(out, cells)
	}
	return out
}

func stamp(n int) []byte { return binary.BigEndian.AppendUint64(nil, uint64(n)) }
func ttl(n int) []byte   { return binary.BigEndian.AppendUint32(nil, uint32(n)) }

func list(elements ...[]byte) []byte {
	out := cqlwire.AppendCount(nil, len(elements))
	for _, e := range elements {
		if e == nil {
			out = cqlwire.AppendNull(out)
		} else {
			out = cqlwire.AppendElem(out, e)
		}
	}
	return out
}

var table = schema.New("ks", "t", []schema.Column{
	tabletest.Column("k", schema.PartitionKey, 0, "int"),
	tabletest.Column("f", schema.Regular, 0, "frozen<set<int>>"),
	tabletest.Column("l", schema.Regular, 0, "list<int>"),
	tabletest.Column("m", schema.Regular, 0, "map<int, int>"),
})

func TestTimesArePreserved(t *testing.T) {
	selection, err := table.Selectors(nil)
	require.NoError(t, err)
	names := func(selection []schema.Selector) (names []string) {
		for _, s := range selection {
			names = append(names, s.Name)
		}
		return names
	}
	all, left := times.Preserved(selection, false)
	require.Equal(t, []string{"k", "f", "writetime(f)", "ttl(f)", "l", "m"}, names(all))
	require.Equal(t, []string{"l", "m"}, left)
	all, left = times.Preserved(selection, true)
	require.Equal(
		t,
		[]string{"k", "f", "writetime(f)", "ttl(f)", "l", "m", "writetime(m)", "ttl(m)"},
		names(all),
	)
	require.Equal(t, []string{"l"}, left)

	var of times.Times
	of.Find(all, len(all))
	k, v := []byte("k"), []byte("v")
	got := read(t, &of, rows{
		{k, v, stamp(5), ttl(9), v, v, list(stamp(7), stamp(7)), list(ttl(3), ttl(3))},
		{k, v, stamp(5), nil, v, v, list(stamp(7), stamp(8)), list(ttl(3), ttl(3))},
		{k, nil, nil, nil, nil, v, list(stamp(7), stamp(7)), list(ttl(3), nil)},
		{k, nil, nil, nil, nil, v, list(nil, stamp(7)), list(nil, ttl(3))}, // a field is null
		{k, nil, nil, nil, nil, v, list(stamp(7)), list(nil)},
		{k, nil, nil, nil, nil, nil, nil, nil},
	})
	require.Equal(t, rows{
		{k, v, stamp(5), ttl(9), v, v, stamp(7), ttl(3)},
		{k, v, stamp(5), nil, v, v, stamp(8), ttl(3)},
		{k, nil, nil, nil, nil, v, stamp(7), nil},
		{k, nil, nil, nil, nil, v, stamp(7), ttl(3)},
		{k, nil, nil, nil, nil, v, stamp(7), nil},
		{k, nil, nil, nil, nil, nil, nil, nil},
	}, got)
	mixed := map[string]int64{}
	of.Mixed(func(column string, rows int64) { mixed[column] = rows })
	require.Equal(t, map[string]int64{"m": 2}, mixed)
}

func TestRowsAreSelectedByWhenTheyWereWritten(t *testing.T) {
	selection, err := table.Selectors([]string{"k"})
	require.NoError(t, err)
	selected := times.Selecting(table, selection)
	require.Len(t, selected, 4)
	k := []byte("k")
	all := rows{
		{k, stamp(5), nil, nil},
		{k, stamp(9), nil, list(stamp(1), stamp(5))},
		{k, nil, list(stamp(6)), nil},
		{k, nil, nil, nil},
		{k, stamp(1), list(stamp(20)), list(stamp(30))},
	}
	for _, c := range []struct{ since, until, want int }{
		{5, 0, 5}, {6, 0, 4}, {7, 0, 3}, {31, 0, 1}, {0, 5, 3}, {5, 6, 3}, {10, 20, 1},
	} {
		of := times.Times{}
		since, until := int64(c.since), int64(c.until)
		if c.since > 0 {
			of.Since = &since
		}
		if c.until > 0 {
			of.Until = &until
		}
		of.Find(selected, len(selection))
		got := 0
		for _, cells := range all {
			if of.Selects(cells) {
				got++
			}
		}
		require.Equal(t, c.want, got, "from %d to %d", c.since, c.until)
	}
}

func TestRowsOfStaticValues(t *testing.T) {
	wide := schema.New("ks", "w", []schema.Column{
		tabletest.Column("k", schema.PartitionKey, 0, "int"),
		tabletest.Column("c", schema.Clustering, 0, "int"),
		tabletest.Column("s", schema.Static, 0, "int"),
		tabletest.Column("v", schema.Regular, 0, "int"),
	})
	selection, err := wide.Selectors([]string{"k"})
	require.NoError(t, err)
	since := int64(10)
	of := times.Times{Since: &since}
	of.Find(times.Selecting(wide, selection), len(selection))
	k, c := []byte("k"), []byte("c")
	for name, row := range map[string]struct {
		cells [][]byte
		want  bool
	}{
		"a new value":                        {[][]byte{k, c, stamp(1), stamp(10)}, true},
		"a new static value":                 {[][]byte{k, c, stamp(10), stamp(1)}, true},
		"old values":                         {[][]byte{k, c, stamp(1), stamp(1)}, false},
		"no value of its own":                {[][]byte{k, c, stamp(1), nil}, true},
		"static values alone, and old ones":  {[][]byte{k, nil, stamp(1), nil}, false},
		"static values alone, and a new one": {[][]byte{k, nil, stamp(10), nil}, true},
	} {
		require.Equal(t, row.want, of.Selects(row.cells), name)
	}
}
