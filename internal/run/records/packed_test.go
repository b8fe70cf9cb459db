package records

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/filesum"
	"github.com/cqlbulk/cqlbulk/internal/ingest"
	"github.com/cqlbulk/cqlbulk/internal/run/journal"
	"github.com/cqlbulk/cqlbulk/internal/sink"
)

// Pieces come out of a record as they went in, whatever they are.
func TestPackedPieces(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var pieces []ingest.Piece
	for i := range 500 {
		pieces = append(pieces, ingest.Piece{
			Input:   i*3 - i%2,
			Offset:  rng.Int64N(1 << 40),
			Bytes:   rng.IntN(1 << 20),
			Count:   rng.IntN(1000),
			Hash:    rng.Uint64(),
			Stamp:   rng.Int64N(1 << 60),
			Repeats: uint8(rng.IntN(8)),
			Line:    rng.Int64N(1 << 30),
		})
	}
	var got []ingest.Piece
	require.NoError(
		t,
		packBegun(pieces).each(func(p ingest.Piece) error { got = append(got, p); return nil }),
	)
	require.Equal(t, pieces, got)
	var done doneList
	rng.Shuffle(len(pieces), func(i, j int) { pieces[i], pieces[j] = pieces[j], pieces[i] })
	for _, p := range pieces {
		done.add(p.Input, p.Offset, ingest.Tally{Written: 2})
	}
	c := done.pack()
	require.EqualValues(t, 1000, c.Tally.Written)
	i := 0
	require.NoError(t, c.each(func(input int, offset int64) error {
		require.Equal(t, pieces[i].Input, input)
		require.Equal(t, pieces[i].Offset, offset)
		i++
		return nil
	}))
	require.Equal(t, len(pieces), i)

	whole := packBegun(pieces[:1]).Pieces
	for n := 1; n < len(whole); n++ {
		require.ErrorIs(
			t,
			begun{whole[:n]}.each(func(ingest.Piece) error { return nil }),
			errPacked,
		)
	}
	require.ErrorIs(
		t,
		completed{Pieces: []byte{0}}.each(func(int, int64) error { return nil }),
		errPacked,
	)
}

// A load of many small inputs takes less than 100 bytes of its run directory for each of them.
func TestManyInputsTakeFewBytes(t *testing.T) {
	const inputs = 5000
	dir := filepath.Join(t.TempDir(), "run")
	list := &Inputs{}
	at := time.Now()
	for i := range inputs {
		at = at.Add(137 * time.Microsecond)
		require.NoError(t, list.Add(Input{
			Path: fmt.Sprintf(
				"/srv/data/2026/%03d/measurement-%06d.csv",
				i/100,
				i,
			),
			Size:  4321,
			Time:  at,
			Inode: at.UnixNano() + 5000,
			Ends:  fmt.Sprintf("%064x", rand.Uint64()),
		}))
	}
	var extra Extra
	files := list.Keep(&extra)
	require.Nil(t, extra.Inputs)
	l, err := NewLoad(dir, journal.Manifest{Command: "load"}, files...)
	require.NoError(t, err)
	var group []ingest.Piece
	for i := range inputs {
		group = append(
			group,
			ingest.Piece{
				Input:  i,
				Offset: 20,
				Bytes:  4301,
				Count:  40,
				Hash:   rand.Uint64(),
				Stamp:  at.UnixMicro() + int64(40*i),
				Line:   2,
			},
		)
		if len(group) == 32 || i == inputs-1 {
			require.NoError(t, l.Begin(group...))
			for _, p := range group {
				require.NoError(t, l.Complete(p, ingest.Tally{Read: 40, Written: 40}, nil))
			}
			group = group[:0]
		}
	}
	require.NoError(t, l.Close(End{Outcome: Done}))
	var size int64
	for _, name := range []string{journal.ManifestFile, journal.InputsFile, "journal"} {
		info, err := os.Stat(filepath.Join(dir, name))
		require.NoError(t, err)
		size += info.Size()
	}
	t.Logf("%.1f bytes an input", float64(size)/inputs)
	require.Less(t, size, int64(100*inputs))
	_, loaded, err := ReadLoad(dir)
	require.NoError(t, err)
	require.EqualValues(t, 40*inputs, loaded.Tally.Written)
	require.Equal(t, inputs, loaded.Pieces)
	require.Empty(t, loaded.Open)
}

// A list of inputs comes back from its run directory as it was, and not when it was changed. That
// of few inputs stays in run.json, where older programs find it.
func TestListOfInputs(t *testing.T) {
	folder := t.TempDir()
	for _, count := range []int{0, 1, fewInputs, fewInputs + 1, 3000} {
		var want []Input
		for i := range count {
			path := filepath.Join(folder, fmt.Sprintf("%d.csv", i))
			require.NoError(t, os.WriteFile(path, []byte(fmt.Sprintf("text of %d\n", i)), 0o600))
			want = append(want, Input{Path: path})
		}
		if count > 1 {
			want[count-1].Path = Standard
		}
		list, err := LookAtAll(nil, count, func(i int) string { return want[i].Path })
		require.NoError(t, err)
		for i := range want {
			want[i], err = LookAt(nil, want[i].Path)
			require.NoError(t, err)
		}
		var extra Extra
		files := list.Keep(&extra)
		require.Equal(t, count > fewInputs, list.Many())
		require.Equal(t, list.Many(), len(files) > 0)
		if !list.Many() {
			require.Equal(t, want, append([]Input(nil), extra.Inputs...), "with the whole hash")
		}
		dir := filepath.Join(folder, fmt.Sprint("run", count))
		l, err := NewLoad(dir, journal.Manifest{Command: "load"}, files...)
		require.NoError(t, err)
		require.NoError(t, l.Abandon())
		read, err := InputsOf(dir, extra)
		require.NoError(t, err)
		require.Equal(t, count, read.Len())
		require.Equal(t, list.Stored(), read.Stored())
		require.Equal(t, count > 1, read.Standard())
		for i, in := range read.All() {
			require.True(t, len(in.Ends) == 2*keptEnds || in.Other)
			require.Equal(t, want[i].Ends[:len(in.Ends)], in.Ends)
			in.Ends = want[i].Ends
			require.Equal(t, want[i], in)
			touched, err := in.Check(nil)
			require.NoError(t, err)
			require.False(t, touched)
		}
		if !list.Many() {
			continue
		}
		path := filepath.Join(dir, journal.InputsFile)
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		text[len(text)/2]++
		require.NoError(t, os.WriteFile(path, text, 0o600))
		_, err = InputsOf(dir, extra)
		require.ErrorContains(t, err, "inputs is not the one that run.json knows: it was changed")
		require.NoError(t, os.Remove(path))
		_, err = InputsOf(dir, extra)
		require.ErrorIs(t, err, os.ErrNotExist)
	}
}

// A list that is cut off anywhere is refused.
func TestListOfInputsCutOff(t *testing.T) {
	list := listOf(
		t,
		Input{Path: "/a/b", Size: 5, Time: time.Unix(5, 6), Ends: fmt.Sprintf("%064x", 1)},
		Input{Path: "/a/c", Other: true},
	)
	whole := slices.Clone(list.text)
	_, err := parseInputs(whole, 2)
	require.NoError(t, err)
	for n := range whole {
		_, err := parseInputs(whole[:n], 2)
		require.ErrorIs(t, err, errList)
	}
	_, err = parseInputs(whole, 1)
	require.ErrorIs(t, err, errList)
}

// Many finished files of an output come out of the record of a mark as they went in, in few bytes.
// A few are objects.
func TestPackedFiles(t *testing.T) {
	var m sink.Mark
	for worker := 1; worker <= 3; worker++ {
		s := sink.SeriesMark{Worker: worker}
		for n := 1; n <= worker*100; n++ {
			s.Done = append(s.Done, sink.FileMark{
				Number:    7 + n,
				Name:      fmt.Sprintf("part-%04d-%04d.csv", worker, 7+n),
				Rows:      int64(n),
				TextBytes: rand.Int64N(1 << 30),
				Bytes:     rand.Int64N(1 << 20),
				Sum:       filesum.Sum{XXH64: fmt.Sprintf("%016x", rand.Uint64())},
			})
			if worker == 1 {
				s.Done[n-1].Sum = filesum.Sum{SHA256: fmt.Sprintf("%064x", rand.Uint64())}
			}
		}
		m.Series = append(m.Series, s)
	}
	m.Series = append(
		m.Series,
		sink.SeriesMark{Worker: 4, Open: &sink.FileMark{Number: 1, Name: "x", State: []byte{1}}},
	)
	rest, files := packFiles(&m)
	for _, s := range rest.Series {
		require.Empty(t, s.Done)
	}
	require.Len(t, m.Series[2].Done, 300, "marks are shared, and stay as they are")
	text, err := json.Marshal(markedFiles{marked{Output: rest}, files})
	require.NoError(t, err)
	require.Less(t, len(text), 60*600)
	require.Equal(t, filesum.SHA256, files[0].Sum)
	files[0].Sum = "" // as programs before had it
	text, err = json.Marshal(markedFiles{marked{Output: rest}, files})
	require.NoError(t, err)
	var got markedFiles
	require.NoError(t, json.Unmarshal(text, &got))
	require.NoError(t, got.unpack())
	require.Equal(t, m, *got.Output)

	for n := 1; n < 40; n++ {
		_, err := packedFiles{Packed: files[0].Packed[:n]}.unpack()
		require.ErrorIs(t, err, errPacked)
	}
	mixed := sink.Mark{
		Series: []sink.SeriesMark{
			{Worker: 1, Done: slices.Concat(m.Series[0].Done, m.Series[1].Done)},
		},
	}
	rest, files = packFiles(&mixed)
	require.Same(t, &mixed, rest)
	require.Nil(t, files)
	few := sink.Mark{Series: []sink.SeriesMark{{Worker: 1, Done: m.Series[0].Done[:fewFiles]}}}
	rest, files = packFiles(&few)
	require.Same(t, &few, rest)
	require.Nil(t, files)
}
