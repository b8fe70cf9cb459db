package misread

import (
	"encoding/binary"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/run/recorded"
	"github.com/cqlbulk/cqlbulk/internal/run/reject"
	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/internal/source"
	"github.com/cqlbulk/cqlbulk/internal/spec"
)

// note has the job note a number of a column.
func (c *checked) note(column schema.Column, number int64) {
	wire := binary.BigEndian.AppendUint64(nil, uint64(number))
	c.job.Times(column).NoteTime(wire, fmt.Append(nil, number), "in.csv", 7)
}

// A column that mixes units is warned of once while it is loaded, unless the first rows showed it.
func TestWatchTimes(t *testing.T) {
	at, ok := visits.Column("at")
	require.True(t, ok)
	c := check(t, nil)
	require.NoError(t, c.Inputs(t.Context(), []source.Input{
		source.Text("in.csv", []byte("k,at,n\n"+numbered(2, millis))),
	}))
	c.Watch(reject.NewUnkept())
	c.note(at, millis)
	require.Zero(t, c.OtherUnits())
	require.Empty(t, c.warnings)
	for range 3 {
		c.note(at, seconds)
	}
	require.EqualValues(t, 3, c.OtherUnits())
	require.Len(t, c.warnings, 1)
	require.Contains(t, c.warnings[0], `"at"`)
	c.job.Times(at).NoteTime([]byte{1}, []byte("1"), "in.csv", 8)
	require.EqualValues(t, 3, c.OtherUnits(), "a value that is no timestamp")

	n, ok := visits.Column("n")
	require.True(t, ok)
	require.Nil(t, c.job.Times(n))

	// The first rows were warned of: --timestamp-unit was given, so the load was not refused.
	c = check(t, nil, setting(t, "timestamp-unit", "ms"))
	require.NoError(t, c.Inputs(t.Context(), []source.Input{
		source.Text("in.csv", []byte("k,at,n\n"+numbered(2, millis)+numbered(2, seconds))),
	}))
	before := len(c.warnings)
	c.Watch(reject.NewUnkept())
	c.note(at, millis)
	c.note(at, seconds)
	require.EqualValues(t, 1, c.OtherUnits())
	require.Len(t, c.warnings, before)
}

// Rejected dates that another order of the pattern reads are warned of. In a retry, the pattern of
// the first load says nothing new.
func TestWarnOfDates(t *testing.T) {
	pattern := setting(t, "datetimeformat", "%d/%m/%Y")
	given := []recorded.Change{{Name: "datetimeformat", Now: []string{"%d/%m/%Y"}}}
	other := bad{"k,12/31/2024,1", "at", "12/31/2024"}
	neither := bad{"k,31/31/2024,1", "at", "31/31/2024"}
	first := []func(*spec.Load){pattern}
	retry := []func(*spec.Load){pattern, ofRejects}
	for _, c := range []struct {
		name    string
		changed []recorded.Change
		sets    []func(*spec.Load)
		row     bad
		rows    int64
	}{
		{"another order", nil, first, other, 1},
		{"no order reads it", nil, first, neither, 0},
		{"without a pattern", nil, nil, other, 0},
		{"a retry by the pattern of the load", nil, retry, other, 0},
		{"a retry by a new pattern", given, retry, other, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			check := check(t, c.changed, c.sets...)
			check.rejected(t, c.row)
			require.Equal(t, c.rows, check.WarnOfDates())
			require.Len(t, check.warnings, int(c.rows))
		})
	}
}
