package retry

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/ingest"
	"github.com/cqlbulk/cqlbulk/internal/run"
	"github.com/cqlbulk/cqlbulk/internal/run/journal"
	"github.com/cqlbulk/cqlbulk/internal/run/recorded"
	"github.com/cqlbulk/cqlbulk/internal/run/records"
	"github.com/cqlbulk/cqlbulk/internal/run/reject"
	"github.com/cqlbulk/cqlbulk/internal/source"
	"github.com/cqlbulk/cqlbulk/internal/spec"
	"github.com/cqlbulk/cqlbulk/internal/spec/setting"
)

// header is the header line of the inputs of these tests.
const header = "k,n\n"

// row returns a row that a load rejected at a stage.
func row(text string, stage ingest.Stage, stamp int64) ingest.Reject {
	return ingest.Reject{
		File:   "in.csv",
		Header: []byte(header),
		Raw:    []byte(text + "\n"),
		Line:   2,
		Reason: "a reason",
		Stage:  stage,
		Stamp:  stamp,
	}
}

// loaded makes the run directory of a load with settings, which rejected rows and ended so.
func loaded(
	t *testing.T,
	dir string,
	flags setting.Values,
	end *records.End,
	rows ...ingest.Reject,
) {
	t.Helper()
	l := begun(t, dir, flags)
	kept := reject.New(dir, ".csv")
	l.Use(kept, false)
	piece := ingest.Piece{Bytes: 1, Count: len(rows), Stamp: 1, Line: 2}
	require.NoError(t, l.Begin(piece))
	tally := ingest.Tally{Read: int64(len(rows))}
	for _, r := range rows {
		switch r.Stage {
		case ingest.Parse:
			tally.ParseErrors++
		case ingest.Insert:
			tally.InsertErrors++
		case ingest.InDoubt:
			tally.InDoubt++
		}
	}
	require.NoError(t, l.Complete(piece, tally, rows))
	require.NoError(t, kept.Close())
	if end == nil {
		require.NoError(t, l.Abandon())
		return
	}
	require.NoError(t, l.Close(*end))
}

// begun makes the run directory of a load with settings, and opens its journal.
func begun(t *testing.T, dir string, flags setting.Values) *records.Load {
	t.Helper()
	options, err := json.Marshal(recorded.Spec{
		Flags: flags,
		Args:  []string{"shop.orders", "/data/pipe"},
	})
	require.NoError(t, err)
	m := journal.Manifest{
		Command: run.CommandLoad,
		Table:   "shop.orders",
		Options: options,
		Extra:   json.RawMessage(`{"inputs":[{"path":"/data/pipe","pipe":true}]}`),
	}
	l, err := records.NewLoad(dir, m)
	require.NoError(t, err)
	return l
}

var (
	csv    = setting.Values{"format": {"csv"}, "consistency": {"ONE"}}
	partly = &records.End{Outcome: records.Partly}
)

// typed are changes that were all typed.
func typed(values setting.Values) setting.Changes {
	c := setting.Changes{Values: values, Typed: setting.Given{}}
	for name := range values {
		c.Typed[name] = true
	}
	return c
}

// planned plans a retry of a run directory.
func planned(t *testing.T, dir string, changes setting.Changes) (*Plan, *records.Load, error) {
	t.Helper()
	first, err := records.OpenLoad(dir)
	require.NoError(t, err)
	t.Cleanup(func() { _ = first.Abandon() })
	p, err := NewPlan(spec.Resume{RunDir: dir, Changes: changes}, first)
	if err != nil {
		require.NoError(t, first.Abandon())
	}
	return p, first, err
}

// opened are rejects that a retry has opened, with the warnings of that.
type opened struct {
	*Rejects
	plan     *Plan
	load     Load
	warnings []string
}

// open opens the rejects of a run directory for a retry.
func open(t *testing.T, dir string, changes setting.Changes) (*opened, error) {
	t.Helper()
	p, first, err := planned(t, dir, changes)
	require.NoError(t, err)
	o := &opened{plan: p}
	text, err := p.Spec.ChooseFormat(p.Spec.Inputs[0])
	require.NoError(t, err)
	o.load = Load{Spec: &p.Spec, Format: text}
	o.load.Inputs, _, err = source.Find(p.Spec.Inputs, nil)
	require.NoError(t, err)
	o.Rejects, err = Open(o.load, first, func(format string, args ...any) {
		o.warnings = append(o.warnings, fmt.Sprintf(format, args...))
	})
	if err == nil {
		t.Cleanup(o.Close)
	}
	return o, err
}

// mustOpen is open of rejects that can be opened.
func mustOpen(t *testing.T, dir string, changes setting.Changes) *opened {
	t.Helper()
	o, err := open(t, dir, changes)
	require.NoError(t, err)
	return o
}

// begin begins the retry, and returns its journal.
func (o *opened) begin(t *testing.T) *records.Load {
	t.Helper()
	own := begun(t, o.plan.Spec.RunDir, csv)
	require.NoError(t, o.Journal(own, o.plan.Spec.RunDir).Begin(ingest.Piece{Count: 1}))
	return own
}

// retried plays a retry that loads all rows: it leaves no run directory.
func retried(t *testing.T, dir string, changes setting.Changes) {
	t.Helper()
	o := mustOpen(t, dir, changes)
	own := o.begin(t)
	require.NoError(t, o.RecordDone(own, o.plan.Spec.RunDir))
	require.NoError(t, own.Abandon())
	require.NoError(t, os.RemoveAll(o.plan.Spec.RunDir))
	o.Close()
}

// retriedInVain plays a retry that rejects a row. It returns the run directory of the retry.
func retriedInVain(t *testing.T, dir string, r ingest.Reject) string {
	t.Helper()
	o := mustOpen(t, dir, setting.Changes{})
	own := o.begin(t)
	r.File = o.plan.Spec.Inputs[0]
	kept := reject.New(o.plan.Spec.RunDir, ".csv")
	own.Use(kept, false)
	tally := ingest.Tally{Read: 1, ParseErrors: 1}
	require.NoError(t, own.Complete(ingest.Piece{Count: 1}, tally, []ingest.Reject{r}))
	require.NoError(t, kept.Close())
	require.NoError(t, own.Close(*partly))
	o.Close()
	return o.plan.Spec.RunDir
}

// edit writes rows into a file of rejects.
func edit(t *testing.T, dir, name, rows string) {
	t.Helper()
	require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(header+rows), 0o600))
}

// retryOf returns what the journal of a load records of the retry of rejects.csv.
func retryOf(t *testing.T, dir string) records.Retry {
	t.Helper()
	_, l, err := records.ReadLoad(dir)
	require.NoError(t, err)
	return l.Retried["rejects.csv"]
}
