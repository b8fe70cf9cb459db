package ingest_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

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
