package retry

import (
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/ingest"
	"github.com/cqlbulk/cqlbulk/internal/run"
	"github.com/cqlbulk/cqlbulk/internal/run/records"
	"github.com/cqlbulk/cqlbulk/internal/spec/setting"
)

// The rule of the timestamps for the first retry of a load.
func TestStampsOfAFirstRetry(t *testing.T) {
	unread, sent := ingest.Parse, ingest.Insert
	for _, c := range []struct {
		name  string
		rows  []ingest.Reject
		text  string // of the rows by now; empty: they are unchanged
		flags setting.Values
		want  []int64
		later int // rows that get a later timestamp
	}{
		{name: "unchanged", rows: []ingest.Reject{row("a,1", sent, 10)}, want: []int64{10}},
		{
			name: "a row that was not sent", rows: []ingest.Reject{row("a,x", unread, 10)},
			text: "a,1\n", want: []int64{10},
		},
		{
			name: "a row that was sent", rows: []ingest.Reject{row("a,1", sent, 10)},
			text: "a,2\n", want: []int64{11}, later: 1,
		},
		{
			name: "a row without a timestamp", rows: []ingest.Reject{row("a,1", sent, 0)},
			text: "a,2\n", want: []int64{0},
		},
		{
			name: "the order of rows",
			rows: []ingest.Reject{
				row("a,1", sent, 10),
				row("a,x", unread, 11),
				row("b,x", unread, 20),
			},
			text: "a,2\na,3\nb,4\n", want: []int64{11, 12, 20}, later: 1,
		},
		{
			name: "a quote that is never closed",
			rows: []ingest.Reject{row("a,x", unread, 10), row("b,1", sent, 20)},
			text: "\"a,1\nb,2\n", want: []int64{10, 21}, later: 1,
		},
		{
			name: "rows of one timestamp have no order",
			rows: []ingest.Reject{row("a,1", sent, 10), row("b,x", unread, 10)},
			text: "a,2\nb,3\n", want: []int64{11, 10}, later: 1,
		},
		{
			name: "another reading", rows: []ingest.Reject{row("a,NA", sent, 10)},
			flags: setting.Values{"null-string": {"NA"}}, want: []int64{11}, later: 1,
		},
		{
			// A server cannot replace the element that it may have appended.
			name: "lists that rows are appended to", rows: []ingest.Reject{row("a,1", sent, 10)},
			text: "a,2\n", want: []int64{10},
			flags: setting.Values{"append-collections": {"true"}},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "run")
			begunWith := csv
			if c.flags["append-collections"] != nil {
				begunWith = setting.Values{
					"format": {"csv"}, "via": {"stream"}, "append-collections": {"true"},
				}
				c.flags = nil
			}
			loaded(t, dir, begunWith, partly, c.rows...)
			if c.text != "" {
				edit(t, dir, "rejects.csv", c.text)
			}
			o := mustOpen(t, dir, typed(c.flags))
			require.Equal(t, c.want, o.Stamps(o.plan.Spec.Inputs[0], false))
			require.EqualValues(t, len(c.rows), o.Rows)
			require.Zero(t, o.Removed)
			require.Empty(t, o.warnings)
			require.Len(t, o.Retimed, c.later)
			if c.later > 0 {
				require.Contains(t, o.Retimed[0], "1 row may have been written before")
				require.Contains(t, o.Retimed[0], "except where a value is null")
			}
		})
	}
}

// A further retry compares with what the retry before it recorded.
func TestStampsOfAFurtherRetry(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	loaded(t, dir, csv, partly, row("a,x", ingest.Parse, 10))
	path := filepath.Join(dir, "rejects.csv")
	stamps := func() ([]int64, error) {
		o, err := open(t, dir, setting.Changes{})
		if err != nil {
			return nil, err
		}
		defer o.Close()
		return o.Stamps(path, false), nil
	}
	requireStamp := func(want int64) {
		t.Helper()
		found, err := stamps()
		require.NoError(t, err)
		require.Equal(t, []int64{want}, found)
	}
	edit(t, dir, "rejects.csv", "a,1\n")
	retried(t, dir, setting.Changes{})
	requireStamp(10) // the same text
	o := mustOpen(t, dir, typed(setting.Values{"null-string": {"1"}}))
	require.Equal(t, []int64{11}, o.Stamps(path, false), "the same text, read otherwise")
	o.Close()
	edit(t, dir, "rejects.csv", "a,2\n")
	requireStamp(11)
	retried(t, dir, setting.Changes{})
	requireStamp(11)
	edit(t, dir, "rejects.csv", "a,3\n")
	requireStamp(12)

	first, err := records.OpenLoad(dir)
	require.NoError(t, err)
	by := records.Retry{Run: "another", Dir: "retry-1"}
	steps := records.TriedRows{{Text: 1, Step: math.MaxUint16, Sent: true}}
	require.NoError(t, first.RetryRows("rejects.csv", steps, by))
	require.NoError(t, first.Abandon())
	_, err = stamps()
	require.ErrorContains(t, err, "its rows were corrected 65535 times: cqlbulk load takes")
}

// A version that did not record the rows may have sent them.
func TestStampsAfterARetryWithoutRows(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	loaded(t, dir, csv, partly, row("a,x", ingest.Parse, 10))
	first, err := records.OpenLoad(dir)
	require.NoError(t, err)
	by := records.Retry{Run: "another", Dir: "retry-1"}
	require.NoError(t, first.Retry([]string{"rejects.csv"}, by))
	require.NoError(t, first.Abandon())
	o := mustOpen(t, dir, setting.Changes{})
	require.Equal(t, []int64{11}, o.Stamps(o.plan.Spec.Inputs[0], false))
}

// A row that the retry before could not read was not sent by it, and keeps its timestamp.
func TestStampsOfRowsThatARetryCouldNotRead(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	loaded(t, dir, csv, partly, row("a,x", ingest.Parse, 10), row("b,x", ingest.Parse, 20))
	edit(t, dir, "rejects.csv", "a,y\nb,1\n")
	retriedInVain(t, dir, row("a,y", ingest.Parse, 10))
	edit(t, dir, "rejects.csv", "a,2\nb,2\n")
	o := mustOpen(t, dir, setting.Changes{})
	require.Equal(t, []int64{10, 21}, o.Stamps(o.plan.Spec.Inputs[0], false))
}

// The rejects of a retry may be loaded from the run directory of the first load, too.
func TestStampsOfARetryOfARetry(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	loaded(t, dir, csv, partly, row("a,x", ingest.Parse, 10))
	try := retriedInVain(t, dir, row("a,x", ingest.Parse, 10))
	edit(t, try, "rejects.csv", "a,1\n")
	requireStamp := func(want int64) {
		t.Helper()
		o := mustOpen(t, try, setting.Changes{})
		defer o.Close()
		require.Equal(t, []int64{want}, o.Stamps(o.plan.Spec.Inputs[0], false))
	}
	requireStamp(10)
	edit(t, dir, "rejects.csv", "a,2\n")
	retried(t, dir, setting.Changes{})
	requireStamp(11)
}

// If rows were added or removed, the rest are written as of now, also by further retries.
func TestRowsAddedOrRemoved(t *testing.T) {
	for _, c := range []struct {
		name, text    string
		rows, removed int64
		warning       string
	}{
		{
			"added", "a,1\nb,2\nc,3\n", 3, 0,
			" has 3 rows instead of the 2 that were rejected: they are written as of now",
		},
		{
			"removed", "a,1\n", 1, 1,
			" has 1 row instead of the 2 that were rejected: it is written as of now",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "run")
			loaded(t, dir, csv, partly, row("a,x", ingest.Parse, 10), row("b,x", ingest.Insert, 20))
			edit(t, dir, "rejects.csv", c.text)
			o := mustOpen(t, dir, setting.Changes{})
			require.Nil(t, o.Stamps(o.plan.Spec.Inputs[0], false))
			require.Equal(t, c.rows, o.Rows)
			require.Equal(t, c.removed, o.Removed)
			require.Len(t, o.warnings, 1)
			require.Contains(t, o.warnings[0], c.warning)
			o.Close()

			retried(t, dir, setting.Changes{})
			edit(t, dir, "rejects.csv", "a,1\nb,2\n")
			o = mustOpen(t, dir, setting.Changes{})
			require.Nil(t, o.Stamps(o.plan.Spec.Inputs[0], false))
			require.Len(t, o.Retimed, 1)
			require.Contains(t, o.Retimed[0], "an earlier retry wrote its rows as of its time")
		})
	}
}

// Rows in doubt get the next timestamps, except counters. They can be written again until they
// would get the timestamps of the rows after them.
func TestRowsInDoubt(t *testing.T) {
	repeat := typed(setting.Values{"repeat-in-doubt": {"true"}})
	doubt, unstamped := row("a,1", ingest.InDoubt, 10), row("b,1", ingest.InDoubt, 0)
	doubt.Repeats = ingest.MaxStampStep - 2
	dir := filepath.Join(t.TempDir(), "run")
	loaded(t, dir, csv, partly, doubt, unstamped, row("c,x", ingest.Parse, 30))
	o := mustOpen(t, dir, repeat)
	path := filepath.Join(dir, "in-doubt.csv")
	require.Equal(t, []int64{11, 0}, o.Stamps(path, false))
	require.Equal(t, []int64{10, 0}, o.Stamps(path, true))
	require.EqualValues(t, ingest.MaxStampStep-1, o.Repeats(path))
	rejected := filepath.Join(dir, "rejects.csv")
	require.Equal(t, []int64{30}, o.Stamps(rejected, false))
	require.Zero(t, o.Repeats(rejected))
	require.Nil(t, o.Stamps("other.csv", false))
	require.Zero(t, o.Repeats("other.csv"))

	doubt.Repeats++
	dir = filepath.Join(t.TempDir(), "run")
	loaded(t, dir, csv, partly, doubt)
	_, err := open(t, dir, repeat)
	require.ErrorContains(t, err, "its rows were written again 7 times: once more, they could get")
}

// A load that is no retry has no rejects.
func TestNoRejects(t *testing.T) {
	var none *Rejects
	require.Nil(t, none.Stamps("in.csv", false))
	require.Zero(t, none.Repeats("in.csv"))
	none.Close()
}

// If Open fails, it has released the journal of the first load.
func TestOpenFails(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	loaded(t, dir, csv, partly, row("a,x", ingest.Parse, 10))
	p, first, err := planned(t, dir, setting.Changes{})
	require.NoError(t, err)
	o := &opened{plan: p, load: Load{Spec: &p.Spec}}
	_, err = Open(o.load, nil, nil)
	require.ErrorAs(t, err, new(*run.RefusedError), "the journal is in use")
	require.NoError(t, first.Abandon())

	require.NoError(t, os.WriteFile(filepath.Join(dir, "errors.jsonl"), []byte("{"), 0o600))
	first, err = records.OpenLoad(dir)
	require.NoError(t, err)
	_, err = Open(o.load, first, nil)
	require.ErrorContains(t, err, "errors.jsonl")
	again, err := records.OpenLoad(dir)
	require.NoError(t, err)
	require.NoError(t, again.Abandon())
}

// The first load records a retry before the retry begins its first piece, and once. When the retry
// is done, the record has the rows still.
func TestJournal(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	loaded(t, dir, csv, partly, row("a,NA", ingest.Insert, 10))
	o := mustOpen(t, dir, typed(setting.Values{"null-string": {"NA"}}))
	require.False(t, o.Recorded)
	require.Empty(t, retryOf(t, dir))
	own := begun(t, o.plan.Spec.RunDir, csv)
	pieces := o.Journal(own, o.plan.Spec.RunDir)
	require.NoError(t, pieces.Begin(ingest.Piece{Count: 1}))
	require.True(t, o.Recorded)
	once, err := os.Stat(filepath.Join(dir, "journal"))
	require.NoError(t, err)
	require.NoError(t, pieces.Begin(ingest.Piece{Offset: 1, Count: 1}))
	after, err := os.Stat(filepath.Join(dir, "journal"))
	require.NoError(t, err)
	require.Equal(t, once.Size(), after.Size())
	by := retryOf(t, dir)
	require.Equal(t, own.Manifest().Run, by.Run)
	require.Equal(t, "retry-1", by.Dir)
	require.Equal(t, records.Changed{"null-string": {"NA"}}, by.Reading)
	require.False(t, by.Done)
	require.False(t, by.AsOfNow)
	require.Len(t, by.Rows, 1)
	require.EqualValues(t, 1, by.Rows[0].Step)
	require.True(t, by.Rows[0].Sent)

	require.NoError(t, o.RecordDone(own, o.plan.Spec.RunDir))
	done := retryOf(t, dir)
	require.True(t, done.Done)
	require.Equal(t, by.Rows, done.Rows)
	require.NoError(t, own.Abandon())
	require.NoError(t, os.RemoveAll(o.plan.Spec.RunDir))
	o.Close()

	// A retry that cannot be recorded does not begin.
	o = mustOpen(t, dir, setting.Changes{})
	own = begun(t, o.plan.Spec.RunDir, csv)
	defer func() { _ = own.Abandon() }()
	o.Close()
	require.Error(t, o.Journal(own, o.plan.Spec.RunDir).Begin(ingest.Piece{Count: 1}))
	_, l, err := records.ReadLoad(o.plan.Spec.RunDir)
	require.NoError(t, err)
	require.Empty(t, l.Open)
}

// Rejects that were loaded before are refused if their rows would count twice.
func TestRefuseTwice(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	loaded(t, dir, csv, partly, row("a,x", ingest.Parse, 10))
	o := mustOpen(t, dir, setting.Changes{})
	require.NoError(t, o.RefuseTwice(true), "nothing was loaded before")
	own := o.begin(t)
	o.Close()

	// The load that has begun may resume.
	first, err := records.OpenLoad(dir)
	require.NoError(t, err)
	o.load.Resumed = own
	resumed, err := Open(o.load, first, nil)
	require.NoError(t, err)
	require.NoError(t, resumed.RefuseTwice(true))
	resumed.Close()
	require.NoError(t, own.Abandon())

	o = mustOpen(t, dir, setting.Changes{})
	require.NoError(t, o.RefuseTwice(false))
	require.ErrorContains(t, o.RefuseTwice(true), "rows count twice that are written twice: see ")
	o.Close()

	// A row that is appended to a list with another timestamp is appended once more.
	edit(t, dir, "rejects.csv", "a,1\n")
	o = mustOpen(t, dir, setting.Changes{})
	o.load.Spec.AppendCollections = true
	require.True(t, o.corrected)
	require.ErrorContains(t, o.RefuseTwice(false), "rows count twice")
}
