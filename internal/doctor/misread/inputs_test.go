package misread

import (
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/doctor/sample"
	"github.com/cqlbulk/cqlbulk/internal/ingest"
	"github.com/cqlbulk/cqlbulk/internal/source"
	"github.com/cqlbulk/cqlbulk/internal/spec"
)

func TestInputs(t *testing.T) {
	unit := setting(t, "timestamp-unit", "ms")
	for _, c := range []struct {
		name    string
		set     func(*spec.Load)
		rows    string
		refused string // part of the error; empty: the load begins
		warned  string // part of the only warning; empty: there is none
	}{
		{name: "no rows", rows: ""},
		{name: "milliseconds", rows: numbered(sample.Rows, millis)},
		{
			name: "seconds in all of many rows", rows: numbered(sample.Rows, seconds),
			refused: " is in January 1970, and so are all others of the first 1,000 rows: " +
				"nothing was written; say --timestamp-unit s",
		},
		{name: "seconds, and a unit was given", set: unit, rows: numbered(sample.Rows, seconds)},
		{
			name: "seconds in few rows", rows: numbered(3, seconds),
			warned: "--timestamp-unit s",
		},
		{
			name: "seconds of few rows, some with a fraction",
			rows: numbered(3, seconds) + "k,1700000000.5,1\n", refused: "is in January 1970",
		},
		{
			name: "two units", rows: numbered(2, seconds) + numbered(2, millis),
			warned: `column "at"`,
		},
		{
			name: "dates of digits beside milliseconds", rows: "k,20240301,1\n" + numbered(2, millis),
			refused: "nothing was written",
		},
		{name: "days", rows: "k,19783,1\nm,19784,1\n", refused: "nothing was written"},
		{name: "dates of digits", rows: "k,20240301,1\n", refused: "nothing was written"},
		{
			name: "dates in another form", rows: "k,31/12/2024,1\n",
			warned: "--datetimeformat '%d/%m/%Y'",
		},
		{name: "a retry does not warn", set: ofRejects, rows: "k,31/12/2024,1\n"},
		{
			name: "a retry would write other times", set: ofRejects, rows: "k,20240301,1\n",
			refused: "nothing was written",
		},
		{
			// The load that rejected this row has said so.
			name: "a retry rejects the row again", set: ofRejects, rows: "k,20240301,x\n",
		},
		{
			name: "a row with a bad value counts", rows: "k,20240301,x\n",
			refused: "nothing was written",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			var sets []func(*spec.Load)
			if c.set != nil {
				sets = append(sets, c.set)
			}
			check := check(t, nil, sets...)
			err := check.Inputs(
				t.Context(),
				[]source.Input{source.Text("in.csv", []byte("k,at,n\n"+c.rows))},
			)
			if c.refused != "" {
				require.ErrorContains(t, err, c.refused)
			} else {
				require.NoError(t, err)
			}
			if c.warned == "" {
				require.Empty(t, check.warnings)
			} else {
				require.Len(t, check.warnings, 1)
				require.Contains(t, check.warnings[0], c.warned)
			}
		})
	}
}

// A further file is not read once there are enough rows. Until then, the rows of all files count.
func TestInputsUntilThereAreEnoughRows(t *testing.T) {
	wrong := source.Text("wrong.csv", []byte("k,at,n\nk,20240301,1\n"))
	for rows, refused := range map[int]bool{sample.Rows - 1: true, sample.Rows: false} {
		many := source.Text("many.csv", []byte("k,at,n\n"+numbered(rows, millis)))
		err := check(t, nil).Inputs(t.Context(), []source.Input{many, wrong})
		require.Equal(t, refused, err != nil, "%v", err)
	}
	require.NoError(t, check(t, nil).Inputs(t.Context(), nil))
}

// The job reads all text of a pipe, also what the check has read. A pipe behind a file is not
// opened before its turn.
func TestInputsOfAPipe(t *testing.T) {
	const text = "k,at,n\nk,20240301,1\n"
	inputs, _, err := source.Find([]string{source.Stdin}, strings.NewReader(text))
	require.NoError(t, err)
	c := check(t, nil)
	c.job.Inputs = make([]ingest.Input, 1)
	require.ErrorContains(t, c.Inputs(t.Context(), inputs), "nothing was written")
	r, err := c.job.Inputs[0].Open()
	require.NoError(t, err)
	read, err := io.ReadAll(r)
	require.NoError(t, err)
	require.NoError(t, r.Close())
	require.Equal(t, text, string(read))

	inputs, _, err = source.Find([]string{source.Stdin}, strings.NewReader(text))
	require.NoError(t, err)
	c = check(t, nil)
	c.job.Inputs = make([]ingest.Input, 2)
	file := source.Text("in.csv", []byte("k,at,n\n"+numbered(1, millis)))
	require.NoError(t, c.Inputs(t.Context(), append([]source.Input{file}, inputs...)))
	require.Nil(t, c.job.Inputs[1].Open)
}
