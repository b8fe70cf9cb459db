package records

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/run/journal"
	"github.com/cqlbulk/cqlbulk/internal/spread"
	"github.com/cqlbulk/cqlbulk/internal/store/stores"
)

// Inputs is a list of inputs in the format of the file of inputs in a run directory. It takes about
// 40 bytes for a small file in a folder of many files. A slice of Input takes 200.
//
// Each entry has these fields, one after the other (varints: encoding/binary):
//
//   - the length of the prefix that its path shares with the path before, in bytes: unsigned varint
//   - the length of the rest of the path, in bytes: unsigned varint
//   - the rest of the path
//   - the size plus 1: unsigned varint. 0 means no plain file, and ends the entry.
//   - the time in nanoseconds, minus the time of the entry before: varint
//   - the time of the inode, minus the time: varint
//   - the first 16 bytes of the SHA-256 of the file's ends
//
// Two different files have the same 128 bits only by a negligible chance.
type Inputs struct {
	text   []byte
	count  int
	stored int64 // bytes of the inputs
	piped  bool  // whether some input is no plain file
	stdin  bool  // whether one input is the standard input

	few []Input // the first fewInputs of them, with the full hash of their ends

	path string // of the last entry
	time int64
}

// keptEnds is the number of bytes that the list stores of the hash of an input's ends.
const keptEnds = 16

// Add adds an input to the list.
func (l *Inputs) Add(in Input) error {
	same := 0
	for same < min(len(l.path), len(in.Path)) && l.path[same] == in.Path[same] {
		same++
	}
	b := binary.AppendUvarint(l.text, uint64(same))
	b = binary.AppendUvarint(b, uint64(len(in.Path)-same))
	b = append(b, in.Path[same:]...)
	if in.Other {
		b = append(b, 0)
	} else {
		hash, err := hex.DecodeString(in.Ends)
		if err != nil || len(hash) < keptEnds {
			return fmt.Errorf("input %s: %q is no hash of its ends", in.Path, in.Ends)
		}
		at := in.Time.UnixNano()
		b = binary.AppendUvarint(b, uint64(in.Size)+1)
		b = binary.AppendVarint(b, at-l.time)
		b = binary.AppendVarint(b, in.Inode-at)
		b = append(b, hash[:keptEnds]...)
		l.time = at
	}
	if l.count < fewInputs {
		l.few = append(l.few, in)
	}
	l.text, l.path = b, in.Path
	l.tally(in)
	return nil
}

// tally adds an input to the counters.
func (l *Inputs) tally(in Input) {
	l.count++
	l.stored += in.Size
	l.piped = l.piped || in.Other
	l.stdin = l.stdin || in.Path == Standard
}

// Len returns the number of inputs.
func (l *Inputs) Len() int { return l.count }

// Stored returns the total size of the inputs in bytes, compressed if the files are.
func (l *Inputs) Stored() int64 { return l.stored }

// Piped reports whether some input is no plain file.
func (l *Inputs) Piped() bool { return l.piped }

// Standard reports whether one of the inputs is the standard input.
func (l *Inputs) Standard() bool { return l.stdin }

var errList = errors.New("the list of inputs is damaged")

// All iterates over the inputs in order. It ends early if the list is damaged.
func (l *Inputs) All() iter.Seq2[int, Input] {
	return func(yield func(int, Input) bool) {
		r := listReader{rest: l.text}
		for i := range l.count {
			in, err := r.next()
			if err != nil || !yield(i, in) {
				return
			}
		}
	}
}

// Paths returns the paths of the inputs.
func (l *Inputs) Paths() []string {
	paths := make([]string, 0, l.count)
	for _, in := range l.All() {
		paths = append(paths, in.Path)
	}
	return paths
}

// listReader reads the entries of a list.
type listReader struct {
	rest []byte
	path []byte
	time int64
}

// next reads one entry.
func (r *listReader) next() (in Input, err error) {
	same, err := r.unsigned()
	if err != nil || same > uint64(len(r.path)) {
		return in, errList
	}
	n, err := r.unsigned()
	if err != nil || n > uint64(len(r.rest)) {
		return in, errList
	}
	r.path = append(r.path[:same], r.rest[:n]...)
	r.rest = r.rest[n:]
	in.Path = string(r.path)
	size, err := r.unsigned()
	if err != nil || size == 0 {
		in.Other = true
		return in, err
	}
	in.Size = int64(size - 1)
	for _, to := range []*int64{&r.time, &in.Inode} {
		d, n := binary.Varint(r.rest)
		if n <= 0 {
			return in, errList
		}
		*to += d
		r.rest = r.rest[n:]
	}
	if len(r.rest) < keptEnds {
		return in, errList
	}
	in.Time, in.Inode = time.Unix(0, r.time).UTC(), in.Inode+r.time
	in.Ends = hex.EncodeToString(r.rest[:keptEnds])
	r.rest = r.rest[keptEnds:]
	return in, nil
}

func (r *listReader) unsigned() (uint64, error) {
	v, n := binary.Uvarint(r.rest)
	if n <= 0 {
		return 0, errList
	}
	r.rest = r.rest[n:]
	return v, nil
}

// parseInputs reads a list of count inputs.
func parseInputs(text []byte, count int) (*Inputs, error) {
	l := &Inputs{text: text}
	r := listReader{rest: text}
	for len(r.rest) > 0 && l.count < count {
		in, err := r.next()
		if err != nil {
			return nil, err
		}
		l.tally(in)
	}
	if len(r.rest) > 0 || l.count != count {
		return nil, errList
	}
	return l, nil
}

// fewInputs is the largest number of inputs that run.json itself lists. An older program, which
// does not know the file of inputs, can resume a run with up to fewInputs inputs.
const fewInputs = 64

// Many reports whether the list has a file of its own in a run directory.
func (l *Inputs) Many() bool { return l.count > fewInputs }

// Listed is the entry in run.json for the file of inputs.
type Listed struct {
	Count  int    `json:"count"`
	SHA256 string `json:"sha256"` // of the file, in hex
}

// Keep stores the inputs of a run: in e, which goes to run.json, or in a file beside it.
func (l *Inputs) Keep(e *Extra) []journal.File {
	if !l.Many() {
		e.Inputs = l.few
		return nil
	}
	sum := sha256.Sum256(l.text)
	e.Listed = &Listed{Count: l.count, SHA256: hex.EncodeToString(sum[:])}
	return []journal.File{{Name: journal.InputsFile, Text: l.text}}
}

// InputsOf reads the inputs of a load from its run directory.
func InputsOf(dir string, e Extra) (*Inputs, error) {
	l := &Inputs{}
	for _, in := range e.Inputs {
		if err := l.Add(in); err != nil {
			return nil, fmt.Errorf("run.json: %w", err)
		}
	}
	if e.Listed == nil {
		return l, nil
	}
	text, err := journal.ReadFile(dir, journal.InputsFile)
	if err != nil {
		return nil, err
	}
	if sum := sha256.Sum256(text); hex.EncodeToString(sum[:]) != e.Listed.SHA256 {
		return nil, fmt.Errorf(
			"run directory %s: %s is not the one that run.json knows: it was changed",
			dir,
			journal.InputsFile,
		)
	}
	if l, err = parseInputs(text, e.Listed.Count); err != nil {
		return nil, fmt.Errorf("run directory %s: %s: %w", dir, journal.InputsFile, err)
	}
	return l, nil
}

// lookedAtOnce is the number of inputs that are examined together, and whose Inputs are in memory.
const lookedAtOnce = 1024

// LookAtAll returns the list of the inputs at the given paths. It examines several at a time.
func LookAtAll(in *stores.Stores, count int, path func(i int) string) (*Inputs, error) {
	l := &Inputs{}
	var looked [lookedAtOnce]struct {
		Input
		err error
	}
	for from := 0; from < count; from += lookedAtOnce {
		n := min(count-from, lookedAtOnce)
		spread.Each(n, func(i int) { looked[i].Input, looked[i].err = LookAt(in, path(from+i)) })
		for _, one := range looked[:n] {
			if one.err != nil {
				return nil, one.err
			}
			if err := l.Add(one.Input); err != nil {
				return nil, err
			}
		}
	}
	return l, nil
}

// CheckInputs compares the inputs of a resumed load with their records. The caller calls it before
// Resume. touched reports for each input whether it may have been changed although it looks the
// same. If no piece of an input was begun, another file may have replaced it: mended has the paths
// of such inputs, and Resume records them as they are now.
func (l *Load) CheckInputs(
	in *stores.Stores,
	inputs *Inputs,
) (touched []bool, mended []string, err error) {
	type checked struct {
		in      Input
		touched bool
		err     error
	}
	batch := make([]checked, 0, lookedAtOnce)
	from := 0
	flush := func() error {
		spread.Each(
			len(batch),
			func(i int) { batch[i].touched, batch[i].err = batch[i].in.Check(in) },
		)
		for i, one := range batch {
			// Inputs are read in order, so that later ones have no pieces yet.
			if one.err != nil && from+i >= len(l.earlier.pieces) {
				now, err := LookAt(in, one.in.Path)
				if err != nil || now.Other != one.in.Other {
					return one.err
				}
				l.mended = append(l.mended, mendedInput{from + i, now})
				mended, one.touched, one.err = append(mended, one.in.Path), false, nil
			}
			if one.err != nil {
				return one.err
			}
			touched = append(touched, one.touched)
		}
		from += len(batch)
		batch = batch[:0]
		return nil
	}
	for i, in := range inputs.All() {
		if was, ok := l.earlier.mended[i]; ok {
			in = was
		}
		if batch = append(batch, checked{in: in}); len(batch) == cap(batch) {
			if err := flush(); err != nil {
				return nil, nil, err
			}
		}
	}
	if err := flush(); err != nil {
		return nil, nil, err
	}
	return touched, mended, nil
}

// Extra is what run.json has of a load besides its options.
type Extra struct {
	Cluster   string      `json:"cluster"`             // its name
	Boot      string      `json:"boot,omitempty"`      // see Boot
	Inputs    []Input     `json:"inputs,omitempty"`    // of a load of few inputs
	Listed    *Listed     `json:"listed,omitempty"`    // of a load of many; nil: all are in Inputs
	Truncated Truncations `json:"truncated,omitempty"` // of the table, before the run
	Dropped   Drops       `json:"dropped"`             // columns of the table, before the run; null: not known
	// CountsTwice reports whether a row written twice counts twice, as in a table of counters. A
	// resume then does not write rows again.
	CountsTwice bool `json:"counts_twice,omitempty"`
}

// ExtraOf reads the Extra of a manifest.
func ExtraOf(m journal.Manifest) (Extra, error) {
	var e Extra
	if len(m.Extra) == 0 {
		return e, nil
	}
	if err := json.Unmarshal(m.Extra, &e); err != nil {
		return e, fmt.Errorf("run.json: %w", err)
	}
	return e, nil
}
