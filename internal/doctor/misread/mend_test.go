package misread

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/ingest"
	"github.com/cqlbulk/cqlbulk/internal/source"
	"github.com/cqlbulk/cqlbulk/internal/spec"
)

func TestMend(t *testing.T) {
	date := bad{"a,31/12/2024,1", "at", "31/12/2024"}
	null := bad{"b,2024-12-31,NA", "n", "NA"}
	hopeless := bad{"c,2024-12-31,x", "n", "x"}
	load := func(name string, texts ...string) []func(*spec.Load) {
		return []func(*spec.Load){setting(t, name, texts...)}
	}
	edit := []string{"rejects.csv"}
	for _, c := range []struct {
		name     string
		sets     []func(*spec.Load)
		rows     []bad
		settings map[string][]string
		edit     []string
		again    int64 // rows that the settings do not read
	}{
		{name: "no rejects"},
		{
			name: "a pattern of dates", rows: []bad{date},
			settings: map[string][]string{"datetimeformat": {"%d/%m/%Y"}},
		},
		{
			name: "a word for null", rows: []bad{null},
			settings: map[string][]string{"null-string": {"NA"}},
		},
		{
			name: "a word beside others", sets: load("null-string", "-"),
			rows: []bad{null}, settings: map[string][]string{"null-string": {"-", "NA"}},
		},
		{
			name: "both, and a row that nothing mends", rows: []bad{date, null, hopeless},
			settings: map[string][]string{
				"datetimeformat": {"%d/%m/%Y"},
				"null-string":    {"NA"},
			},
			again: 1,
		},
		{name: "nothing mends them", rows: []bad{hopeless, hopeless}, edit: edit, again: 2},
		{
			// COPY has one text for null.
			name: "cqlsh's dialect", sets: load("dialect", "cqlsh"),
			rows: []bad{null}, edit: edit, again: 1,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			check := check(t, nil, c.sets...)
			check.rejected(t, c.rows...)
			m, err := check.Mend(t.Context())
			require.NoError(t, err)
			require.Equal(t, c.settings, m.Settings)
			require.Equal(t, c.edit, m.Edit)
			if c.again == 0 {
				require.Nil(t, m.Again)
				return
			}
			require.Equal(t, c.again, m.Again.Rows)
			require.EqualValues(t, len(c.rows), m.Again.Of)
			require.True(t, m.Again.All)
			require.Equal(t, "rejects.csv", filepath.Base(m.Again.File))
			require.Equal(t, c.rows[len(c.rows)-1].value, m.Again.First.Value)
			require.Empty(t, check.warnings, "nothing is written, and nothing is said")
		})
	}
}

// A setting is left out if as many rows are read without it.
func TestMendLeavesOutWhatDoesNotHelp(t *testing.T) {
	c := check(t, nil)
	c.rejected(
		t,
		bad{"a,31/12/2024,1", "at", "31/12/2024"},
		bad{"b,2024-12-31,x", "n", "NA"}, // as if NA were in a row behind those that are tried
	)
	m, err := c.Mend(t.Context())
	require.NoError(t, err)
	require.Equal(t, map[string][]string{"datetimeformat": {"%d/%m/%Y"}}, m.Settings)
	require.EqualValues(t, 1, m.Again.Rows)
}

// A row that is too long to be held in memory is not read again: a setting cannot mend it.
func TestMendOfALongRow(t *testing.T) {
	c := check(t, nil)
	dir := c.rejected(t)
	header := []byte("k,at,n\n")
	long := ingest.Reject{File: "in.csv", Header: header, Stage: ingest.Parse, Long: true}
	piece := long
	piece.Raw = []byte("a,2024-12-31,1\n")
	require.NoError(t, dir.AddPiece(piece, true, true))
	require.NoError(t, dir.Add([]ingest.Reject{long}))
	m, err := c.Mend(t.Context())
	require.NoError(t, err)
	require.Equal(t, []string{"rejects-long-1.csv"}, m.Edit)
	require.Equal(t, "the row is too long", m.Again.First.Reason)
}

func TestMendOfAFileThatIsGone(t *testing.T) {
	c := check(t, nil)
	dir := c.rejected(t, bad{"a,31/12/2024,1", "at", "31/12/2024"})
	require.NoError(t, dir.Sync())
	require.NoError(t, os.Remove(dir.Rejected()[0]))
	_, err := c.Mend(t.Context())
	require.Error(t, err)
}

// The settings that warnings about the first rows named mend rejects too, without those that change
// rows that are written.
func TestMendByWarnings(t *testing.T) {
	c := check(t, nil)
	require.NoError(t, c.Inputs(t.Context(), []source.Input{
		source.Text("in.csv", []byte("k,at,n\na,31/12/2024,1\nb,30/12/2024,1\n")),
	}))
	require.Equal(t, map[string][]string{"datetimeformat": {"%d/%m/%Y"}}, c.named)
	c = check(t, nil)
	require.NoError(t, c.Inputs(t.Context(), []source.Input{
		source.Text("in.csv", []byte("k,at,n\n"+numbered(3, seconds))),
	}))
	require.NotEmpty(t, c.warnings)
	require.Empty(t, c.named, "--timestamp-unit would change rows that are written")
}

func TestAfterLimit(t *testing.T) {
	mended := bad{"b,2024-12-31,NA", "n", "NA"}
	hopeless := bad{"c,2024-12-31,x", "n", "x"}
	na := []string{"NA"}
	for _, c := range []struct {
		name  string
		limit ingest.LimitError
		rows  []bad
		want  map[string][]string
	}{
		{
			"the cluster refused rows", ingest.LimitError{Stage: ingest.Insert}, []bad{mended},
			map[string][]string{"maxinserterrors": {"-1"}},
		},
		{
			"nothing mends the rows", ingest.LimitError{Stage: ingest.Parse}, []bad{hopeless},
			map[string][]string{"maxparseerrors": {"-1"}},
		},
		{
			"the user's limit counts rows of the run before",
			ingest.LimitError{Stage: ingest.Parse},
			[]bad{mended}, map[string][]string{"maxparseerrors": {"-1"}, "null-string": na},
		},
		{
			"most rows are mended",
			ingest.LimitError{Stage: ingest.Parse, NearlyAll: true},
			[]bad{mended, mended, hopeless}, map[string][]string{"null-string": na},
		},
		{
			"only half of the rows is mended",
			ingest.LimitError{Stage: ingest.Parse, NearlyAll: true},
			[]bad{mended, hopeless},
			map[string][]string{"keep-going": {"true"}, "null-string": na},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			check := check(t, nil)
			check.rejected(t, c.rows...)
			settings, err := check.AfterLimit(t.Context(), &c.limit)
			require.NoError(t, err)
			require.Equal(t, c.want, settings)
		})
	}
}

// A word for null in the key is no null.
func TestCauses(t *testing.T) {
	c := check(t, nil)
	c.rejected(t, bad{"NA,2024-12-31,1", "k", "NA"}, bad{"a,2024-12-31,NA", "n", "NA"})
	reasons := make(map[string]string)
	for _, cause := range c.Causes() {
		reasons[cause.First.Column] = cause.First.Reason
	}
	require.Equal(t, map[string]string{
		"k": "no value of the column; NA cannot be read as null here: " +
			"a column of the primary key is never null",
		"n": "no value of the column",
	}, reasons)
}

func TestCutOtherwise(t *testing.T) {
	cut := map[string][]string{"delimiter": {";"}}
	nulls := map[string][]string{"null-string": {"NA"}}
	const semicolons = "k;at;n\na;2024-12-31;1\n"
	for _, c := range []struct {
		name     string
		text     string // of the input
		settings map[string][]string
		guess    string
		rejected int64 // rows of this cause and others
		want     map[string][]string
	}{
		{"another delimiter", semicolons, cut, "", 1, cut},
		{"half of the rows have another cause", semicolons, cut, "", 2, nil},
		{"a guess", semicolons, cut, "the text has no commas", 1, nil},
		{"no better", "k,at,n\na,2024-12-31,1\n", cut, "", 1, nil},
		{"a resume can change it", "k,at,n\na,2024-12-31,NA\n", nulls, "", 1, nil},
		{"no setting", semicolons, nil, "", 1, nil},
		{"a setting that does not exist", semicolons, map[string][]string{"x": {""}}, "", 1, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "in.csv")
			require.NoError(t, os.WriteFile(path, []byte(c.text), 0o600))
			check := check(t, nil)
			require.NoError(t, check.rejected(t).Add([]ingest.Reject{{
				File: path, Raw: []byte("a;b\n"), Line: 2, Reason: "a record of 1 field",
				Stage: ingest.Parse, Settings: c.settings, Guess: c.guess,
			}}))
			require.Equal(t, c.want, check.CutOtherwise(t.Context(), c.rejected))
		})
	}
	for text, want := range map[string]map[string][]string{
		"k,at,n\na,2024-12-31,1\n": {"header": {"true"}},
		// With a header the first row would be lost.
		"a,2024-12-31,1\nb,2024-12-31,2\nc,2024-12-31,x\nd,2024-12-31,3\n": nil,
	} {
		path := filepath.Join(t.TempDir(), "in.csv")
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		check := check(t, nil, setting(t, "header", "false"), setting(t, "columns", "k", "at", "n"))
		require.NoError(t, check.rejected(t).Add([]ingest.Reject{{
			File: path, Raw: []byte("x\n"), Line: 1, Stage: ingest.Parse,
		}}))
		require.Equal(t, want, check.CutOtherwise(t.Context(), 1))
	}
	require.Nil(t, func() map[string][]string {
		c := check(t, nil)
		c.rejected(t)
		return c.CutOtherwise(t.Context(), 0)
	}(), "there are no rejects")
}
