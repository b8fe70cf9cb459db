package status

import (
	"github.com/cqlbulk/cqlbulk/internal/run"
	"github.com/cqlbulk/cqlbulk/internal/run/advice"
	"github.com/cqlbulk/cqlbulk/internal/run/journal"
	"github.com/cqlbulk/cqlbulk/internal/run/records"
	"github.com/cqlbulk/cqlbulk/pkg/rowsum"
)

// Scan is how far a scan is, up to its last mark.
type Scan struct {
	Share     float64 // of the tokens, 0 to 1
	Rows      int64
	TextBytes int64
	Sum       rowsum.Sum
	StartOver bool // it was stopped before its output was begun, and cannot be resumed
	Next      advice.Step
}

func (r *Report) readScan(m journal.Manifest) error {
	status, scanned, err := records.ReadScan(r.RunDir, m)
	if err != nil {
		return err
	}
	r.Live, r.Holder, r.End = status.Live, status.Holder, endOf(scanned.End)
	r.Scan = &Scan{
		Share:     scanned.Share(),
		Rows:      scanned.Rows,
		TextBytes: scanned.TextBytes,
		Sum:       scanned.Sum,
	}
	if status.Live || r.End != nil && r.End.Refused {
		return nil
	}
	if _, begun := scanned.Output(); !begun {
		r.Scan.StartOver = true
		return nil
	}
	r.Scan.Next = advice.Step{Command: run.CommandResume, RunDir: r.RunDir}
	if r.End != nil && len(r.End.Failed) > 0 {
		r.Scan.Next.Command = run.CommandRetry
	}
	return nil
}
