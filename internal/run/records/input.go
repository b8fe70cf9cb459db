package records

import (
	"context"
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

	"github.com/cqlbulk/cqlbulk/internal/store/stores"
)

// Input identifies an input file by its size and its first and last bytes. A file with other times
// may still be the same; the load then compares the bytes of each piece that it has written. See
// ingest.Piece.
type Input struct {
	Path string    `json:"path"` // absolute; "-" is the standard input
	Size int64     `json:"size"`
	Time time.Time `json:"time"`
	// Inode is the time of the last change of the file or its inode, in nanoseconds since the epoch
	// (st_ctim of stat(2)). Unlike Time, programs cannot set it.
	Inode int64 `json:"inode_time,string"`
	// Ends is the SHA-256 of the first and the last bytes, in hex. It may be cut to its first
	// bytes.
	Ends  string `json:"ends"`
	Other bool   `json:"pipe,omitempty"` // no plain file: only Path counts
}

// endBytes is the number of bytes read from each end.
const endBytes = 64 << 10

// Standard is the standard input.
const Standard = "-"

// LookAt returns the Input of a path: its size, its times and the hash of its ends. Of an object in
// a store other than the disk it is the size and the hash of the version.
func LookAt(in *stores.Stores, path string) (Input, error) {
	switch {
	case path == Standard:
		return Input{Path: path, Other: true}, nil
	case stores.Remote(path):
		return lookAtRemote(in, path)
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

func lookAtRemote(in *stores.Stores, name string) (Input, error) {
	at, err := in.Of(name)
	if err != nil {
		return Input{}, fmt.Errorf("input %s: %w", name, err)
	}
	info, err := at.Stat(context.Background(), name)
	if err != nil {
		return Input{}, fmt.Errorf("input %s: %w", name, stores.Reason(err))
	}
	sum := sha256.Sum256([]byte(info.Version))
	return Input{
		Path:  name,
		Size:  info.Size,
		Time:  time.Unix(0, 0).UTC(), // the version counts
		Ends:  hex.EncodeToString(sum[:]),
		Other: !info.Ranged(),
	}, nil
}

// ends are buffers for endsOf.
var ends = sync.Pool{New: func() any { return new([endBytes]byte) }}

// endsOf returns the SHA-256, in hex, of the first and the last bytes of a file of that size. In a
// small file these are the same bytes, so that endsOf reads them once and hashes them twice.
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

// needsBytes is the advice in the error about an input that was changed.
const needsBytes = "; restore it, or run cqlbulk load again with the same inputs"

// Check returns an error if the input is no longer the same. The result touched reports whether the
// file may have been changed although its size and its ends are the same.
func (i Input) Check(in *stores.Stores) (touched bool, err error) {
	now, err := LookAt(in, i.Path)
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
	case !strings.HasPrefix(now.Ends, i.Ends) && stores.Remote(i.Path):
		return true, fmt.Errorf("input %s was replaced since the run began"+needsBytes, i.Path)
	case !strings.HasPrefix(now.Ends, i.Ends):
		return true, fmt.Errorf(
			"input %s was changed since the run began: it does not begin and end with the same bytes"+needsBytes,
			i.Path,
		)
	}
	// Other times do not prove other bytes: a copy of the file has other times, too.
	return now.Inode != i.Inode || !now.Time.Equal(i.Time), nil
}
