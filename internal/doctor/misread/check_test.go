package misread

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/format"
	"github.com/cqlbulk/cqlbulk/internal/ingest"
	"github.com/cqlbulk/cqlbulk/internal/ingest/dialect"
	"github.com/cqlbulk/cqlbulk/internal/run/recorded"
	"github.com/cqlbulk/cqlbulk/internal/run/reject"
	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/internal/spec"
	"github.com/cqlbulk/cqlbulk/internal/test/loadtest"
	"github.com/cqlbulk/cqlbulk/internal/test/tabletest"
)

// visits is the table of these tests.
var visits = schema.New("shop", "visits", []schema.Column{
	tabletest.Column("k", schema.PartitionKey, 0, "text"),
	tabletest.Column("at", schema.Regular, 0, "timestamp"),
	tabletest.Column("n", schema.Regular, 0, "int"),
})

// checked is a check, with the warnings that it gave.
type checked struct {
	*Check
	warnings []string
}

// check returns the check of a load of CSV with settings.
func check(t *testing.T, changed []recorded.Change, sets ...func(*spec.Load)) *checked {
	t.Helper()
	o := spec.NewLoad()
	for _, set := range sets {
		set(o)
	}
	text, err := o.ChooseFormat("in.csv")
	require.NoError(t, err)
	reading, err := dialect.Reading(o, &text)
	require.NoError(t, err)
	job, _, _ := loadtest.NewJob(visits)
	job.Format, job.Reading = format.Of(o.Format, text), reading
	c := new(checked)
	c.Check = New(o, &job.Job, changed, func(format string, args ...any) {
		c.warnings = append(c.warnings, fmt.Sprintf(format, args...))
	})
	return c
}

// setting returns what gives a load a setting.
func setting(t *testing.T, name string, texts ...string) func(*spec.Load) {
	return func(o *spec.Load) {
		require.NoError(t, o.Settings().Set(name, texts...))
		o.Given[name] = true
	}
}

// ofRejects makes a load one of the rejects of another one.
func ofRejects(o *spec.Load) { o.RejectsOf = "run" }

// bad is a row with a value that could not be read.
type bad struct{ raw, column, value string }

// rejected has a check watch a load that rejects rows.
func (c *checked) rejected(t *testing.T, rows ...bad) *reject.Dir {
	t.Helper()
	dir := reject.New(filepath.Join(t.TempDir(), "run"), ".csv")
	t.Cleanup(func() { require.NoError(t, dir.Close()) })
	keeper := c.Watch(dir)
	for i, row := range rows {
		require.NoError(t, keeper.Add([]ingest.Reject{{
			File:   "in.csv",
			Header: []byte("k,at,n\n"),
			Raw:    []byte(row.raw + "\n"),
			Line:   int64(i + 2),
			Column: row.column,
			Value:  row.value,
			Reason: "no value of the column",
			Stage:  ingest.Parse,
		}}))
	}
	return dir
}

// numbered returns n rows with a time each, which goes up by one.
func numbered(n int, from int64) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "k%d,%d,1\n", i, from+int64(i))
	}
	return b.String()
}

const (
	seconds = 1_700_000_000
	millis  = seconds * 1000
)
