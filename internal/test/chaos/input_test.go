package chaos

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/require"
)

// place is where a record stands.
type place struct {
	path   string
	offset int64 // of its first byte, in the text that is not compressed
}

// input is the files of a load.
type input struct {
	shape   *shape
	json    bool
	paths   []string
	headers map[string][]byte // by path
	records []*record         // of all files, in order
	places  map[place]*record
}

// form is how one file is written.
type form struct {
	columns []int
	end     string // of a line
	plain   bool   // there are no quotes in it, but for one that stays open
	open    bool   // which there is
	bad     int    // one record in this many is bad; 0: none
	mark    bool   // it begins with a byte order mark
}

func drawForm(r *rand.Rand, s *shape, json bool) form {
	f := form{end: "\n", bad: []int{0, 40, 6}[r.IntN(3)], mark: chance(r, 8)}
	for i := range s.columns {
		if i < s.whole || i == s.id || !chance(r, 6) {
			f.columns = append(f.columns, i)
		}
	}
	if chance(r, 3) {
		r.Shuffle(
			len(f.columns),
			func(i, j int) { f.columns[i], f.columns[j] = f.columns[j], f.columns[i] },
		)
	}
	if chance(r, 4) {
		f.end = "\r\n"
	}
	f.plain = !json && chance(r, 3)
	f.open = f.plain && chance(r, 2)
	return f
}

// drawInput makes the files of a load of a shape in a folder.
func drawInput(t *testing.T, r *rand.Rand, dir string, of *shape) *input {
	in := &input{
		shape:   of,
		json:    chance(r, 3),
		headers: make(map[string][]byte),
		places:  make(map[place]*record),
	}
	rows := 20 << r.IntN(8)
	d := newDrawer(r, in.shape, rows)
	files := 1 + r.IntN(1+r.IntN(30))
	for i := range files {
		f := drawForm(r, in.shape, in.json)
		ending := []string{"", "", ".gz", ".zst"}[r.IntN(4)]
		path := filepath.Join(dir, fmt.Sprintf("in-%02d.csv", i)+ending)
		if in.json {
			path = filepath.Join(dir, fmt.Sprintf("in-%02d.json", i)+ending)
		}
		in.write(t, d, f, path, r.IntN(2*rows/files+1))
	}
	return in
}

// write writes a file of rows records.
func (in *input) write(t *testing.T, d *drawer, f form, path string, rows int) {
	var all bytes.Buffer
	if f.mark {
		all.WriteString("\ufeff")
	}
	if !in.json {
		var names []string
		for _, c := range f.columns {
			names = append(names, in.shape.columns[c].Name)
		}
		header := strings.Join(names, ",") + f.end
		in.headers[path] = []byte(header)
		all.WriteString(header)
	}
	open := -1
	if f.open {
		open = d.IntN(rows + 1)
	}
	for i := range rows {
		if chance(d.Rand, 50) {
			all.WriteString(f.end)
		}
		rec := d.next(f.plain)
		for c := range rec.values {
			rec.has = append(rec.has, slices.Contains(f.columns, c))
			if !rec.has[c] {
				rec.values[c] = value{}
			}
		}
		var line string
		switch {
		case i == open:
			line = d.open(rec)
		// a file that begins with an array is refused
		case f.bad > 0 && (i > 0 || !in.json) && chance(d.Rand, f.bad):
			line = d.spoil(rec, f.columns, in.json, f.plain)
		case in.json:
			line = d.object(rec, f.columns)
		default:
			line = rec.delimited(f.columns)
		}
		if i < rows-1 || chance(d.Rand, 2) {
			line += f.end
		}
		rec.raw = []byte(line)
		in.places[place{path, int64(all.Len())}] = rec
		in.records = append(in.records, rec)
		all.WriteString(line)
	}
	in.paths = append(in.paths, path)
	require.NoError(t, os.WriteFile(path, compress(t, all.Bytes(), filepath.Ext(path)), 0o600))
}

// compress compresses as the ending of a file's name says.
func compress(t *testing.T, plain []byte, ending string) []byte {
	var out bytes.Buffer
	var w io.WriteCloser
	switch ending {
	case ".gz":
		w = gzip.NewWriter(&out)
	case ".zst":
		var err error
		w, err = zstd.NewWriter(&out)
		require.NoError(t, err)
	default:
		return plain
	}
	_, err := w.Write(plain)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return out.Bytes()
}

// choose leaves the records that are to be loaded: not the first skip, and most after
// those; most 0: all.
func (in *input) choose(skip, most int) {
	in.records = in.records[min(skip, len(in.records)):]
	if most > 0 {
		in.records = in.records[:min(most, len(in.records))]
	}
}
