package sstables

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/fault"
	"github.com/cqlbulk/cqlbulk/pkg/reconcile"
	"github.com/cqlbulk/cqlbulk/pkg/sstable"
	"github.com/cqlbulk/cqlbulk/pkg/sstable/component"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// golden are the SSTables of pkg/sstable that Cassandra wrote of golden.cql and make there.
const golden = "../../pkg/sstable/testdata/golden/"

var (
	whole = token.Whole(token.Murmur3)
	first = component.Descriptor{Version: component.NB, ID: "1"}
)

// partsRows is how many rows the tables parts_* have: one or two of each of 300 keys, and 150 of
// another.
const partsRows = 300 + 100 + 150

// open opens an SSTable in a folder.
func open(t testing.TB, folder string) *Table {
	t.Helper()
	table, err := Open(folder, first)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, table.Close()) })
	return table
}

// copied copies the golden files of a table into a folder. Those that lie there without their names
// get them.
func copied(t testing.TB, name string) (folder string) {
	t.Helper()
	folder = t.TempDir()
	files, err := os.ReadDir(golden + name)
	require.NoError(t, err)
	for _, f := range files {
		b, err := os.ReadFile(filepath.Join(golden, name, f.Name()))
		require.NoError(t, err)
		to := f.Name()
		if !strings.Contains(to, "-") {
			to = first.Name(component.Kind(to))
		}
		require.NoError(t, os.WriteFile(filepath.Join(folder, to), b, 0o600))
	}
	return folder
}

// selectAll selects all columns of a table: those of the keys, the static ones, the others.
func selectAll(s *sstable.Schema) (all []reconcile.Selector) {
	t := s.Table()
	for kind, columns := range [][]sstable.Column{t.Key, t.Clustering, t.Statics, t.Regulars} {
		for i, c := range columns {
			all = append(
				all,
				reconcile.Selector{Kind: reconcile.Kind(kind), Index: i, Name: c.Name},
			)
		}
	}
	return all
}

// options are those of a reader of all columns of files of one table.
func options(files ...File) Options {
	schema := files[0].Schema()
	o := Options{
		Table: &reconcile.Table{
			Schema: schema,
		},
		Selection: selectAll(schema),
		Files:     Fixed(files),
		PageBytes: 64 << 10,
		Now:       1700000000, // before anything expires
	}
	o.Cells = len(o.Selection)
	return o
}

// pageOf is a page that was read.
type pageOf struct {
	rows  [][][]byte // copies of their cells
	state []byte
}

// readPage reads a page, and closes it.
func readPage(
	ctx context.Context,
	t testing.TB,
	r *Reader,
	within token.Range,
	state []byte,
	rows int,
) (pageOf, error) {
	t.Helper()
	p, err := r.Page(ctx, "", within, state, rows)
	if err != nil {
		return pageOf{}, err
	}
	defer p.Close()
	out := pageOf{state: p.State()}
	for p.Next() {
		var row [][]byte
		for _, c := range p.Cells() {
			row = append(row, bytes.Clone(c))
		}
		out.rows = append(out.rows, row)
	}
	require.NoError(t, p.Err())
	require.Len(t, out.rows, p.Rows())
	return out, nil
}

// readPages reads a range page by page; of each page there are the rows.
func readPages(t testing.TB, r *Reader, within token.Range, rows int) (pages [][][][]byte) {
	t.Helper()
	var state []byte
	for {
		p, err := readPage(t.Context(), t, r, within, state, rows)
		require.NoError(t, err)
		pages = append(pages, p.rows)
		if state = p.state; len(state) == 0 {
			return pages
		}
	}
}

// readAll reads a range in one page.
func readAll(t testing.TB, r *Reader, within token.Range) [][][]byte {
	t.Helper()
	return slices.Concat(readPages(t, r, within, math.MaxInt)...)
}

// number is a count's number.
func number(n int) []byte { return binary.BigEndian.AppendUint64(nil, uint64(n)) }

// tokenOf is that of a key of text.
func tokenOf(key string) token.Token { return token.Murmur3.Hash([]byte(key)) }

// alone is the range of one token.
func alone(key string) token.Range {
	at := tokenOf(key)
	return token.Range{Start: token.Token{Lo: at.Lo - 1}, End: at}
}

// quarters are the four parts of the ring.
func quarters() []token.Range {
	low, high, _ := token.Halve(whole)
	a, b, _ := token.Halve(low)
	c, d, _ := token.Halve(high)
	return []token.Range{a, b, c, d}
}

// A page has the requested number of rows, or is full by its bytes. All pages together have each
// row once, in the order of tokens. That holds for any ranges, and if two files have the same rows.
func TestPages(t *testing.T) {
	folder := copied(t, "files/nb_lz4")
	for name, files := range map[string][]File{"a file": {open(t, folder)}, "two": {open(t, folder), open(t, copied(t, "files/nb_none"))}} {
		o := options(files...)
		o.PageBytes = 1 << 20
		want := readAll(t, New(o), whole)
		require.Len(t, want, partsRows, name)
		require.True(
			t,
			slices.IsSortedFunc(
				want,
				func(a, b [][]byte) int {
					return tokenOf(string(a[0])).Compare(tokenOf(string(b[0])))
				},
			),
		)

		for _, rows := range []int{1, 7, partsRows - 1, partsRows} {
			pages := readPages(t, New(o), whole, rows)
			for _, p := range pages[:len(pages)-1] {
				require.Len(t, p, rows)
			}
			require.Len(t, pages, (partsRows+rows-1)/rows, "none is empty")
			require.Equal(t, want, slices.Concat(pages...))
		}
		require.Equal(t, [][][]byte{want[0]}, readPages(t, New(o), whole, 0)[0], "each has a row")

		o.PageBytes = 1000
		pages := readPages(t, New(o), whole, math.MaxInt)
		for _, p := range pages[:len(pages)-1] {
			size := 0
			for i, row := range p {
				require.Less(t, size, o.PageBytes, "row %d is behind a page that is full", i)
				for _, c := range row {
					size += len(c)
				}
			}
			require.GreaterOrEqual(t, size, o.PageBytes)
		}
		require.Equal(t, want, slices.Concat(pages...))

		var parts [][][]byte
		r := New(o)
		for _, within := range quarters() {
			parts = append(parts, slices.Concat(readPages(t, r, within, 10)...)...)
		}
		require.Equal(t, want, parts)
		require.Empty(
			t,
			readAll(
				t,
				r,
				token.Range{Start: tokenOf("wide"), End: token.Token{Lo: tokenOf("wide").Lo + 1}},
			),
		)
	}
}

// Two ranges are read at the same time, page by page in turn. A page that is still in use is not
// the memory of the next one.
func TestPagesOfTwoRanges(t *testing.T) {
	o := options(open(t, copied(t, "files/nb_lz4")))
	want := readAll(t, New(o), whole)
	r := New(o)
	low, high, ok := token.Halve(whole)
	require.True(t, ok)
	var states [2][]byte
	var got [2][][][]byte
	for begun := false; !begun || states[0] != nil || states[1] != nil; begun = true {
		for i, within := range []token.Range{low, high} {
			if begun && states[i] == nil {
				continue
			}
			p, err := readPage(t.Context(), t, r, within, states[i], 30)
			require.NoError(t, err)
			got[i], states[i] = append(got[i], p.rows...), p.state
		}
	}
	require.Equal(t, want, append(got[0], got[1]...))

	p, err := r.Page(t.Context(), "", whole, nil, 1)
	require.NoError(t, err)
	require.True(t, p.Next())
	next, err := r.Page(t.Context(), "", whole, p.State(), 1)
	require.NoError(t, err)
	require.True(t, next.Next())
	require.Equal(t, want[0], p.Cells())
	require.Equal(t, want[1], next.Cells())
	require.False(t, p.Next())
	p.Close()
	next.Close()
	require.NoError(t, r.Close())
}

func TestPageAskedForTwice(t *testing.T) {
	r := New(options(open(t, copied(t, "files/nb_lz4"))))
	one, err := readPage(t.Context(), t, r, whole, nil, 10)
	require.NoError(t, err)
	_, err = readPage(t.Context(), t, r, whole, one.state, 10)
	require.NoError(t, err)
	_, err = readPage(t.Context(), t, r, whole, one.state, 10)
	require.EqualError(t, err, "a page was asked for twice")
	require.Equal(t, fault.Permanent, fault.ClassOf(err))
	require.NoError(t, r.Close())
}

// Null differs from an empty value, wherever it stands in a row and in a page.
func TestNullAndEmptyCells(t *testing.T) {
	int4 := func(n uint32) []byte { return binary.BigEndian.AppendUint32(nil, n) }
	empty := []byte{}
	for name, want := range map[string][][][]byte{
		"empties": { // k a b c v
			{[]byte("k"), []byte("a"), empty, int4(1), []byte("a")}, {[]byte("k"), []byte("a"), {0}, empty, []byte("b")},
			{[]byte("k"), empty, empty, empty, []byte("all")}, {[]byte("k"), empty, empty, int4(1), empty},
		},
		"statics": { // k c s_int s_text s_list v
			{int4(1), nil, int4(1), []byte("alone"), nil, nil}, {int4(2), int4(2), nil, nil, nil, int4(2)}, {int4(2), int4(1), nil, nil, nil, int4(1)},
			{
				int4(4), nil, nil, nil,
				slices.Concat(int4(3), int4(4), int4(1), int4(4), int4(2), int4(4), int4(3)), nil,
			},
			{int4(3), int4(1), nil, nil, nil, int4(1)},
		},
	} {
		o := options(open(t, copied(t, name)))
		for _, rows := range []int{1, 2, 100} {
			require.Equal(t, want, slices.Concat(readPages(t, New(o), whole, rows)...), name)
		}
	}
	// All that is selected is null in all rows.
	o := options(open(t, copied(t, "empties")))
	o.Selection = []reconcile.Selector{
		{Kind: reconcile.Regular, Name: "v", What: reconcile.TTL},
	}
	o.Cells = 1
	require.Equal(t, [][][]byte{{nil}, {nil}, {nil}, {nil}}, readAll(t, New(o), whole))
}

// Without the key of a partition there is one number for a range, be it of no rows.
func TestCountOfARange(t *testing.T) {
	o := options(open(t, copied(t, "files/nb_lz4")))
	o.Count, o.Selection, o.Cells, o.PageBytes = true, nil, 0, 1
	require.Equal(t, [][][]byte{{number(partsRows)}}, readAll(t, New(o), whole))
	require.Equal(t, [][][][]byte{{{number(150)}}}, readPages(t, New(o), alone("wide"), 1))
	require.Equal(t, [][][][]byte{{{number(0)}}}, readPages(t, New(o), alone("none"), 1))
	o.Tokens = []token.Range{}
	require.Equal(
		t,
		[][][][]byte{{{number(0)}}},
		readPages(t, New(o), whole, 1),
		"nothing is wanted",
	)
	o.Tokens = nil
	o.Holds = func([][]byte, token.Token) bool { return false }
	require.Equal(t, [][][][]byte{{{number(0)}}}, readPages(t, New(o), whole, 1))
}

// A number is of a whole partition, wherever pages end, and with nothing of an empty range.
func TestCountByPartition(t *testing.T) {
	o := options(open(t, copied(t, "files/nb_lz4")))
	o.Count, o.Cells = true, 1
	o.Selection = o.Selection[:1]
	for _, size := range []int{1, 100, 64 << 10} {
		o.PageBytes = size
		for _, rows := range []int{1, 10, 1000} {
			numbers := make(map[string]int)
			pages := readPages(t, New(o), whole, rows)
			if rows == 1 {
				require.Greater(t, len(pages), 100)
			}
			for _, row := range slices.Concat(pages...) {
				require.Len(t, row, 2)
				require.NotContains(t, numbers, string(row[0]))
				numbers[string(row[0])] = int(binary.BigEndian.Uint64(row[1]))
			}
			require.Len(t, numbers, 301)
			require.Equal(t, 150, numbers["wide"])
			for i := range 300 {
				want := 1
				if i%3 == 0 {
					want = 2
				}
				require.Equal(t, want, numbers[fmt.Sprint("key ", i)], i)
			}
		}
	}
	require.Equal(t, [][][][]byte{nil}, readPages(t, New(o), alone("none"), 10))

	// A key has several columns, and one of them is empty.
	o = options(open(t, copied(t, "types")))
	o.Count, o.Cells = true, 2
	o.Selection = o.Selection[:2]
	require.Equal(t, [][][]byte{
		{{0, 0, 0, 2}, {}, number(1)}, {{0, 0, 0, 1}, []byte("a"), number(5)},
	}, readAll(t, New(o), whole))
}

// Rows are chosen by their tokens, for which nothing else is read, and by cells that are not given
// on.
func TestHoldsAndTokens(t *testing.T) {
	o := options(open(t, copied(t, "files/nb_lz4")))
	all := readAll(t, New(o), whole)
	of := func(keys ...string) (rows [][][]byte) {
		for _, row := range all {
			if slices.Contains(keys, string(row[0])) {
				rows = append(rows, row)
			}
		}
		return rows
	}
	o.Tokens = []token.Range{alone("key 7"), alone("wide"), alone("none"), alone("key 9")}
	require.Equal(t, of("key 7", "wide", "key 9"), readAll(t, New(o), whole))
	require.Equal(t, of("key 9"), readAll(t, New(o), alone("key 9")))
	require.Empty(t, readAll(t, New(o), alone("key 8")))

	unread := o
	unread.Files = noFiles{}
	require.Empty(t, readAll(t, New(unread), alone("key 8")))
	_, err := readPage(t.Context(), t, New(unread), whole, nil, 1)
	require.ErrorIs(t, err, errNoFiles)

	o.Tokens = nil
	at := slices.IndexFunc(o.Selection, func(s reconcile.Selector) bool { return s.Name == "v" })
	o.Cells = 1
	o.Holds = func(cells [][]byte, from token.Token) bool {
		require.Len(t, cells, len(o.Selection))
		require.Equal(t, tokenOf(string(cells[0])), from)
		return string(cells[at]) == "second"
	}
	var want [][][]byte
	for _, row := range all {
		if string(row[at]) == "second" {
			want = append(want, row[:1])
		}
	}
	require.Len(t, want, 100)
	for _, rows := range []int{1, 3, 1000} {
		require.Equal(t, want, slices.Concat(readPages(t, New(o), whole, rows)...))
	}
}

// errNoFiles is the error of noFiles.
var errNoFiles = errors.New("there are none")

// noFiles cannot be had.
type noFiles struct{}

func (noFiles) Of(
	context.Context,
	token.Range,
) ([]File, func(), error) {
	return nil, nil, errNoFiles
}

// held are files that know how many ranges of theirs are being read.
type held struct {
	files   []File
	reading int
}

func (h *held) Of(context.Context, token.Range) ([]File, func(), error) {
	h.reading++
	return h.files, func() { h.reading-- }, nil
}

// Files are held from a range's first page to its last, to an error, or to the end of the reader.
func TestFilesAreHeldWhileTheyAreRead(t *testing.T) {
	h := &held{files: []File{open(t, copied(t, "files/nb_lz4"))}}
	o := options(h.files...)
	o.Files = h
	r := New(o)
	var states [][]byte
	for i := range 3 {
		p, err := readPage(t.Context(), t, r, whole, nil, 10)
		require.NoError(t, err)
		states = append(states, p.state)
		require.Equal(t, i+1, h.reading)
	}
	p, err := readPage(t.Context(), t, r, whole, states[0], partsRows)
	require.NoError(t, err)
	require.Empty(t, p.state)
	require.Equal(t, 2, h.reading)
	readAll(t, r, alone("none"))
	require.Equal(t, 2, h.reading)
	require.NoError(t, r.Close())
	require.Zero(t, h.reading)
	_, err = readPage(t.Context(), t, r, whole, states[1], 10)
	require.Equal(t, fault.Permanent, fault.ClassOf(err))
	require.NoError(t, r.Close())
	require.Zero(t, h.reading)
}

// A canceled read ends as such, whatever the reason: it says nothing about the range.
func TestReadingIsCalledOff(t *testing.T) {
	errOther := errors.New("another range has ended the run")
	h := &held{files: []File{open(t, copied(t, "files/nb_lz4"))}}
	o := options(h.files...)
	o.Files = h
	for _, why := range []error{errOther, nil} {
		ctx, cancel := context.WithCancelCause(t.Context())
		r := New(o)
		p, err := readPage(ctx, t, r, whole, nil, 10)
		require.NoError(t, err)
		cancel(why)
		for _, state := range [][]byte{p.state, nil} {
			_, err = readPage(ctx, t, r, whole, state, 10)
			require.Equal(t, fault.Canceled, fault.ClassOf(err), "%v", err)
			if why != nil {
				require.ErrorIs(t, err, why)
			}
		}
		require.Zero(t, h.reading)
		require.NoError(t, r.Close())
	}
}

// A range in which a file is broken fails with an error that names the file. Other ranges are read.
// Once the file is repaired, that range is read too.
func TestDamagedFile(t *testing.T) {
	folder := copied(t, "files/nb_lz4")
	path := filepath.Join(folder, first.Name(component.DataDB))
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	want := make(map[token.Range][][][]byte)
	o := options(open(t, folder))
	for _, within := range quarters() {
		want[within] = readAll(t, New(o), within)
		require.NotEmpty(t, want[within])
	}
	broken := bytes.Clone(data)
	broken[len(broken)/2] ^= 1
	require.NoError(t, os.WriteFile(path, broken, 0o600))

	h := &held{files: []File{open(t, folder)}}
	o.Files = h
	r := New(o)
	var failed []token.Range
	for _, within := range quarters() {
		var rows [][][]byte
		var state []byte
		for {
			p, err := readPage(t.Context(), t, r, within, state, 20)
			if err != nil {
				require.Equal(t, fault.GivenUp, fault.ClassOf(err), "%v", err)
				require.Equal(t, 1, strings.Count(err.Error(), path), "%v", err)
				failed = append(failed, within)
				require.Equal(t, want[within][:len(rows)], rows, "what came before was right")
				break
			}
			rows = append(rows, p.rows...)
			if state = p.state; len(state) == 0 {
				require.Equal(t, want[within], rows)
				break
			}
		}
		require.Zero(t, h.reading)
	}
	require.Len(t, failed, 1)

	require.NoError(t, os.WriteFile(path, data, 0o600))
	o.Files = Fixed{open(t, folder)}
	require.Equal(t, want[failed[0]], readAll(t, New(o), failed[0]))
}

// So is a range that cannot even be begun, since the index is that of another file, or the table
// has other columns.
func TestFilesThatDoNotFit(t *testing.T) {
	folder := copied(t, "files/nb_lz4")
	path := filepath.Join(folder, first.Name(component.IndexDB))
	require.NoError(t, os.Truncate(path, 1000))
	_, err := readPage(t.Context(), t, New(options(open(t, folder))), quarters()[3], nil, 10)
	require.Equal(t, fault.GivenUp, fault.ClassOf(err), "%v", err)
	require.ErrorContains(t, err, path)

	folder = copied(t, "files/nb_lz4")
	require.NoError(t, os.Remove(filepath.Join(folder, first.Name(component.IndexDB))))
	path = filepath.Join(folder, first.Name(component.DataDB))
	stat, err := os.Stat(path)
	require.NoError(t, err)
	require.NoError(t, os.Truncate(path, stat.Size()-1))
	_, err = readPage(t.Context(), t, New(options(open(t, folder))), quarters()[3], nil, 10)
	require.Equal(t, fault.GivenUp, fault.ClassOf(err), "%v", err)
	require.ErrorContains(t, err, path)

	other := open(t, copied(t, "statics"))
	h := &held{files: []File{open(t, copied(t, "files/nb_lz4")), other}}
	o := options(h.files...)
	o.Files = h
	_, err = readPage(t.Context(), t, New(o), whole, nil, 10)
	require.Equal(t, fault.GivenUp, fault.ClassOf(err), "%v", err)
	require.ErrorContains(t, err, other.Path())
	require.Zero(t, h.reading)
}
