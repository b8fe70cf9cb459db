package resume

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"github.com/cqlbulk/cqlbulk/internal/journal"
)

// Input tells an input file from one that took its place: by its size, its time,
// and the first and last bytes. When it may have been touched all the same, the pieces
// that a load has written are compared as a whole; see load.Piece.
type Input struct {
	Path string    `json:"path"` // absolute; "-" is the standard input
	Size int64     `json:"size"`
	Time time.Time `json:"time"`
	// Inode is when the file or what describes it was last changed, in nanoseconds since
	// the epoch (st_ctim of stat(2)), which no program can set as it can Time.
	Inode int64  `json:"inode_time,string"`
	Ends  string `json:"ends"`           // SHA-256, in hex, of the first and the last bytes
	Other bool   `json:"pipe,omitempty"` // no plain file: only Path counts
}

// endBytes is how much is read of each end.
const endBytes = 64 << 10

// Standard is the standard input.
const Standard = "-"

// LookAt takes down an input.
func LookAt(path string) (Input, error) {
	if path == Standard {
		return Input{Path: path, Other: true}, nil
	}
	absolute, err := filepath.Abs(path)
	if err != nil {
		return Input{}, fmt.Errorf("input %s: %w", path, err)
	}
	info, err := os.Stat(absolute)
	if err != nil {
		return Input{}, fmt.Errorf("input %s: %w", path, errors.Unwrap(err))
	}
	var stat unix.Stat_t
	if err := unix.Stat(absolute, &stat); err != nil {
		return Input{}, fmt.Errorf("input %s: %w", path, err)
	}
	if !info.Mode().IsRegular() {
		return Input{Path: absolute, Other: true}, nil
	}
	f, err := os.Open(absolute)
	if err != nil {
		return Input{}, fmt.Errorf("input %s: %w", path, errors.Unwrap(err))
	}
	defer func() { _ = f.Close() }()
	h := sha256.New()
	for _, part := range []*io.SectionReader{
		io.NewSectionReader(f, 0, endBytes), io.NewSectionReader(f, max(0, info.Size()-endBytes), endBytes),
	} {
		if _, err := io.Copy(h, part); err != nil {
			return Input{}, fmt.Errorf("input %s: %w", path, err)
		}
	}
	return Input{
		Path: absolute, Size: info.Size(), Time: info.ModTime().UTC(), Inode: stat.Ctim.Nano(), Ends: hex.EncodeToString(h.Sum(nil)),
	}, nil
}

// Check says why the input is not what it was, if it is not, and whether it may have
// been changed all the same.
func (i Input) Check() (touched bool, err error) {
	now, err := LookAt(i.Path)
	switch {
	case err != nil:
		return true, err
	case now.Other != i.Other:
		return true, fmt.Errorf("input %s is no longer the same kind of file", i.Path)
	case now.Size != i.Size:
		return true, fmt.Errorf("input %s has %d bytes instead of %d: it was changed since the run began", i.Path, now.Size, i.Size)
	case now.Ends != i.Ends || !now.Time.Equal(i.Time):
		return true, fmt.Errorf("input %s was changed at %s, after the run began", i.Path, now.Time.Format(time.RFC3339))
	}
	return now.Inode != i.Inode, nil
}

// CheckInputs compares the inputs of a load that goes on with what they were, and is
// called before GoOn. touched says which of them may have been changed all the same. An
// input of which nothing was taken yet may be another file by now: mended has the paths of
// those, which GoOn notes as they are.
func (l *Load) CheckInputs(inputs []Input) (touched []bool, mended []string, err error) {
	for i, in := range inputs {
		if was, ok := l.earlier.mended[i]; ok {
			in = was
		}
		maybe, err := in.Check()
		if err != nil && i >= len(l.earlier.pieces) { // inputs are read one after the other
			now, lookErr := LookAt(in.Path)
			if lookErr != nil || now.Other != in.Other {
				return nil, nil, err
			}
			l.mended = append(l.mended, mendedInput{i, now})
			mended, maybe, err = append(mended, in.Path), false, nil
		}
		if err != nil {
			return nil, nil, err
		}
		touched = append(touched, maybe)
	}
	return touched, mended, nil
}

// Extra is what a run keeps besides its options.
type Extra struct {
	Cluster   string      `json:"cluster"`             // its name
	Boot      string      `json:"boot,omitempty"`      // see Boot
	Inputs    []Input     `json:"inputs,omitempty"`    // of a load
	Truncated Truncations `json:"truncated,omitempty"` // of the table, before the run
	Dropped   Drops       `json:"dropped"`             // columns of the table, before the run; null: not known
}

// ExtraOf reads what a manifest has besides options.
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
