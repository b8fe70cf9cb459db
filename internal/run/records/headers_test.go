package records

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/fault"
	"github.com/cqlbulk/cqlbulk/internal/format"
	"github.com/cqlbulk/cqlbulk/internal/ingest"
	"github.com/cqlbulk/cqlbulk/internal/load"
	"github.com/cqlbulk/cqlbulk/internal/progress"
	"github.com/cqlbulk/cqlbulk/internal/run/journal"
	"github.com/cqlbulk/cqlbulk/internal/run/reject"
	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/internal/write"
	"github.com/cqlbulk/cqlbulk/internal/write/cql"
	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
)

// broad is the number of columns of a table. Every input has other ones of them.
const broad = 12

func broadTable() *schema.Table {
	columns := []schema.Column{
		{Name: "k", Kind: schema.PartitionKey, Type: &cqltype.Type{Kind: cqltype.Int}},
	}
	for i := range broad {
		columns = append(
			columns,
			schema.Column{
				Name: fmt.Sprint("v", i),
				Kind: schema.Regular,
				Type: &cqltype.Type{Kind: cqltype.Text},
			},
		)
	}
	return schema.New("ks", "t", columns)
}

// broadInput is the n-th input, which has a bad row and a good one, and its header.
func broadInput(n int) (text, header string) {
	header, values := "k", ""
	for i := range broad {
		if n>>i&1 == 1 {
			header += fmt.Sprint(",v", i)
			values += ",x"
		}
	}
	header += "\n"
	return header + fmt.Sprintf("bad%d%s\n%d%s\n", n, values, n, values), header
}

// A load has hundreds of inputs with headers of their own, each with a row that is rejected. Its
// journal grows only with the rejects, and few files are open. The load is stopped and resumed. In
// the end each rejected row is there once, under its own header.
func TestHundredsOfHeaders(t *testing.T) {
	const inputs = 400
	dir := filepath.Join(t.TempDir(), "run")
	l, err := NewLoad(dir, journal.Manifest{Command: "load"})
	require.NoError(t, err)
	rejects := reject.New(dir, ".csv")
	s := &store{applied: map[int32]int{}, stamps: map[int32]map[int64]bool{}, idempotent: true}
	before, open := openFiles(t), 0
	var synced error
	var result load.Result
	for runs := 0; ; runs++ {
		ctx, stop := context.WithCancel(t.Context())
		s.left, s.stop = 180, stop
		s.sync = func() {
			synced = errors.Join(synced, l.Sync())
			open = max(open, openFiles(t)-before)
		}
		l.Use(rejects, false)
		job := &load.Job{
			Job: ingest.Job{
				Table:          broadTable(),
				Format:         format.CSV,
				Header:         true,
				Journal:        l,
				Rejects:        rejects,
				Router:         write.NewRouter(nil, nil, nil),
				MaxParseErrors: -1,
				Counters:       &progress.Counters{},
				Limits:         ingest.Limits{MaxMutationBytes: 5000},
			},
			CQL: cql.Options{
				NewWriter: func([]schema.Column) cql.Writer { return s },
				Limits: cql.Limits{
					MaxRows:        10,
					Partitions:     1,
					Bytes:          5000,
					PartitionBytes: 5000,
				},
			},
		}
		for n := range inputs {
			text, _ := broadInput(n)
			job.Inputs = append(
				job.Inputs,
				ingest.Input{Name: fmt.Sprint("f", n), Open: func() (io.ReadCloser, error) {
					return io.NopCloser(strings.NewReader(text)), nil
				}},
			)
		}
		result, err = job.Run(ctx)
		stop()
		require.NoError(t, rejects.Close())
		require.NoError(t, l.Abandon())
		if err == nil {
			require.Positive(t, runs)
			break
		}
		require.Equal(t, fault.Canceled, fault.ClassOf(err), err)
		l, err = OpenLoad(dir)
		require.NoError(t, err)
		require.NoError(
			t,
			l.Resume(func(s reject.State) error { return reject.Check(dir, ".csv", s) }),
		)
		rejects, err = reject.Resume(dir, ".csv", l.Loaded().Rejects)
		require.NoError(t, err)
	}
	require.NoError(t, synced)
	assert.Less(t, open, 100)
	require.EqualValues(t, inputs, result.ParseErrors)
	require.Len(t, s.applied, inputs)
	info, err := os.Stat(filepath.Join(dir, "journal"))
	require.NoError(t, err)
	assert.Less(t, info.Size(), int64(inputs*2000))

	kept, err := reject.Find(dir)
	require.NoError(t, err)
	require.Len(t, kept, inputs)
	texts := map[string]bool{}
	for _, k := range kept {
		text, err := os.ReadFile(k.Path)
		require.NoError(t, err)
		texts[string(text)] = true
	}
	for n := range inputs {
		text, header := broadInput(n)
		row, _, _ := strings.Cut(strings.TrimPrefix(text, header), "\n")
		require.Contains(t, texts, header+row+"\n")
	}
}

// openFiles is how many files the process has open.
func openFiles(t *testing.T) int {
	t.Helper()
	open, err := os.ReadDir("/dev/fd")
	assert.NoError(t, err)
	return len(open)
}
