package records

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/zeebo/xxh3"

	"github.com/cqlbulk/cqlbulk/internal/fault"
	"github.com/cqlbulk/cqlbulk/internal/format"
	"github.com/cqlbulk/cqlbulk/internal/ingest"
	"github.com/cqlbulk/cqlbulk/internal/load"
	"github.com/cqlbulk/cqlbulk/internal/pace"
	"github.com/cqlbulk/cqlbulk/internal/progress"
	"github.com/cqlbulk/cqlbulk/internal/row"
	"github.com/cqlbulk/cqlbulk/internal/run/journal"
	"github.com/cqlbulk/cqlbulk/internal/run/reject"
	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/internal/write"
	"github.com/cqlbulk/cqlbulk/internal/write/cql"
	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
)

// store plays the database. It counts how often each row was applied, and keeps the timestamps.
// When no requests are left, it ends the run.
type store struct {
	mu         sync.Mutex
	applied    map[int32]int
	stamps     map[int32]map[int64]bool
	left       int
	stop       context.CancelFunc
	sync       func() // called at every eighth request
	idempotent bool
}

func (s *store) Idempotent() bool { return s.idempotent }

func (s *store) Write(ctx context.Context, _ string, rows []row.Row) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.left--; s.left <= 0 {
		s.stop()
		return fault.New(fault.Canceled, ctx.Err())
	}
	if s.sync != nil && s.left%8 == 0 {
		s.sync()
	}
	for _, r := range rows {
		k := int32(binary.BigEndian.Uint32(r.Cells[0].Bytes))
		s.applied[k]++
		if s.stamps[k] == nil {
			s.stamps[k] = map[int64]bool{}
		}
		s.stamps[k][r.Timestamp] = true
	}
	return nil
}

func tableOf(kind cqltype.Kind) *schema.Table {
	return schema.New("ks", "t", []schema.Column{
		{Name: "k", Kind: schema.PartitionKey, Type: &cqltype.Type{Kind: cqltype.Int}},
		{Name: "v", Kind: schema.Regular, Type: &cqltype.Type{Kind: kind}},
	})
}

// TestLoadIsResumed stops a load repeatedly, in any state of its journal. In the end every row was
// written, with one timestamp, and each bad row is among the rejects once.
func TestLoadIsResumed(t *testing.T) {
	for seed := range uint64(30) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) { resumeLoad(t, seed, cqltype.Text, 0) })
	}
}

// TestCountersAreResumed does the same with counters: every row was written, or it
// is in doubt, and no row was written twice.
func TestCountersAreResumed(t *testing.T) {
	for seed := range uint64(20) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) { resumeLoad(t, seed, cqltype.Counter, 0) })
	}
}

// TestManyFilesAreResumed does the same with many small files, whose pieces go in groups and come
// several to a record.
func TestManyFilesAreResumed(t *testing.T) {
	for seed := range uint64(20) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) { resumeLoad(t, seed, cqltype.Text, 150) })
		t.Run(
			fmt.Sprint(seed, " of counters"),
			func(t *testing.T) { resumeLoad(t, seed, cqltype.Counter, 150) },
		)
	}
}

// resumeLoad resumes a load of some small files; 0: of a few inputs that are none.
func resumeLoad(t *testing.T, seed uint64, kind cqltype.Kind, files int) {
	rng := rand.New(rand.NewPCG(seed, 3))
	texts := make([]string, 1+seed%3)
	var beside []journal.File
	if files > 0 {
		texts, beside = make([]string, files), []journal.File{{Name: journal.InputsFile}}
	}
	bad := map[string]bool{}
	const rows = 600
	for i := range rows {
		line := fmt.Sprintf("%d,%d\n", i, rng.IntN(1000))
		switch rng.IntN(40) {
		case 0:
			line = fmt.Sprintf("x%d,1\n", i)
		case 1:
			line = fmt.Sprintf(
				"%d,\"%s\n",
				i,
				strings.Repeat("long", 40),
			) // a quote that is not closed
		}
		if !strings.HasPrefix(line, fmt.Sprint(i)) || strings.Contains(line, `"`) {
			bad[line] = true
		}
		texts[i*len(texts)/rows] += line
	}
	dir := filepath.Join(t.TempDir(), "run")
	s := &store{
		applied:    map[int32]int{},
		stamps:     map[int32]map[int64]bool{},
		idempotent: kind != cqltype.Counter,
	}
	l, err := NewLoad(dir, journal.Manifest{Command: "load"}, beside...)
	require.NoError(t, err)
	rejects := reject.New(dir, ".csv")
	var result load.Result
	var skips atomic.Int64
	var opened atomic.Int64 // an input may still be opening when its run has ended
	for runs := 0; ; runs++ {
		require.Less(t, runs, 100)
		ctx, stop := context.WithCancel(t.Context())
		s.left, s.stop = 1+rng.IntN(40), stop
		s.sync = func() { require.NoError(t, l.Sync()) }
		l.Use(rejects, kind == cqltype.Counter)
		job := &load.Job{
			Job: ingest.Job{
				Table: tableOf(
					kind,
				),
				Format:          format.CSV,
				Header:          true,
				Journal:         l,
				Rejects:         rejects,
				Router:          write.NewRouter(nil, nil, nil),
				MaxParseErrors:  -1,
				MaxInsertErrors: -1,
				ChunkSize:       100 + int(seed)*20,
				MaxRecord:       120,
				Counters:        &progress.Counters{},
				Limits:          ingest.Limits{MaxMutationBytes: 5000},
			},
			CQL: cql.Options{
				NewWriter: func([]schema.Column) cql.Writer { return s },
				Limits: cql.Limits{
					MaxRows:        10,
					Partitions:     10,
					Bytes:          5000,
					PartitionBytes: 5000,
				},
				InFlight: 4,
				MinBatch: 5,
				Attempts: 2,
				Backoff:  pace.Backoff{Base: time.Nanosecond, Max: time.Nanosecond},
			},
		}
		for i, text := range texts {
			job.Inputs = append(
				job.Inputs,
				ingest.Input{
					Name:  fmt.Sprint("f", i),
					Plain: files > 0,
					Size:  int64(len("k,v\n" + text)),
					Open: func() (io.ReadCloser, error) {
						opened.Add(1)
						return &disk{strings.NewReader("k,v\n" + text), &skips}, nil
					},
				},
			)
		}
		result, err = job.Run(ctx)
		stop()
		require.NoError(t, rejects.Close())
		if err == nil {
			// a kill may lose pieces that are complete and not in the journal yet
			require.NoError(t, l.Sync())
		}
		require.NoError(t, l.Abandon())
		if err == nil {
			break
		}
		require.Equal(t, fault.Canceled, fault.ClassOf(err), err)
		power := rng.IntN(3) == 0
		if power {
			failPower(t, rng, dir)
		}
		l, err = OpenLoad(dir)
		require.NoError(t, err)
		if power {
			l.earlier.boot = "the one before"
		}
		require.NoError(
			t,
			l.Resume(func(s reject.State) error { return reject.Check(dir, ".csv", s) }),
		)
		rejects, err = reject.Resume(dir, ".csv", l.Loaded().Rejects)
		require.NoError(t, err)
	}
	t.Logf(
		"%d times an input was opened, and %d times taken up in its middle",
		opened.Load(),
		skips.Load(),
	)
	require.EqualValues(t, rows, result.Read)
	require.EqualValues(t, len(bad), result.ParseErrors)
	require.Zero(t, result.InsertErrors)
	require.EqualValues(t, rows-len(bad), result.Written+result.InDoubt)
	kept := rejected(t, dir)
	for line := range bad {
		require.Equal(t, 1, kept[line], "%q", line)
	}
	written := 0
	for k, n := range s.applied {
		require.Len(t, s.stamps[k], 1, "row %d", k)
		if kind == cqltype.Counter {
			require.Equal(t, 1, n, "row %d", k)
		}
		written++
	}
	if kind == cqltype.Counter {
		require.LessOrEqual(t, result.Written, int64(written))
		require.GreaterOrEqual(t, result.Written+result.InDoubt, int64(written))
	} else {
		require.Equal(t, rows-len(bad), written)
		require.Zero(t, result.InDoubt)
	}
	_, seen, err := ReadLoad(dir)
	require.NoError(t, err)
	require.Equal(t, result.Tally, seen.Tally)
	require.Empty(t, seen.Open)
}

// disk is an input that can be taken up in its middle.
type disk struct {
	*strings.Reader
	skips *atomic.Int64
}

func (d *disk) Close() error { return nil }

func (d *disk) SkipTo(offset int64) (bool, error) {
	if offset <= d.Size()-int64(d.Len()) {
		return false, nil
	}
	d.skips.Add(1)
	_, err := d.Seek(offset, io.SeekStart)
	return true, err
}

// failPower removes all or a part of the rejects that are not known to be on the disk. That happens
// if the machine goes down after the journal was written to the disk.
func failPower(t *testing.T, rng *rand.Rand, dir string) {
	t.Helper()
	l := &Loaded{}
	_, err := journal.Read(dir, l.apply)
	require.NoError(t, err)
	synced := map[string]int64{}
	for _, f := range l.Rejects.Files {
		synced[f.Name] = f.Size
	}
	for _, pattern := range []string{"*.csv", "errors.jsonl"} {
		paths, err := filepath.Glob(filepath.Join(dir, pattern))
		require.NoError(t, err)
		for _, path := range paths {
			info, err := os.Stat(path)
			require.NoError(t, err)
			safe, ok := synced[filepath.Base(path)]
			if !ok && rng.IntN(2) == 0 {
				require.NoError(t, os.Remove(path))
				continue
			}
			require.NoError(t, os.Truncate(path, safe+rng.Int64N(info.Size()-safe+1)))
		}
	}
}

// rejected counts the rows in the files of rejects.
func rejected(t *testing.T, dir string) map[string]int {
	t.Helper()
	found := map[string]int{}
	names, err := filepath.Glob(filepath.Join(dir, "rejects*.csv"))
	require.NoError(t, err)
	for _, name := range names {
		data, err := os.ReadFile(name)
		require.NoError(t, err)
		for line := range strings.Lines(string(data)) {
			found[line]++
		}
	}
	return found
}

// An input that was changed in its middle is found out by its bytes.
func TestChangedInputIsFoundOut(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	l, err := NewLoad(dir, journal.Manifest{Command: "load"})
	require.NoError(t, err)
	run := func(l *Load, text string) error {
		rejects := reject.New(dir, ".csv")
		l.Use(rejects, false)
		s := &store{
			applied:    map[int32]int{},
			stamps:     map[int32]map[int64]bool{},
			left:       1000,
			idempotent: true,
		}
		job := &load.Job{
			Job: ingest.Job{
				Table: tableOf(
					cqltype.Text,
				),
				Format:    format.CSV,
				Header:    true,
				Journal:   l,
				Rejects:   rejects,
				Router:    write.NewRouter(nil, nil, nil),
				Counters:  &progress.Counters{},
				ChunkSize: 8,
				Inputs: []ingest.Input{{Name: "f", Open: func() (io.ReadCloser, error) {
					return io.NopCloser(io.MultiReader(strings.NewReader(text), failing{})), nil
				}}},
				Limits: ingest.Limits{MaxMutationBytes: 5000},
			},
			CQL: cql.Options{
				NewWriter: func([]schema.Column) cql.Writer { return s },
				Limits: cql.Limits{
					MaxRows:        10,
					Partitions:     10,
					Bytes:          5000,
					PartitionBytes: 5000,
				},
			},
		}
		_, err := job.Run(t.Context())
		return errors.Join(err, l.Abandon())
	}
	require.ErrorIs(t, run(l, "k,v\n1,a\n2,b\n3,c\n"), errBroken)
	l, err = OpenLoad(dir)
	require.NoError(t, err)
	require.ErrorContains(
		t,
		run(l, "k,v\n1,a\n2,X\n3,c\n"),
		"f: bytes 4 to 12 are not those that the run had read: the input was changed",
	)
}

// If an input ends before what an earlier run had read, it does not count as done. It may be a pipe
// that has no more data.
func TestShorterInputIsFoundOut(t *testing.T) {
	for text, reason := range map[string]string{
		"":                "f is empty, and the run had read 16 bytes of it: it is not the same",
		"k,v\n":           "f: the input ends after 0 bytes, and the run had read 16 of it: it is not the same",
		"k,v\n1,a\n2,b\n": "f: the input ends after 12 bytes, and the run had read 16 of it: it is not the same",
	} {
		dir := filepath.Join(t.TempDir(), "run")
		l, err := NewLoad(dir, journal.Manifest{Command: "load"})
		require.NoError(t, err)
		require.NoError(
			t,
			l.Begin(
				ingest.Piece{
					Offset: 4,
					Bytes:  8,
					Hash:   xxh3.HashStringSeed("1,a\n2,b\n", xxh3.HashString("k,v\n")),
					Stamp:  1,
				},
			),
		)
		require.NoError(t, l.Begin(ingest.Piece{Offset: 12, Bytes: 4, Stamp: 3}))
		require.NoError(t, l.Abandon())
		l, err = OpenLoad(dir)
		require.NoError(t, err)
		rejects := reject.New(dir, ".csv")
		l.Use(rejects, false)
		s := &store{
			applied:    map[int32]int{},
			stamps:     map[int32]map[int64]bool{},
			left:       1000,
			idempotent: true,
		}
		job := &load.Job{
			Job: ingest.Job{
				Table: tableOf(
					cqltype.Text,
				),
				Format:    format.CSV,
				Header:    true,
				Journal:   l,
				Rejects:   rejects,
				Router:    write.NewRouter(nil, nil, nil),
				Counters:  &progress.Counters{},
				ChunkSize: 8,
				Inputs: []ingest.Input{{Name: "f", Open: func() (io.ReadCloser, error) {
					return io.NopCloser(strings.NewReader(text)), nil
				}}},
				Limits: ingest.Limits{MaxMutationBytes: 5000},
			},
			CQL: cql.Options{
				NewWriter: func([]schema.Column) cql.Writer { return s },
				Limits: cql.Limits{
					MaxRows:        10,
					Partitions:     10,
					Bytes:          5000,
					PartitionBytes: 5000,
				},
			},
		}
		_, err = job.Run(t.Context())
		require.EqualError(t, err, reason, "%q", text)
		require.NoError(t, l.Abandon())
	}
}

var errBroken = errors.New("the pipe broke")

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, errBroken }
