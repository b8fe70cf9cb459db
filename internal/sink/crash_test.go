package sink

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/cqlbulk/cqlbulk/internal/source"
	"github.com/cqlbulk/cqlbulk/internal/store"
)

// crashing is an output that is killed again and again, and the rows it owes.
type crashing struct {
	t       *testing.T
	random  *rand.Rand
	options Options
	folder  string // of the files
	left    []int  // rows that no mark vouches for
	noted   *Mark  // the last mark in the journal
	journal Mark   // as it is there, put together of what each mark had beyond the one before
}

// note puts a mark into the journal.
func (c *crashing) note(m *Mark) {
	c.t.Helper()
	news := reread(c.t, m.Since(c.noted))
	require.NoError(c.t, c.journal.Extend(&news))
	require.Equal(c.t, reread(c.t, m).Series, append([]SeriesMark{}, c.journal.Series...))
	c.noted = m
}

// crash copies what is on the disk to another folder, as a killed process leaves it, and continues
// there. It adds garbage wherever anything may follow.
func (c *crashing) crash(m *Mark) {
	c.t.Helper()
	to := c.t.TempDir()
	open := map[string]bool{}
	for _, s := range m.Series {
		if s.Open != nil {
			open[s.Open.Name+store.PartSuffix] = true
		}
	}
	for _, name := range names(c.t, c.folder) {
		stored, err := os.ReadFile(filepath.Join(c.folder, name))
		require.NoError(c.t, err)
		if open[name] && c.random.IntN(2) == 0 {
			stored = append(stored, "garbage of a torn write"...)
		}
		require.NoError(c.t, os.WriteFile(filepath.Join(to, name), stored, 0o600))
	}
	c.folder = to
	if c.options.Dir {
		c.options.Path = to
		stray := c.options.partName(77, 1) + store.PartSuffix
		require.NoError(c.t, os.WriteFile(filepath.Join(to, stray), []byte("garbage"), 0o600))
		return
	}
	c.options.Path = filepath.Join(to, filepath.Base(c.options.Path))
}

// write hands some of the rows to each of the writers, all at once, and gives what
// is left of the rows.
func (c *crashing) write(writers []Writer, rows []int) []int {
	c.t.Helper()
	var group errgroup.Group
	for _, w := range writers {
		n := min(len(rows), c.random.IntN(400))
		mine, each := rows[:n], 1+c.random.IntN(30)
		rows = rows[n:]
		group.Go(func() error {
			for batch := range slices.Chunk(mine, each) {
				var b []byte
				for _, row := range batch {
					b = append(b, text(row, 1)...)
				}
				if err := w.Write(len(batch), b); err != nil {
					return err
				}
			}
			return nil
		})
	}
	require.NoError(c.t, group.Wait())
	return rows
}

// run writes rows with marks in between, until it is killed or all are written. It returns the last
// mark that came to the journal.
func (c *crashing) run(o *Output, kill bool) (m *Mark, done bool) {
	c.t.Helper()
	var writers []Writer
	for range 1 + c.random.IntN(4) {
		writers = append(writers, o.Writer())
	}
	m, err := o.Mark()
	require.NoError(c.t, err)
	c.note(m)
	rows := c.left
	for range 1 + c.random.IntN(6) {
		var syncing errgroup.Group
		syncing.Go(o.Sync) // beside the writers
		rows = c.write(writers, rows)
		require.NoError(c.t, syncing.Wait())
		if c.random.IntN(3) > 0 {
			m, err = o.Mark()
			require.NoError(c.t, err)
			c.note(m)
			c.left = rows
		}
	}
	if kill {
		return m, false
	}
	for len(rows) > 0 {
		rows = c.write(writers, rows)
	}
	c.left = nil
	m, err = o.Complete()
	require.NoError(c.t, err)
	c.note(m)
	return m, true
}

// reread takes the mark through its JSON.
func reread(t *testing.T, m *Mark) Mark {
	t.Helper()
	b, err := json.Marshal(m)
	require.NoError(t, err)
	var again Mark
	require.NoError(t, json.Unmarshal(b, &again))
	return again
}

// requireRows checks that the files hold each of the rows once, and the header each.
func (c *crashing) requireRows(o *Output, count int) {
	c.t.Helper()
	found := make([]int, count)
	total := int64(0)
	for _, f := range o.Files() {
		plain := contents(c.t, c.folder, c.options.Compression, f)
		require.Equal(
			c.t,
			plain,
			string(readAsInput(c.t, filepath.Join(c.folder, f.Name))),
			"as a load reads it",
		)
		body, ok := strings.CutPrefix(plain, header)
		require.True(c.t, ok, f.Name)
		n := int64(0)
		for line := range strings.Lines(body) {
			id, _, _ := strings.Cut(line, ",")
			row, err := strconv.Atoi(id)
			require.NoError(c.t, err)
			require.Equal(c.t, string(text(row, 1)), line)
			found[row]++
			n++
		}
		require.Equal(c.t, n, f.Rows)
		if limit := c.options.MaxRows; limit > 0 {
			require.LessOrEqual(c.t, f.Rows, limit)
		}
		if limit := c.options.MaxBytes; limit > 0 {
			require.LessOrEqual(c.t, f.TextBytes, limit)
		}
		total += n
	}
	require.Equal(c.t, int64(count), total)
	require.Equal(c.t, slices.Repeat([]int{1}, count), found)
	require.Len(c.t, names(c.t, c.folder), len(o.Files()), "and nothing else is there")
}

// readAsInput reads a file as a load does.
func readAsInput(t *testing.T, path string) []byte {
	t.Helper()
	inputs, _, err := source.Find([]string{path}, nil)
	require.NoError(t, err)
	require.Len(t, inputs, 1)
	r, err := inputs[0].Open()
	require.NoError(t, err)
	plain, err := io.ReadAll(r)
	require.NoError(t, err)
	require.NoError(t, r.Close())
	return plain
}

func TestKilledAndResumed(t *testing.T) {
	for _, compression := range every() {
		for form, options := range map[string]Options{
			"file":          {},
			"folder":        {Dir: true, Base: "b"},
			"rolled folder": {Dir: true, Base: "b", Ext: ".csv", MaxRows: 150, MaxBytes: 2500},
		} {
			for seed := range uint64(4) {
				t.Run(fmt.Sprintf("%s %s %d", compression, form, seed), func(t *testing.T) {
					c := &crashing{
						t:       t,
						random:  rand.New(rand.NewPCG(seed, 1)),
						options: options,
						folder:  t.TempDir(),
					}
					c.options.Compression, c.options.Header = compression, []byte(header)
					c.options.Path = c.folder
					if !options.Dir {
						c.options.Path = filepath.Join(c.folder, "out")
					}
					const count = 3000
					for row := range count {
						c.left = append(c.left, row)
					}
					o, err := Open(c.options)
					require.NoError(t, err)
					kills := c.random.IntN(6)
					for {
						m, done := c.run(o, kills > 0)
						kills--
						journal := reread(t, m)
						require.Equal(t, int64(count-len(c.left)), rowsOf(m))
						if done {
							break
						}
						c.crash(m)
						require.NoError(t, o.Abort())
						c.options.Verify = c.random.IntN(2) == 0
						c.journal = reread(t, &c.journal)
						c.noted = &c.journal
						o, err = Resume(c.options, c.journal)
						require.NoError(t, err)
						again, err := o.Mark()
						require.NoError(t, err)
						require.Equal(
							t,
							journal,
							reread(t, again),
							"a mark of what is resumed is the same",
						)
					}
					require.NoError(t, o.Commit())
					c.requireRows(o, count)
				})
			}
		}
	}
}

// The names may be given to any of the files when the process is killed.
func TestKilledInCommit(t *testing.T) {
	for _, compression := range every() {
		for _, dir := range []bool{false, true} {
			for seed := range uint64(5) {
				t.Run(fmt.Sprintf("%s %t %d", compression, dir, seed), func(t *testing.T) {
					c := &crashing{
						t:      t,
						random: rand.New(rand.NewPCG(seed, 2)),
						folder: t.TempDir(),
					}
					c.options = Options{
						Path:        filepath.Join(c.folder, "out"),
						Compression: compression,
						Header:      []byte(header),
					}
					if dir {
						c.options = Options{
							Path:        c.folder,
							Dir:         true,
							Base:        "b",
							Compression: compression,
							Header:      []byte(header),
							MaxRows:     200,
						}
					}
					count := int(seed) * 300 // without a row, too
					for row := range count {
						c.left = append(c.left, row)
					}
					o, err := Open(c.options)
					require.NoError(t, err)
					m, done := c.run(o, false)
					require.True(t, done)
					for _, path := range o.Parts() {
						if c.random.IntN(2) == 0 {
							require.NoError(
								t,
								os.Rename(path, strings.TrimSuffix(path, store.PartSuffix)),
							)
						}
					}
					named := names(t, c.folder)
					o, err = Resume(c.options, reread(t, m))
					require.NoError(t, err)
					require.Equal(t, named, names(t, c.folder))
					if !dir {
						require.ErrorIs(t, o.Writer().Write(1, text(0, 1)), errWhole)
					}
					require.NoError(t, o.Commit())
					c.requireRows(o, count)

					o, err = Resume(c.options, reread(t, m))
					require.NoError(t, err, "all have their names")
					require.NoError(t, o.Commit())
					require.Empty(t, o.Parts())
					c.requireRows(o, count)
				})
			}
		}
	}
}

// A mark right before Commit serves as well, when all writers have a file.
func TestNamedWithoutComplete(t *testing.T) {
	for _, compression := range every() {
		path := filepath.Join(t.TempDir(), "out")
		options := Options{Path: path, Compression: compression, Header: []byte(header)}
		o, err := Open(options)
		require.NoError(t, err)
		require.NoError(t, o.Writer().Write(50, text(0, 50)))
		m, err := o.Mark()
		require.NoError(t, err)
		require.NotNil(t, m.Series[0].Open)
		require.NoError(t, o.Commit())
		want := o.Files()
		o, err = Resume(options, reread(t, m))
		require.NoError(t, err)
		require.NoError(t, o.Commit())
		require.Equal(t, want, o.Files())
		plain := readAsInput(t, path)
		require.True(t, bytes.Equal(plain, append([]byte(header), text(0, 50)...)))
	}
}
