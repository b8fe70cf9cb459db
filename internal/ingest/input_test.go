package ingest_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/format"
	"github.com/cqlbulk/cqlbulk/internal/ingest"
	"github.com/cqlbulk/cqlbulk/internal/load"
	"github.com/cqlbulk/cqlbulk/internal/test/loadtest"
	"github.com/cqlbulk/cqlbulk/internal/test/tabletest"
	"github.com/cqlbulk/cqlbulk/internal/write/cql"
	"github.com/cqlbulk/cqlbulk/pkg/dsv"
)

// loads runs a job of one text for the table Names and gives its rows as k=v.
func loads(
	t *testing.T,
	header bool,
	texts ...string,
) (map[string]string, *loadtest.Recorder, load.Result, []string) {
	t.Helper()
	job, c, rejects := loadtest.NewJob(tabletest.Names, texts...)
	job.Header = header
	job.ChunkSize = 64
	job.MaxRecord = 1000
	var warnings []string
	job.Warn = func(format string, args ...any) {
		warnings = append(warnings, fmt.Sprintf(format, args...))
	}
	result := loadtest.MustRun(t, job, c)
	rows := map[string]string{}
	for _, cells := range c.Cells {
		rows[cells["k"].Value] = cells["v"].Value
	}
	return rows, rejects, result, warnings
}

func TestInputs(t *testing.T) {
	for _, tc := range []struct {
		name, text string
		want       map[string]string
		warning    string
	}{
		{"empty", "", map[string]string{}, "file1.csv is empty: nothing to load from it"},
		{"blank lines", "\n\r\n\n", map[string]string{}, "file1.csv is empty: nothing to load from it"},
		{"byte order mark alone", "\xef\xbb\xbf", map[string]string{}, "file1.csv is empty: nothing to load from it"},
		{"header", "k,v\n", map[string]string{}, "file1.csv holds a header and no rows"},
		{"header without a line end", "k,v", map[string]string{}, "file1.csv holds a header and no rows"},
		{"header and blank lines", "k,v\n\n\n", map[string]string{}, "file1.csv holds a header and no rows"},
		{"rows", "k,v\na,1\nb,2\n", map[string]string{"a": "1", "b": "2"}, ""},
		{"last line without an end", "k,v\na,1\nb,2", map[string]string{"a": "1", "b": "2"}, ""},
		{"CRLF", "k,v\r\na,1\r\nb,2\r\n", map[string]string{"a": "1", "b": "2"}, ""},
		{"CRLF, last line without an end", "k,v\r\na,1\r\nb,2", map[string]string{"a": "1", "b": "2"}, ""},
		{"byte order mark", "\xef\xbb\xbfk,v\na,1\n", map[string]string{"a": "1"}, ""},
		{"byte order mark and quotes", "\xef\xbb\xbf\"k\",v\na,1\n", map[string]string{"a": "1"}, ""},
		{"blank lines between", "\nk,v\n\na,1\n\n\nb,2\n\n", map[string]string{"a": "1", "b": "2"}, ""},
		{"text with all sorts in it", "k,v\na,\"1,\n\"\"2\"\"\r\n\"\n", map[string]string{"a": "1,\n\"2\"\r\n"}, ""},
		{"the empty text", "k,v\na,\"\"\n", map[string]string{"a": ""}, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			rows, rejects, result, warnings := loads(t, true, tc.text)
			require.Equal(t, tc.want, rows)
			require.EqualValues(t, len(tc.want), result.Written)
			require.Empty(t, rejects.Rejects)
			if tc.warning == "" {
				require.Empty(t, warnings)
			} else {
				require.Equal(t, []string{tc.warning}, warnings)
			}
		})
	}
	t.Run("empty without a header", func(t *testing.T) {
		_, _, _, warnings := loads(t, false, "\n\n")
		require.Equal(t, []string{"file1.csv is empty: nothing to load from it"}, warnings)
	})
}

func TestUnclosedQuoteCostsOneLine(t *testing.T) {
	_, rejects, result, _ := loads(
		t,
		true,
		"k,v,n\na,1,1\nb,\"2,2\nc,3,3\n"+strings.Repeat("d,4,4\n", 30),
	)
	require.Equal(t, int64(33), result.Read)
	require.Equal(t, int64(1), result.Rejected())
	require.Equal(t, ingest.Reject{
		File:   "file1.csv",
		Header: []byte("k,v,n\n"),
		Raw:    []byte("b,\"2,2\n"),
		Line:   3,
		Field:  3,
		Offset: 12,
		Broken: true,
		Reason: "quote opened at column 3 is never closed",
		Stage:  ingest.Parse,
	}, rejects.Rejects[0])
}

// A record over the limit is handed on in pieces, and the rest is loaded.
func TestRecordOverTheLimit(t *testing.T) {
	long := "long," + strings.Repeat("x", 5000) + "\n"
	rows, rejects, result, _ := loads(
		t,
		true,
		"k,v\na,1\n"+long+"b,2\n"+strings.TrimSuffix(long, "\n"),
	)
	require.Equal(t, map[string]string{"a": "1", "b": "2"}, rows)
	require.Equal(
		t,
		load.Result{
			Tally: ingest.Tally{Read: 4, Written: 2, ParseErrors: 2},
			Stats: cql.Stats{Batches: result.Batches},
		},
		loadtest.Counts(result),
	)
	require.Equal(t, []int{0, 1}, rejects.Long)
	require.Equal(t, long, string(rejects.Rejects[0].Raw))
	require.Equal(t, strings.TrimSuffix(long, "\n"), string(rejects.Rejects[1].Raw))
	require.Equal(t, "record is longer than 1000 bytes", rejects.Rejects[0].Reason)
	require.EqualValues(t, 3, rejects.Rejects[0].Line)
	require.Equal(t, "k,v\n", string(rejects.Rejects[0].Header))
}

// What is not rows counts as done all the same.
func TestAllBytesAreDone(t *testing.T) {
	s := "\xef\xbb\xbf\n\nk,v\na,1\nlong," + strings.Repeat("x", 5000) + "\nx,\"y\"z\n\n\nb,\"2\n"
	job, c, _ := loadtest.NewJob(tabletest.Names, s)
	job.ChunkSize, job.MaxRecord = 64, 1000
	loadtest.MustRun(t, job, c)
	require.EqualValues(t, len(s), job.Counters.Done.Load())
	require.InDelta(t, len(s), job.Counters.Bytes.Load(), float64(len("\xef\xbb\xbf\n\n")))
}

// packed is an input that is stored in half the bytes of its text. ended is closed when all of it
// has been read.
type packed struct {
	io.Reader
	read  int64
	ended chan struct{}
}

func (p *packed) Read(b []byte) (int, error) {
	n, err := p.Reader.Read(b)
	if p.read += int64(n); errors.Is(err, io.EOF) && p.ended != nil {
		close(p.ended)
		p.ended = nil
	}
	return n, err
}

func (p *packed) Close() error { return nil }

func (p *packed) Consumed() int64 { return p.read / 2 }

// Work counts as done when it is, not when it has been read.
func TestReadIsNotDone(t *testing.T) {
	s := "k,v\na,1\n" + strings.Repeat("b,2\n", 50) + "c,\"3\n"
	ended := make(chan struct{})
	job, c, _ := loadtest.NewJob(tabletest.Names, s)
	job.ChunkSize = 64
	job.Inputs[0].Open = func() (io.ReadCloser, error) {
		return &packed{Reader: strings.NewReader(s), ended: ended}, nil
	}
	var early atomic.Int64
	c.Answer = func(context.Context, loadtest.Request) (bool, error) {
		<-ended
		early.CompareAndSwap(0, 1+job.Counters.Done.Load())
		return true, nil
	}
	loadtest.MustRun(t, job, c)
	require.EqualValues(t, len(s)/2, job.Counters.Done.Load())
	require.Less(t, early.Load(), int64(len(s)/4))
}

func TestInputThatFails(t *testing.T) {
	broken := errors.New("device error")
	for name, open := range map[string]func() (io.ReadCloser, error){
		"open": func() (io.ReadCloser, error) { return nil, broken },
		"header": func() (io.ReadCloser, error) {
			return io.NopCloser(iotest.ErrReader(broken)), nil
		},
		"rows": func() (io.ReadCloser, error) {
			return io.NopCloser(io.MultiReader(strings.NewReader("k,v\na,1\nb"), iotest.ErrReader(broken))), nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			job, _, rejects := loadtest.NewJob(tabletest.Names)
			job.Inputs = []ingest.Input{{Name: "in", Open: open}}
			_, err := job.Run(context.Background())
			require.ErrorIs(t, err, broken)
			require.Empty(t, rejects.Rejects)
			var mapping *ingest.MappingError
			require.NotErrorAs(t, err, &mapping)
		})
	}
}

// closer notes that it was closed.
type closer struct {
	io.Reader
	closed *int
}

func (c closer) Close() error { *c.closed++; return nil }

func TestInputsAreClosed(t *testing.T) {
	for _, s := range []string{"", "k,v\n", "k,v\na,1\n", "nonsense\n"} {
		job, _, _ := loadtest.NewJob(tabletest.Names)
		closed := 0
		job.Inputs = []ingest.Input{
			{
				Name: "in",
				Open: func() (io.ReadCloser, error) {
					return closer{strings.NewReader(s), &closed}, nil
				},
			},
		}
		_, err := job.Run(context.Background())
		require.Equal(t, s == "nonsense\n", err != nil)
		require.Equal(t, 1, closed)
	}
}

// Another delimiter and another quote.
func TestFormat(t *testing.T) {
	job, c, _ := loadtest.NewJob(tabletest.Names, "k\tv\n'a\tb'\t'it''s'\n")
	job.Format = format.Delimited{Format: dsv.Format{Delimiter: '\t', Quote: '\''}}
	loadtest.MustRun(t, job, c)
	require.Equal(t, "it's", c.Cells[fmt.Sprintf("k=%x ", "a\tb")]["v"].Value)
}

// What is no text has names as long as the file: errors and reasons stay short.
func TestLongNamesAreCut(t *testing.T) {
	long := strings.Repeat("\xff", 1<<20)
	for name, header := range map[string]string{
		"header": long + ",v\na,1\n", "time of a column": "k,ttl(" + long + ")\na,1\n", "several lines": long + "\n" + long + "\n",
	} {
		t.Run(name, func(t *testing.T) {
			job, _, _ := loadtest.NewJob(tabletest.Names, header)
			_, err := job.Run(t.Context())
			require.ErrorContains(t, err, `has no column "\xff\xff`)
			require.Less(t, len(err.Error()), 1000)
		})
	}
	t.Run("member", func(t *testing.T) {
		job, c, rejects := loadtest.NewJob(tabletest.Names, `{"k": "a", "`+strings.Repeat("x", 1<<20)+`": 1}`+"\n")
		job.Format = format.JSON{}
		loadtest.MustRun(t, job, c)
		require.Len(t, rejects.Rejects, 1)
		require.Contains(t, rejects.Rejects[0].Reason, `has no column "xxx`)
		require.Less(t, len(rejects.Rejects[0].Reason), 1000)
	})
}

// The load warns of inputs without rows in one line for each kind, however many there are.
func TestManyInputsWithoutRows(t *testing.T) {
	_, _, _, warnings := loads(t, true, "k,v\n", "k,v\na,1\n", "", "k,v\n", "k,v\n")
	require.Equal(
		t,
		[]string{
			"file1.csv and 2 more inputs hold a header and no rows",
			"file3.csv is empty: nothing to load from it",
		},
		warnings,
	)
}
