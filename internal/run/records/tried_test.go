package records

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/run/journal"
)

// The journal of a load has the rows of each file of rejects as the last retry recorded them,
// however many there are. The record that a retry is done keeps them.
func TestTriedRows(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	l, err := NewLoad(dir, journal.Manifest{Command: "load"})
	require.NoError(t, err)
	many := make(TriedRows, mostTried+3)
	for i := range many {
		many[i] = Tried{Text: uint64(i) << 40, Step: uint16(i), Sent: i%3 == 0}
	}
	few := TriedRows{{1, 2, true}}
	first := Retry{Run: "a", Dir: "retry-1"}
	require.NoError(t, l.RetryRows("rejects.csv", many, first))
	require.NoError(t, l.RetryRows("rejects-2.csv", few, first))
	require.NoError(t, l.Retry([]string{"rejects.csv", "rejects-2.csv"}, first))
	first.Done = true
	require.NoError(t, l.Retry([]string{"rejects.csv", "rejects-2.csv"}, first))
	require.NoError(t, l.Abandon())

	_, loaded, err := ReadLoad(dir)
	require.NoError(t, err)
	require.Equal(t, many, loaded.Retried["rejects.csv"].Rows)
	require.Equal(t, few, loaded.Retried["rejects-2.csv"].Rows)
	require.True(t, loaded.Retried["rejects.csv"].Done)
	require.EqualValues(t, 65535, loaded.Step)

	// A later retry takes their place. Of one that wrote its rows as of its time, there is nothing
	// to know.
	l, err = OpenLoad(dir)
	require.NoError(t, err)
	second := Retry{Run: "b", Dir: "retry-2", AsOfNow: true}
	require.NoError(t, l.RetryRows("rejects.csv", nil, second))
	second.AsOfNow = false
	require.NoError(t, l.Retry([]string{"rejects.csv"}, second))
	require.NoError(t, l.Abandon())
	_, loaded, err = ReadLoad(dir)
	require.NoError(t, err)
	require.True(t, loaded.Retried["rejects.csv"].AsOfNow)
	require.Nil(t, loaded.Retried["rejects.csv"].Rows)
	require.Equal(t, few, loaded.Retried["rejects-2.csv"].Rows)
}

// If one record is missing, the rows are not known. A text that is no list of rows is damage.
func TestTriedRowsInParts(t *testing.T) {
	rows := TriedRows{{1, 0, false}}
	first := Retry{Run: "a", From: 0, Rows: rows}.after(Retry{})
	require.Equal(t, rows, first.Rows)
	require.Nil(t, Retry{Run: "a", From: 2, Rows: rows}.after(first).Rows)
	require.Nil(t, Retry{Run: "b", From: 1, Rows: rows}.after(first).Rows)
	require.Equal(
		t,
		TriedRows{rows[0], rows[0]},
		Retry{Run: "a", From: 1, Rows: rows}.after(first).Rows,
	)
	var read TriedRows
	require.ErrorContains(t, read.UnmarshalText([]byte("AAAA")), "3 bytes are no number of rows")
	require.Error(t, read.UnmarshalText([]byte("?")))
}
