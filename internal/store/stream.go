package store

import (
	"context"
	"errors"
	"io"
	"io/fs"
)

// Stream is the standard input and output of a program, as a place with one name, [Stdio]. The
// streams belong to the caller, and stay open. Nothing can be taken back: bytes are seen as they
// are written. So Commit and Abort do nothing, and a mark stands for nothing. The input is opened
// once.
type Stream struct {
	In  io.Reader // nil: there is none
	Out io.Writer // nil: there is none
}

var _ Store = Stream{}

// stdio is what is known of a standard stream.
var stdio = Info{Name: Stdio, Kind: Pipe, Size: -1}

// Can returns that a stream can do nothing.
func (Stream) Can() Abilities { return Abilities{} }

// Open opens the input.
func (s Stream) Open(_ context.Context, name string) (Reader, error) {
	if name != Stdio || s.In == nil {
		return nil, noStream("open", name)
	}
	return &streamReader{Reader: s.In}, nil
}

// Create opens the output.
func (s Stream) Create(_ context.Context, name string, _ CreateOptions) (Writer, error) {
	if name != Stdio || s.Out == nil {
		return nil, noStream("create", name)
	}
	return streamWriter{s.Out}, nil
}

// List returns nothing: a stream is in no folder.
func (Stream) List(context.Context, string) ([]Info, error) { return nil, nil }

// Stat returns that the name is a stream.
func (Stream) Stat(_ context.Context, name string) (Info, error) {
	if name != Stdio {
		return Info{}, noStream("stat", name)
	}
	return stdio, nil
}

// Remove refuses.
func (Stream) Remove(_ context.Context, name string) error { return noStream("remove", name) }

func noStream(op, name string) error {
	return &fs.PathError{Op: op, Path: name, Err: fs.ErrNotExist}
}

// errNoRange is the error of a read from another place than the next.
var errNoRange = errors.New("a stream is read from its beginning to its end")

// streamReader reads a stream that belongs to the caller.
type streamReader struct {
	io.Reader
	closed bool
}

func (*streamReader) ReadAt([]byte, int64) (int, error) { return 0, errNoRange }
func (*streamReader) Seek(int64, int) (int64, error)    { return 0, errNoRange }
func (*streamReader) Info() Info                        { return stdio }
func (*streamReader) Changed() (bool, error)            { return false, nil }
func (*streamReader) Interrupt() bool                   { return false }

func (r *streamReader) Close() error {
	if r.closed {
		return fs.ErrClosed
	}
	r.closed = true
	return nil
}

// streamWriter writes to a stream that belongs to the caller.
type streamWriter struct{ io.Writer }

func (streamWriter) Commit(context.Context) error { return nil }
func (streamWriter) Abort(context.Context) error  { return nil }
