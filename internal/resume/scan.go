package resume

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/journal"
	"github.com/cqlbulk/cqlbulk/internal/scan"
	"github.com/cqlbulk/cqlbulk/internal/sink"
	"github.com/cqlbulk/cqlbulk/pkg/rowsum"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// The kinds of records of a scan alone.
const (
	kindTarget = "target" // target: what is to be read
	kindMark   = "mark"   // marked
)

// target is the record of what a scan is to read; there may be several.
type target struct {
	Ranges []string `json:"ranges"`
}

// rangesOfTarget is how many ranges a record holds at the most, so that it stays far
// below the longest that a journal takes.
const rangesOfTarget = 50_000

// marked is the record of a point that the output can be cut off at.
type marked struct {
	Ranges    []string   `json:"ranges"`     // whose rows are in the output since the last mark
	Rows      int64      `json:"rows"`       // of them
	TextBytes int64      `json:"text_bytes"` // of them
	Sum       rowsum.Sum `json:"sum"`        // of them
	Output    sink.Mark  `json:"output"`     // how far it is
}

// Scanned is what the journal of a scan says.
type Scanned struct {
	Target    []token.Range // what is to be read
	Done      []token.Range // what is in the output
	Rows      int64         // in the output
	TextBytes int64         // of them
	Sum       rowsum.Sum
	End       *End // of the last run; nil when it did not come to one

	output      *sink.Mark
	partitioner token.Partitioner
}

// Left is what is still to be read; empty but not nil when there is nothing.
func (s *Scanned) Left() []token.Range {
	return append([]token.Range{}, token.Subtract(s.Target, s.Done)...)
}

// Share is how much of the tokens that are to be read has been read, from 0 to 1.
func (s *Scanned) Share() float64 {
	sum := func(ranges []token.Range) (share float64) {
		for _, r := range ranges {
			share += token.Fraction(r, s.partitioner)
		}
		return share
	}
	if all := sum(s.Target); all > 0 {
		return min(sum(s.Done)/all, 1)
	}
	return 1
}

// Output is how far the output is that the journal vouches for.
func (s *Scanned) Output() (sink.Mark, error) {
	if s.output == nil {
		return sink.Mark{}, errors.New("journal: the run was stopped before its output was begun: begin anew")
	}
	return *s.output, nil
}

// take reads one record.
func (s *Scanned) take(r journal.Record) error {
	switch r.Kind {
	case kindTarget:
		var t target
		if err := r.Decode(&t); err != nil {
			return err
		}
		return s.add(&s.Target, t.Ranges)
	case kindMark:
		var m marked
		if err := r.Decode(&m); err != nil {
			return err
		}
		if err := s.add(&s.Done, m.Ranges); err != nil {
			return err
		}
		s.Done = token.Merge(s.Done)
		s.Rows += m.Rows
		s.TextBytes += m.TextBytes
		s.Sum = s.Sum.Add(m.Sum)
		s.output = &m.Output
		s.End = nil
	case kindEnd:
		s.End = new(End)
		return r.Decode(s.End)
	default:
		return fmt.Errorf("a record of kind %q is none of a scan", r.Kind)
	}
	return nil
}

func (s *Scanned) add(to *[]token.Range, texts []string) error {
	for _, text := range texts {
		r, err := token.ParseRange(s.partitioner, text)
		if err != nil {
			return err
		}
		*to = append(*to, r)
	}
	return nil
}

// ScanExtra is what a scan keeps besides its options: what tells of the plan it was
// begun with, for the manifest of its output.
type ScanExtra struct {
	Cluster     string `json:"cluster"`     // its name
	Partitioner string `json:"partitioner"` // its class
	Seed        uint64 `json:"seed,string"`
	PlanHash    string `json:"plan_hash"`
	Splits      int    `json:"splits"`
}

// ScanExtraOf reads what a manifest has besides options.
func ScanExtraOf(m journal.Manifest) (ScanExtra, error) {
	var e ScanExtra
	if err := json.Unmarshal(m.Extra, &e); err != nil {
		return e, fmt.Errorf("run.json: %w", err)
	}
	return e, nil
}

func newScanned(m journal.Manifest) (*Scanned, error) {
	extra, err := ScanExtraOf(m)
	if err != nil {
		return nil, err
	}
	partitioner, err := token.ByClass(extra.Partitioner)
	if err != nil {
		return nil, fmt.Errorf("run.json: %w", err)
	}
	return &Scanned{partitioner: partitioner}, nil
}

// ReadScan reads the journal of a scan, which may be under way. m is its manifest.
func ReadScan(dir string, m journal.Manifest) (journal.Status, *Scanned, error) {
	s, err := newScanned(m)
	if err != nil {
		return journal.Status{}, nil, err
	}
	status, err := journal.Read(dir, s.take)
	return status, s, err
}

// Scan is the journal of a scan.
type Scan struct {
	j       *journal.Journal
	earlier *Scanned
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
		if err := j.Append(kindTarget, target{texts}); err != nil {
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
	j, err := journal.Open(dir, earlier.take)
	if err != nil {
		return nil, err
	}
	return &Scan{j: j, earlier: earlier}, nil
}

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
			err := s.j.Append(kindMark, marked{s.texts(p.Ranges), p.Rows, p.TextBytes, p.Sum, *m})
			if err != nil {
				return err
			}
			return s.j.Sync()
		}, nil
	}
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
		return fmt.Errorf("internal check failed: token range %s was never read", token.AppendRange(nil, s.earlier.partitioner, left[0]))
	}
	m, err := out.Settle()
	if err != nil {
		return err
	}
	if err := s.j.Append(kindMark, marked{Output: *m}); err != nil {
		return err
	}
	return s.j.Sync()
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

// MarkTime is how much of a scan has to be read again when it was killed.
const MarkTime = 2 * time.Second
