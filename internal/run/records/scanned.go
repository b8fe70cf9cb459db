package records

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/run/journal"
	"github.com/cqlbulk/cqlbulk/internal/sink"
	"github.com/cqlbulk/cqlbulk/pkg/rowsum"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// The kinds of records that only a scan has.
const (
	kindTarget = "target" // wanted: what is to be read
	kindMark   = "mark"   // marked
	// kindMarkFiles is a mark with many finished files: markedFiles. It has its own name so that an
	// older program does not read it as a mark without files.
	kindMarkFiles = "mark-files"
)

// wanted is a record of what a scan is to read. A journal may have several.
type wanted struct {
	Ranges []string `json:"ranges"`
}

// rangesOfTarget is the number of ranges that a record has at most, so that it stays far below
// journal.MaxPayload.
const rangesOfTarget = 50_000

// marked is the record of a mark: a point at which the output can be cut off.
type marked struct {
	Ranges    []string   `json:"ranges"`     // whose rows came into the output since the last mark
	Rows      int64      `json:"rows"`       // of them
	TextBytes int64      `json:"text_bytes"` // of them
	Sum       rowsum.Sum `json:"sum"`        // of them
	Output    *sink.Mark `json:"output"`     // what changed since the last mark
}

// Scanned is the content of a scan's journal.
type Scanned struct {
	Target    []token.Range // what is to be read
	Done      []token.Range // what is in the output
	Rows      int64         // in the output
	TextBytes int64         // of them
	Sum       rowsum.Sum
	End       *End // of the last run; nil if it was stopped before it could record one

	output      *sink.Mark
	partitioner token.Partitioner
	merged      int // length of Done when its ranges were last merged
}

// Left returns what is still to be read. It is empty, and not nil, if nothing is left.
func (s *Scanned) Left() []token.Range {
	return append([]token.Range{}, token.Subtract(s.Target, s.Done)...)
}

// Share returns which part of the target's tokens was read, from 0 to 1.
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

// Output returns the last mark of the output in the journal. It returns false if the run stopped
// before it began the output.
func (s *Scanned) Output() (sink.Mark, bool) {
	if s.output == nil {
		return sink.Mark{}, false
	}
	return *s.output, true
}

// apply adds one record.
func (s *Scanned) apply(r journal.Record) error {
	switch r.Kind {
	case kindTarget:
		var t wanted
		if err := r.Decode(&t); err != nil {
			return err
		}
		return s.add(&s.Target, t.Ranges)
	case kindMark, kindMarkFiles:
		var m markedFiles
		if err := r.Decode(&m); err != nil {
			return err
		}
		if err := m.unpack(); err != nil {
			return err
		}
		if err := s.add(&s.Done, m.Ranges); err != nil {
			return err
		}
		if len(s.Done) > 2*s.merged+1000 {
			s.merge()
		}
		s.Rows += m.Rows
		s.TextBytes += m.TextBytes
		s.Sum = s.Sum.Add(m.Sum)
		s.End = nil
		if m.Output == nil {
			return fmt.Errorf("record %d: a mark without an output", r.Seq)
		}
		if s.output == nil {
			s.output = &sink.Mark{}
		}
		return s.output.Extend(m.Output)
	case kindResumed:
		s.End = nil
		return nil
	case kindEnd:
		s.End = new(End)
		return r.Decode(s.End)
	default:
		return fmt.Errorf("a record of kind %q is none of a scan", r.Kind)
	}
}

// merge joins adjacent ranges of Done. It is not called for each mark, since a scan of days has
// hundreds of thousands of them.
func (s *Scanned) merge() {
	s.Done = token.Merge(s.Done)
	s.merged = len(s.Done)
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

// ScanExtra is what run.json has of a scan besides its options. The manifest of the output needs
// it.
type ScanExtra struct {
	Cluster     string      `json:"cluster"`     // its name
	Partitioner string      `json:"partitioner"` // its class
	Seed        uint64      `json:"seed,string"`
	PlanHash    string      `json:"plan_hash"`
	Splits      int         `json:"splits"`
	Truncated   Truncations `json:"truncated,omitempty"` // of the table, before the run
	Dropped     Drops       `json:"dropped"`             // columns of the table, before the run; null: not known
	Files       string      `json:"files,omitempty"`     // a sum of the SSTables that are read; empty: none are
	Folders     []Folder    `json:"folders,omitempty"`   // of those SSTables
	Now         time.Time   `json:"now,omitzero"`        // the scan's time, for what expires in SSTables
	Keys        *KeyList    `json:"keys,omitempty"`      // that are read; null: the whole table is
	Times       []string    `json:"times,omitempty"`     // columns of the output, if times are among them
}

// The files of a scan by keys in its run directory.
const (
	KeysFile    = "keys.bin"    // the keys, sorted
	MissingFile = "missing.bin" // which of them have no row
)

// KeyList is a list of keys that a scan reads.
type KeyList struct {
	Keys      int64  `json:"keys"`      // each once
	Redundant int64  `json:"redundant"` // keys left out: they came twice, or a shorter one has their rows
	Rejected  int64  `json:"rejected"`  // lines that were no keys
	Sum       string `json:"sum"`       // a checksum of the file of keys
}

// Folder is a folder with SSTables that the scan reads.
type Folder struct {
	Path     string   `json:"path"`
	Snapshot string   `json:"snapshot,omitempty"` // empty: live data
	SSTables []string `json:"sstables"`           // the names of their Data.db
}

// ScanExtraOf reads the ScanExtra of a manifest.
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
	status, err := journal.Read(dir, s.apply)
	s.merge()
	return status, s, err
}
