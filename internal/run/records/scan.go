package records

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/run/journal"
	"github.com/cqlbulk/cqlbulk/internal/scan"
	"github.com/cqlbulk/cqlbulk/internal/sink"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// Scan is the journal of a scan.
type Scan struct {
	j       *journal.Journal
	earlier *Scanned
	noted   *sink.Mark // the last mark in the journal
}

// NewScan starts the journal of a scan of these ranges in a new run directory. m has a ScanExtra.
func NewScan(dir string, m journal.Manifest, ranges []token.Range) (*Scan, error) {
	earlier, err := newScanned(m)
	if err != nil {
		return nil, err
	}
	j, err := journal.Create(dir, m)
	if err != nil {
		return nil, err
	}
	s := &Scan{j: j, earlier: earlier}
	earlier.Target = token.Merge(ranges)
	for texts := range slices.Chunk(s.texts(earlier.Target), rangesOfTarget) {
		if err := j.Append(kindTarget, wanted{texts}); err != nil {
			return nil, errors.Join(err, j.Close(), Discard(dir))
		}
	}
	return s, nil
}

// OpenScan opens the journal of a scan that was stopped. m is its manifest.
func OpenScan(dir string, m journal.Manifest) (*Scan, error) {
	earlier, err := newScanned(m)
	if err != nil {
		return nil, err
	}
	j, err := journal.Open(dir, earlier.apply)
	if err != nil {
		return nil, err
	}
	earlier.merge()
	return &Scan{j: j, earlier: earlier, noted: earlier.output}, nil
}

// Resume records that the scan resumes.
func (s *Scan) Resume() error { return s.j.Append(kindResumed, struct{}{}) }

// Scanned returns what the journal says of earlier runs.
func (s *Scan) Scanned() *Scanned { return s.earlier }

// Manifest returns the manifest of the run.
func (s *Scan) Manifest() journal.Manifest { return s.j.Manifest() }

// Mark returns a function for scan.Job.Checkpoint. That function takes a mark of the output. The
// function that it returns records the mark, with the ranges and rows that are in the output.
func (s *Scan) Mark(out *sink.Output) func() (func(scan.Point) error, error) {
	return func() (func(scan.Point) error, error) {
		m, err := out.Mark()
		if err != nil {
			return nil, err
		}
		return func(p scan.Point) error {
			// The rows must be on the disk before the record of them.
			if err := out.Sync(); err != nil {
				return err
			}
			err := s.note(
				m,
				marked{Ranges: s.texts(p.Ranges), Rows: p.Rows, TextBytes: p.TextBytes, Sum: p.Sum},
			)
			if err == nil {
				out.Recorded(m)
			}
			return err
		}, nil
	}
}

// note appends the record of a mark. The calls must not overlap.
func (s *Scan) note(m *sink.Mark, record marked) error {
	rest, files := packFiles(m.Since(s.noted))
	s.noted, record.Output = m, rest
	var err error
	if files == nil {
		err = s.j.Append(kindMark, record)
	} else {
		err = s.j.Append(kindMarkFiles, markedFiles{record, files})
	}
	if err != nil {
		return err
	}
	return s.j.Sync()
}

// Begin records an output that has no rows yet.
func (s *Scan) Begin(out *sink.Output) error {
	note, err := s.Mark(out)()
	if err != nil {
		return err
	}
	return note(scan.Point{})
}

// Commit finishes the output's files and records them; after that they get their final names. done
// has the ranges that this run has read. Together with those of earlier runs they must cover the
// target.
func (s *Scan) Commit(out *sink.Output, done []token.Range) error {
	if left := token.Subtract(s.earlier.Left(), done); len(left) > 0 {
		return fmt.Errorf(
			"internal check failed: token range %s was never read",
			token.AppendRange(nil, s.earlier.partitioner, left[0]),
		)
	}
	m, err := out.Complete()
	if err != nil {
		return err
	}
	if err := out.Sync(); err != nil { // a file may have been made only now
		return err
	}
	return s.note(m, marked{})
}

// Close records how the run ended, and closes the journal.
func (s *Scan) Close(e End) error { return closeJournal(s.j, e) }

// Abandon closes the journal without a record of the end. After Close it does nothing.
func (s *Scan) Abandon() error { return s.j.Close() }

// Range returns the record of a range that failed, for the end of a run.
func (s *Scan) Range(r token.Range, reason error) Range {
	return Range{string(token.AppendRange(nil, s.earlier.partitioner, r)), reason.Error()}
}

func (s *Scan) texts(ranges []token.Range) []string {
	texts := make([]string, len(ranges))
	for i, r := range ranges {
		texts[i] = string(token.AppendRange(nil, s.earlier.partitioner, r))
	}
	return texts
}

// MarkTime is the time between two marks. After a kill, a scan reads again what it read in that
// time, and the partitions that it was reading.
const MarkTime = 2 * time.Second
