package ingest_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/fault"
	"github.com/cqlbulk/cqlbulk/internal/ingest"
	"github.com/cqlbulk/cqlbulk/internal/test/loadtest"
	"github.com/cqlbulk/cqlbulk/internal/test/tabletest"
)

func TestErrorLimits(t *testing.T) {
	input := "k,n\n" + strings.Repeat("a,1\nb,x\n", 5)
	job, c, rejects := loadtest.NewJob(tabletest.Names, input)
	job.MaxParseErrors, job.MaxInsertErrors = 5, 0
	loadtest.MustRun(t, job, c)
	require.Len(t, rejects.Rejects, 5, "the number that is allowed")

	job, _, rejects = loadtest.NewJob(tabletest.Names, input)
	job.MaxParseErrors = 4
	_, err := job.Run(t.Context())
	var limit *ingest.LimitError
	require.ErrorAs(t, err, &limit)
	require.EqualError(t, err, "stopped: more than 4 parse errors")
	require.Len(t, rejects.Rejects, 5, "the one too many is kept as well")
}

// carrying is the journal of a resumed run.
type carrying struct {
	loadtest.ForgetfulJournal
	tally ingest.Tally
}

func (c carrying) EarlierTotals() ingest.Tally { return c.tally }

// A limit that was passed before a run was stopped stops the resumed run, too, although all rows
// left are good.
func TestErrorLimitWasPassedBefore(t *testing.T) {
	for limit, passed := range map[int64]bool{-1: false, 4: true, 5: false} {
		job, c, rejects := loadtest.NewJob(tabletest.Names, "k,n\na,1\n")
		job.MaxParseErrors = limit
		job.Journal = carrying{
			ForgetfulJournal: loadtest.ForgetfulJournal{Rejects: rejects},
			tally:            ingest.Tally{Read: 9, ParseErrors: 5},
		}
		_, err := job.Run(t.Context())
		if !passed {
			require.NoError(t, err)
			continue
		}
		var past *ingest.LimitError
		require.ErrorAs(t, err, &past)
		require.Empty(t, c.Sent)
	}
}

// A limit in percent stops a load once a thousand rows are read, or at its end.
func TestErrorLimitInPercent(t *testing.T) {
	good, bad := strings.Repeat("a,1\n", 99), "b,x\n"
	parts := func(n int) string { return strings.Repeat(good+bad, n) } // 1 % each
	for _, tc := range []struct {
		name    string
		text    string
		percent float64
		want    string
	}{
		{"the share that is allowed", parts(30), 1, ""},
		{"a fraction", parts(30), 0.57, "more than 0.57%"},
		{"no more at the end, though at first", strings.Repeat(bad, 9) + parts(1) + strings.Repeat("a,1\n", 1000), 1, ""},
		{"of few rows", parts(3), 0.9, "stopped: 3 parse errors for 300 rows, more than 0.9%"},
		{"of few rows, allowed", parts(3), 1, ""},
		{"in the last rows", parts(20) + bad, 1, "stopped: 21 parse errors for 2,001 rows, more than 1%"},
		{"lines that are no records", parts(20) + "x,\"y\n", 1, "more than 1%"},
		{"none is good", strings.Repeat(bad, 20_000), 50, "more than 50%"},
		{"nothing", "", 1, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			job, c, rejects := loadtest.NewJob(tabletest.Names, "k,n\n"+tc.text)
			job.MaxParsePercent, job.MaxInsertPercent = tc.percent, 0.001
			job.ChunkSize, job.MaxRecord = 256, 64<<10
			result, err := job.Run(t.Context())
			if tc.want == "" {
				require.NoError(t, err)
				require.Len(t, rejects.Rejects, strings.Count(tc.text, bad))
				return
			}
			var limit *ingest.LimitError
			require.ErrorAs(t, err, &limit)
			require.ErrorContains(t, err, tc.want)
			require.False(t, limit.NearlyAll)
			require.Equal(t, ingest.Parse, limit.Stage)
			require.Greater(t, float64(limit.Rejected)*100, tc.percent*float64(limit.Read))
			if lines := strings.Count(tc.text, "\n"); lines > 5*ingest.LeastShared {
				require.Less(t, result.Read, int64(lines), "it stopped early")
			}
			require.LessOrEqual(t, len(c.Sent), strings.Count(tc.text, "\n"))
		})
	}
}

// Rows that the cluster refuses are a share of the rows read.
func TestInsertErrorLimitInPercent(t *testing.T) {
	for percent, stopped := range map[float64]bool{2: true, 99: false} {
		job, c, _ := loadtest.NewJob(tabletest.Names, "k,n\n"+strings.Repeat("a,1\nb,x\n", 1000))
		job.MaxInsertPercent, job.MaxParsePercent = percent, 60
		c.Answer = func(context.Context, loadtest.Request) (bool, error) {
			return false, loadtest.Failure(fault.Permanent, "no")
		}
		_, err := job.Run(t.Context())
		if !stopped {
			require.NoError(t, err)
			continue
		}
		var limit *ingest.LimitError
		require.ErrorAs(t, err, &limit)
		require.Equal(t, ingest.Insert, limit.Stage)
		require.InDelta(t, percent, limit.Percent, 0)
	}
}

// Rows of the runs that a load resumes count for a limit in percent. It is not checked before more
// is read: these runs had read more rows than they completed.
func TestErrorLimitInPercentOfResumedLoad(t *testing.T) {
	for name, tc := range map[string]struct {
		earlier ingest.Tally
		rows    int
		want    string
	}{
		"good rows follow":      {ingest.Tally{Read: 1000, ParseErrors: 15}, 1000, ""},
		"too few of them":       {ingest.Tally{Read: 1000, ParseErrors: 15}, 100, "15 parse errors for 1,100 rows"},
		"good rows came before": {ingest.Tally{Read: 1000, Written: 1000}, 0, ""},
		"refused rows":          {ingest.Tally{Read: 1000, InsertErrors: 15}, 1, "15 insert errors for 1,001 rows"},
	} {
		t.Run(name, func(t *testing.T) {
			text := "k,n\n" + strings.Repeat("a,1\n", tc.rows)
			job, _, rejects := loadtest.NewJob(tabletest.Names, text)
			job.MaxParsePercent, job.MaxInsertPercent = 1, 1
			job.Journal = carrying{
				ForgetfulJournal: loadtest.ForgetfulJournal{Rejects: rejects},
				tally:            tc.earlier,
			}
			_, err := job.Run(t.Context())
			if tc.want == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, tc.want)
		})
	}
}
