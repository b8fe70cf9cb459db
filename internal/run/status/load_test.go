package status

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/ingest"
)

// Rows that a retry took over do not count as failed, be there rows in doubt or not.
func TestFailedRowsAfterARetry(t *testing.T) {
	tally := ingest.Tally{ParseErrors: 2, InsertErrors: 1, InDoubt: 5}
	for _, c := range []struct {
		retried, lost []string
		want          int64
	}{
		{nil, nil, 8},
		{[]string{"rejects.csv"}, nil, 5},
		{[]string{"in-doubt.csv"}, nil, 3},
		{[]string{"in-doubt.csv", "rejects.csv", "rejects-2.csv"}, nil, 0},
		{[]string{"rejects.csv", "rejects-2.csv"}, []string{"rejects-2.csv"}, 8},
	} {
		l := &Load{Tally: tally, Rejected: tally.Rejected(), Retried: c.retried, Lost: c.lost}
		require.Equal(t, c.want, l.failed(), c)
	}
}
