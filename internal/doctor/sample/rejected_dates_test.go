package sample

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/ingest"
	"github.com/cqlbulk/cqlbulk/internal/run/reject"
	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
)

// Rejected dates that another order reads are counted by rows, and nothing else is.
func TestRejectedDatesOfAnotherOrder(t *testing.T) {
	columns := []schema.Column{
		{Name: "at", Type: &cqltype.Type{Kind: cqltype.Timestamp}},
		{Name: "day", Type: &cqltype.Type{Kind: cqltype.Date}},
	}
	for _, tc := range []struct {
		timestamps, dates, column, value string
		want                             int64
	}{
		{"%d/%m/%Y", "", "at", "04/13/2024", 1}, {"%d/%m/%Y", "", "at", "31/02/2024", 0}, {"%d/%m/%Y", "", "at", "yesterday", 0},
		{"%d/%m/%Y %H:%M", "", "at", "04/13/2024", 0}, {"%d/%m/%y", "", "at", "99/01/02", 1}, {"%d%m%Y", "", "at", "04132024", 1},
		{"%d/%m/%Y", "%m/%d/%Y", "day", "13/04/2024", 1}, {"%d/%m/%Y", "%m/%d/%Y", "day", "1710000000000", 0}, {"%d/%m/%Y", "%m/%d/%Y", "day", "2024-01-02 10:00", 0},
		{"%d/%m/%Y", "%m/%d/%Y", "n", "13/04/2024", 0}, {"%d %b %Y", "%m/%d/%Y", "at", "13/04/2024", 0},
	} {
		to := NewRejectedDates(reject.NewUnkept(), columns, false, tc.timestamps, tc.dates)
		r := ingest.Reject{
			File:   "f",
			Line:   7,
			Column: tc.column,
			Value:  tc.value,
			Stage:  ingest.Parse,
		}
		inserted := r
		inserted.Stage = ingest.Insert
		require.NoError(t, to.Add([]ingest.Reject{r, inserted}))
		var said []string
		warn := func(format string, args ...any) {
			said = append(said, fmt.Sprintf(format, args...))
		}
		require.Equal(t, tc.want, to.Warn(warn), tc)
		require.Len(t, said, int(tc.want))
	}
	kept := reject.NewUnkept()
	numbers := []schema.Column{{Name: "n", Type: &cqltype.Type{Kind: cqltype.Int}}}
	to := NewRejectedDates(kept, numbers, false, "", "")
	require.Nil(t, to)
	require.Zero(t, to.Warn(nil))

	to = NewRejectedDates(kept, columns, false, "%d/%m/%Y", "%d/%m/%Y")
	more := []ingest.BadField{{Line: 9, Column: "day", Value: "12/31/2024"}}
	require.NoError(
		t,
		to.Add(
			[]ingest.Reject{
				{
					File:   "f",
					Line:   9,
					Column: "at",
					Value:  "12/31/2024",
					Stage:  ingest.Parse,
					More:   more,
				},
				{File: "f", Line: 5, Column: "at", Value: "12/30/2024", Stage: ingest.Parse},
			},
		),
	)
	var said []string
	require.EqualValues(
		t,
		2,
		to.Warn(
			func(format string, args ...any) { said = append(said, fmt.Sprintf(format, args...)) },
		),
	)
	require.Len(t, said, 2)
	require.Contains(
		t,
		said[0],
		`f:5: column "at": 2 dates such as 12/30/2024 can only be read by %m/%d/%Y, and not by %d/%m/%Y`,
	)
	require.Len(t, kept.Causes(), 2, "they are kept")
}
