package records

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/ingest"
	"github.com/cqlbulk/cqlbulk/internal/run/journal"
	"github.com/cqlbulk/cqlbulk/internal/run/reject"
)

// bad is a load, each of whose pieces is one rejected row of two bytes.
type bad struct {
	*testing.T
	*Load
	dir string
}

func beginBad(t *testing.T, boot string) *bad {
	dir := filepath.Join(t.TempDir(), "run")
	l, err := NewLoad(
		dir,
		journal.Manifest{Command: "load", Extra: []byte(`{"boot":"` + boot + `"}`)},
	)
	require.NoError(t, err)
	l.Use(reject.New(dir, ".csv"), false)
	return &bad{t, l, dir}
}

func (b *bad) settle(offset int64) error {
	b.Helper()
	p := ingest.Piece{Offset: offset, Bytes: 2, Count: 1}
	require.NoError(b, b.Begin(p))
	return b.Complete(
		p,
		ingest.Tally{Read: 1, ParseErrors: 1},
		[]ingest.Reject{{Raw: []byte("x\n"), Reason: "bad"}},
	)
}

// stop ends the run without a word.
func (b *bad) stop() { require.NoError(b, b.Abandon()) }

// goOn opens the journal and goes on, as far as the rejects.
func (b *bad) goOn() error {
	b.Helper()
	l, err := OpenLoad(b.dir)
	require.NoError(b, err)
	b.Load = l
	return l.GoOn(func(s reject.State) error { return reject.Check(b.dir, ".csv", s) })
}

func (b *bad) cut(size int64) {
	require.NoError(b, os.Truncate(filepath.Join(b.dir, "rejects.csv"), size))
}

// What was on the disk once must be there when a load goes on, and what was not is
// done again.
func TestRejectsLost(t *testing.T) {
	b := beginBad(t, "another boot")
	require.NoError(t, b.settle(0))
	require.NoError(t, b.Sync())
	require.NoError(t, b.settle(2))
	require.NoError(t, b.settle(4))
	b.stop()
	b.cut(4)
	for range 2 { // the second time nothing is undone any more
		require.NoError(t, b.goOn())
		require.EqualValues(t, 2, b.Loaded().Tally.Read)
		b.stop()
		_, seen, err := ReadLoad(b.dir)
		require.NoError(t, err)
		require.EqualValues(t, 2, seen.Tally.Read)
		require.Equal(t, []ingest.Piece{{Offset: 4, Bytes: 2}}, seen.Open)
	}
	b.cut(1)
	before, err := os.ReadFile(filepath.Join(b.dir, "journal"))
	require.NoError(t, err)
	require.ErrorContains(
		t,
		b.goOn(),
		"rejects.csv has 1 bytes instead of the 4 that the run had written: it was changed",
	)
	b.stop()
	after, err := os.ReadFile(filepath.Join(b.dir, "journal"))
	require.NoError(t, err)
	require.Equal(t, before, after, "nothing is noted")
}

// Rejects are lost with the machine alone: otherwise somebody has changed them, and
// they are left as they are.
func TestRejectsMendedEarly(t *testing.T) {
	if Boot() == "" {
		t.Skip("the system does not tell its boots apart")
	}
	for _, again := range []bool{false, true} {
		boot := Boot()
		if again {
			boot = "the one before"
		}
		b := beginBad(t, boot)
		if again {
			b.stop()
			require.NoError(t, b.goOn()) // from where on this boot is known
			b.Use(reject.New(b.dir, ".csv"), false)
		}
		require.NoError(t, b.settle(0))
		b.stop()
		path := filepath.Join(b.dir, "rejects.csv")
		require.NoError(t, os.WriteFile(path, []byte("y\nmended by hand\n"), 0o600))
		require.ErrorContains(
			t,
			b.goOn(),
			"its first 2 bytes are not those that the run had written",
		)
		b.stop()
	}
}

// flaky are rejects of which one sync fails.
type flaky struct {
	*reject.Dir
	fail error
}

func (f *flaky) Sync() error {
	err := f.fail
	f.fail = nil // as fsync(2): it is told once
	return errors.Join(err, f.Dir.Sync())
}

// When rejects may not be on the disk, no record says that they are.
func TestSyncFails(t *testing.T) {
	b := beginBad(t, "")
	broken := errors.New("the disk is broken")
	b.Use(&flaky{reject.New(b.dir, ".csv"), broken}, false)
	require.NoError(t, b.settle(0))
	require.ErrorIs(t, b.Sync(), broken)
	require.ErrorIs(t, b.Sync(), broken)
	require.ErrorIs(t, b.settle(2), broken)
	require.ErrorIs(t, b.Close(End{Outcome: Done}), broken)
	_, seen, err := ReadLoad(b.dir)
	require.NoError(t, err)
	require.Nil(t, seen.End)
	text, err := os.ReadFile(filepath.Join(b.dir, "journal"))
	require.NoError(t, err)
	require.NotContains(t, string(text), kindSynced)
}

// What comes after has timestamps above those of what was.
func TestStamped(t *testing.T) {
	b := beginBad(t, "")
	require.NoError(t, b.Begin(ingest.Piece{Offset: 0, Bytes: 40 << 20, Count: 1, Stamp: 1000}))
	require.NoError(t, b.Begin(ingest.Piece{Offset: 40 << 20, Bytes: 100, Count: 7, Stamp: 1001}))
	b.stop()
	require.NoError(t, b.goOn())
	require.EqualValues(t, 1001+7*ingest.MaxStampStep, b.NextTimestamp())
	b.stop()
}

// Journals of earlier versions have the state of all rejects in each record of a piece
// with rejects, those of this one what has changed: a journal may begin with the former.
func TestStatesOfAllRejectsAreRead(t *testing.T) {
	b := beginBad(t, "")
	rejects := reject.New(b.dir, ".csv")
	var all reject.State
	settle := func(n int64, older bool) {
		t.Helper()
		p := ingest.Piece{Offset: n, Bytes: 1, Count: 1}
		require.NoError(t, b.Begin(p))
		row := []ingest.Reject{
			{
				Header: fmt.Appendf(nil, "h%d\n", n%3),
				Raw:    fmt.Appendf(nil, "%d\n", n),
				Reason: "bad",
				Stage:  ingest.Parse,
			},
		}
		tally := ingest.Tally{Read: 1, ParseErrors: 1}
		if !older {
			require.NoError(t, b.Complete(p, tally, row))
			return
		}
		require.NoError(t, rejects.Add(row))
		changed, err := rejects.Changed()
		require.NoError(t, err)
		all.Update(changed)
		require.NoError(t, b.j.Append("settle", completedPiece{p.Input, p.Offset, tally, &all}))
	}
	for n := range int64(2) {
		settle(n, true)
	}
	for n := int64(2); n < 9; n++ {
		require.NoError(t, rejects.Close())
		b.stop()
		require.NoError(t, b.goOn())
		var err error
		rejects, err = reject.Resume(b.dir, ".csv", b.Loaded().Rejects)
		require.NoError(t, err)
		require.EqualValues(t, n, b.Loaded().Tally.Read)
		b.Use(rejects, false)
		settle(n, false)
		require.NoError(
			t,
			rejects.Add([]ingest.Reject{{Raw: []byte("of a piece that is not settled\n")}}),
		)
	}
	require.NoError(t, rejects.Close())
	b.stop()
	require.NoError(t, b.goOn())
	rejects, err := reject.Resume(b.dir, ".csv", b.Loaded().Rejects)
	require.NoError(t, err)
	require.NoError(t, rejects.Close())
	b.stop()
	for i, want := range []string{"h0\n0\n3\n6\n", "h1\n1\n4\n7\n", "h2\n2\n5\n8\n"} {
		// rejects-2.csv, rejects-3.csv, rejects.csv
		text, err := os.ReadFile(rejects.Files()[(i+2)%3])
		require.NoError(t, err)
		require.Equal(t, want, string(text))
	}
	text, err := os.ReadFile(filepath.Join(b.dir, "journal"))
	require.NoError(t, err)
	require.Equal(t, 2, strings.Count(string(text), " settle {"))
	require.Equal(t, 7, strings.Count(string(text), " settle-rejects {"))
}
