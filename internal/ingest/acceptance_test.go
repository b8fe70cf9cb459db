package ingest_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/fault"
	"github.com/cqlbulk/cqlbulk/internal/ingest"
	"github.com/cqlbulk/cqlbulk/internal/load"
	"github.com/cqlbulk/cqlbulk/internal/run/reject"
	"github.com/cqlbulk/cqlbulk/internal/test/loadtest"
	"github.com/cqlbulk/cqlbulk/internal/test/tabletest"
)

// rowsOf makes n rows for the table Names. Every good-th row is good; 0: none is.
func rowsOf(n, good int, bad string) string {
	var b strings.Builder
	b.WriteString("k,v,n\n")
	for i := range n {
		if good > 0 && i%good == 0 {
			fmt.Fprintf(&b, "%d,v,1\n", i)
		} else {
			b.WriteString(bad)
		}
	}
	return b.String()
}

// A load stops when ten thousand rows failed and hardly one was good, wherever they fail. It
// continues if KeepGoing is set, or if there is another limit.
func TestHopelessLoadIsStopped(t *testing.T) {
	const rows = 2 * tooMany
	broken := "x,\"y\n" // a quote that is never closed
	for _, tc := range []struct {
		name string
		text string
		set  func(*load.Job)
		stop ingest.Stage
	}{
		{"none is good", rowsOf(rows, 0, "k,v,x\n"), nil, ingest.Parse},
		{"one in a thousand", rowsOf(rows, 1000, "k,v,x\n"), nil, ingest.Parse},
		{"one in twenty", rowsOf(rows, 20, "k,v,x\n"), nil, ""},
		{"good ones behind", rowsOf(tooMany-1, 0, "k,v,x\n") + strings.Repeat("k,v,1\n", rows), nil, ""},
		{"no rows at all", rowsOf(rows, 0, broken), nil, ingest.Parse},
		{"asked to continue", rowsOf(rows, 0, "k,v,x\n"), func(j *load.Job) { j.KeepGoing = true }, ""},
		{"a limit of its own", rowsOf(rows, 0, "k,v,x\n"), func(j *load.Job) { j.MaxParseErrors = rows }, ""},
		{"refused by the cluster", rowsOf(rows, 1, ""), nil, ingest.Insert},
		{"refused, and asked to continue", rowsOf(rows, 1, ""), func(j *load.Job) { j.KeepGoing = true }, ""},
		{"refused, with a limit of its own", rowsOf(rows, 1, ""), func(j *load.Job) { j.MaxInsertErrors = rows }, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			job, c, _ := loadtest.NewJob(tabletest.Names, tc.text)
			job.ChunkSize, job.MaxRecord = 4<<10, 64<<10
			if tc.set != nil {
				tc.set(job)
			}
			if strings.HasPrefix(tc.name, "refused") {
				c.Answer = func(context.Context, loadtest.Request) (bool, error) {
					return false, loadtest.Failure(fault.Permanent, "no")
				}
			}
			result, err := job.Run(t.Context())
			if tc.stop == "" {
				require.NoError(t, err)
				return
			}
			var limit *ingest.LimitError
			require.ErrorAs(t, err, &limit)
			require.Equal(t, tc.stop, limit.Stage)
			require.True(t, limit.NearlyAll)
			require.ErrorContains(
				t,
				err,
				fmt.Sprintf(
					"stopped: hardly a row was good, most were rejected with %s errors",
					tc.stop,
				),
			)
			require.GreaterOrEqual(t, limit.Limit, int64(tooMany))
			require.Less(t, result.Rejected(), int64(rows))
		})
	}
}

// The reasons of short rows, bad ones or refused, are not many times as large as the rows.
func TestReasonsAreNotMuchLargerThanRows(t *testing.T) {
	const rows = 6_000
	for name, row := range map[string]string{"bad": "%07d,v,no-int\n", "broken": "%07d,v,\"noint\n", "refused": "%07d,v,123456\n"} {
		t.Run(name, func(t *testing.T) {
			var text strings.Builder
			text.WriteString("k,v,n\n")
			for i := range rows {
				fmt.Fprintf(&text, row, i)
			}
			job, c, _ := loadtest.NewJob(tabletest.Names, text.String())
			c.Answer = func(context.Context, loadtest.Request) (bool, error) {
				return false, loadtest.Failure(fault.Permanent, "no")
			}
			job.KeepGoing, job.MaxRecord = true, 64<<10
			dir := reject.New(t.TempDir(), ".csv")
			job.Rejects = dir
			_, err := job.Run(t.Context())
			require.NoError(t, err)
			require.NoError(t, dir.Close())
			reasons, err := os.Stat(dir.Reasons())
			require.NoError(t, err)
			var kept int64
			for _, path := range dir.Files() {
				info, err := os.Stat(path)
				require.NoError(t, err)
				kept += info.Size()
			}
			require.Less(t, reasons.Size(), 4*kept)
		})
	}
}

// tooMany is how many bad rows make a load hopeless, with hardly a good one.
const tooMany = 10_000
