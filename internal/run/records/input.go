package records

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// Input tells an input file from one that took its place: by its size and the first and last
// bytes. If its times are others, the pieces that a load has written are compared as a whole;
// see ingest.Piece.
type Input struct {
	Path string    `json:"path"` // absolute; "-" is the standard input
	Size int64     `json:"size"`
	Time time.Time `json:"time"`
	// Inode is when the file or what describes it was last changed, in nanoseconds since
	// the epoch (st_ctim of stat(2)), which no program can set as it can Time.
	Inode int64 `json:"inode_time,string"`
	// Ends is the SHA-256, in hex, of the first and the last bytes, or the beginning of it.
	Ends  string `json:"ends"`
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
	var stat unix.Stat_t
	if err := unix.Stat(absolute, &stat); err != nil {
		return Input{}, fmt.Errorf("input %s: %w", path, err)
	}
	if stat.Mode&unix.S_IFMT != unix.S_IFREG {
		return Input{Path: absolute, Other: true}, nil
	}
	ends, err := endsOf(absolute, stat.Size)
	if err != nil {
		return Input{}, fmt.Errorf("input %s: %w", path, err)
	}
	return Input{
		Path:  absolute,
		Size:  stat.Size,
		Time:  time.Unix(0, stat.Mtim.Nano()).UTC(),
		Inode: stat.Ctim.Nano(),
		Ends:  ends,
	}, nil
}

// ends are buffers for the ends of files.
var ends = sync.Pool{New: func() any { return new([endBytes]byte) }}

// endsOf returns the SHA-256, in hex, of the first and the last bytes of a file of that size. Those
// of a small file are the same bytes, which are read once.
func endsOf(path string, size int64) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", errors.Unwrap(err)
	}
	defer func() { _ = f.Close() }()
	buffer := ends.Get().(*[endBytes]byte)
	defer ends.Put(buffer)
	end := buffer[:min(size, endBytes)]
	h := sha256.New()
	n, err := f.ReadAt(end, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return "", err
	}
	_, _ = h.Write(end[:n]) // never fails
	if size > endBytes {
		if n, err = f.ReadAt(end, size-endBytes); err != nil && !errors.Is(err, io.EOF) {
			return "", err
		}
	}
	_, _ = h.Write(end[:n])
	return hex.EncodeToString(h.Sum(nil)), nil
}

// needsBytes is what to do about an input that was changed.
const needsBytes = "; restore it, or run cqlbulk load again with the same inputs"

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
		return true, fmt.Errorf(
			"input %s has %d bytes instead of %d: it was changed since the run began"+needsBytes,
			i.Path,
			now.Size,
			i.Size,
		)
	case !strings.HasPrefix(now.Ends, i.Ends):
		return true, fmt.Errorf(
			"input %s was changed since the run began: it does not begin and end with the same bytes"+needsBytes,
			i.Path,
		)
	}
	// Another time does not tell that the bytes are others: a copy of the file has another one too.
	return now.Inode != i.Inode || !now.Time.Equal(i.Time), nil
}
