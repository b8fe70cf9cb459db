package ingest

import (
	"context"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/format"
	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/internal/test/tabletest"
	"github.com/cqlbulk/cqlbulk/internal/write"
)

// sampleOf samples a text as an input of the table Names.
func sampleOf(
	t *testing.T,
	text string,
	rows int64,
	change func(j *Job),
) (Sampled, []string, error) {
	t.Helper()
	j := &Job{
		Table:  tabletest.Names,
		Format: format.CSV,
		Header: true,
		Router: write.NewRouter(nil, nil, nil),
		Limits: Limits{MaxMutationBytes: 1 << 20},
	}
	if change != nil {
		change(j)
	}
	var keys []string
	s, err := j.Sample(
		context.Background(),
		Input{Name: "in", Size: int64(len(text)), Open: func() (io.ReadCloser, error) {
			return io.NopCloser(strings.NewReader(text)), nil
		}},
		rows,
		func(columns []schema.Column, r *write.Row) {
			require.Len(t, columns, len(r.Cells))
			keys = append(keys, string(r.Cells[0].Bytes))
		},
	)
	return s, keys, err
}

// The first records are read as a load reads them, good and bad ones, and no more.
func TestSample(t *testing.T) {
	text := "k,v,n\na,x,1\nb,x,one\n" + strings.Repeat("c,x,1\n", 100_000)
	s, keys, err := sampleOf(t, text, 4, nil)
	require.NoError(t, err)
	require.EqualValues(t, 4, s.Rows)
	require.EqualValues(t, len("a,x,1\nb,x,one\nc,x,1\nc,x,1\n"), s.Text)
	require.Equal(t, []string{"a", "c", "c"}, keys)
	require.Len(t, s.Rejects, 1)
	require.EqualValues(t, 3, s.Rejects[0].Line)
	require.Equal(t, "n", s.Rejects[0].Column)
	require.Equal(
		t,
		[]string{"k", "v", "n"},
		[]string{s.Columns[0].Name, s.Columns[1].Name, s.Columns[2].Name},
	)

	s, keys, err = sampleOf(t, text, 1000, func(j *Job) { j.MaxRows = 2 })
	require.NoError(t, err)
	require.EqualValues(t, 2, s.Rows)
	require.Equal(t, []string{"a"}, keys)

	s, keys, err = sampleOf(
		t,
		`{"k": "a", "n": 1}`+"\n"+`{"k": 1`,
		9,
		func(j *Job) { j.Format = format.JSON{} },
	)
	require.NoError(t, err)
	require.EqualValues(t, 2, s.Rows)
	require.Equal(t, []string{"a"}, keys)
	require.Len(t, s.Rejects, 1)

	s, _, err = sampleOf(t, "", 9, nil)
	require.NoError(t, err)
	require.Zero(t, s.Rows)
	s, _, err = sampleOf(t, "k,v\n"+`a,"never ended`, 9, nil)
	require.NoError(t, err)
	require.EqualValues(t, 1, s.Rows)
	require.Len(t, s.Rejects, 1)
}

// An input that does not fit has an error in two parts.
func TestSampleThatDoesNotFit(t *testing.T) {
	for _, c := range []struct{ text, wrong, hint string }{
		{"k;v;n\n", `header: table demo.names has no column "k;v;n"`, "another character seems to stand between the fields: --delimiter ';'"},
		{"k,colour\n", `header: table demo.names has no column "colour"`, "--map colour=COLUMN says which column it is, --skipcols colour leaves out what is no column"},
		{"v,n\n", `the input has no field for primary key column "k" of demo.names`, ""},
	} {
		_, _, err := sampleOf(t, c.text, 9, nil)
		var unfit *MappingError
		require.ErrorAs(t, err, &unfit)
		hint, wrong := unfit.Parts()
		require.EqualError(t, wrong, c.wrong)
		require.Equal(t, c.hint, hint)
		require.Contains(t, err.Error(), c.hint, "together they are the error")
	}
}
