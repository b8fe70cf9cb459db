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

// NewScan begins the journal of a scan of some ranges in a new run directory. m has
// a ScanExtra.
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

// OpenScan goes on with the journal of a scan that was stopped. m is its manifest.
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

// GoOn notes that the scan goes on.
func (s *Scan) GoOn() error { return s.j.Append(kindAgain, struct{}{}) }

// Scanned tells what earlier runs did.
func (s *Scan) Scanned() *Scanned { return s.earlier }

// Manifest says what the run is.
func (s *Scan) Manifest() journal.Manifest { return s.j.Manifest() }

// Mark is for scan.Job.Mark: it takes down how far the output is, and has that noted
// with what is in it.
func (s *Scan) Mark(out *sink.Output) func() (func(scan.Point) error, error) {
	return func() (func(scan.Point) error, error) {
		m, err := out.Mark()
		if err != nil {
			return nil, err
		}
		return func(p scan.Point) error {
			// The rows must be on the disk before the word that they are.
			if err := out.Sync(); err != nil {
				return err
			}
			return s.note(
				m,
				marked{Ranges: s.texts(p.Ranges), Rows: p.Rows, TextBytes: p.TextBytes, Sum: p.Sum},
			)
		}, nil
	}
}

// note appends the record of a mark. Marks are noted one after the other.
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

// Begin notes an output that has no rows yet.
func (s *Scan) Begin(out *sink.Output) error {
	note, err := s.Mark(out)()
	if err != nil {
		return err
	}
	return note(scan.Point{})
}

// Commit finishes the output's files and notes them, since from then on they get
// their names. done is what this run has read: with what earlier runs have it must be
// all that was to be read.
func (s *Scan) Commit(out *sink.Output, done []token.Range) error {
	if left := token.Subtract(s.earlier.Left(), done); len(left) > 0 {
		return fmt.Errorf(
			"internal check failed: token range %s was never read",
			token.AppendRange(nil, s.earlier.partitioner, left[0]),
		)
	}
	m, err := out.Settle()
	if err != nil {
		return err
	}
	if err := out.Sync(); err != nil { // a file may have been made only now
		return err
	}
	return s.note(m, marked{})
}

// Close ends the journal with how the run ended.
func (s *Scan) Close(e End) error { return closeJournal(s.j, e) }

// Abandon lets go of a run without a word about it. It does nothing after Close.
func (s *Scan) Abandon() error { return s.j.Close() }

// Range names a range that failed, for the end of a run.
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

// MarkTime is how much of a scan has to be read again when it was killed, besides the
// partitions that it was in the middle of.
const MarkTime = 2 * time.Second
