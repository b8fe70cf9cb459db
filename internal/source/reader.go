package source

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/cqlbulk/cqlbulk/internal/store"
)

// DamageError is a compressed stream that is damaged or cut off. It is never an io.EOF. A stream
// that is cut off is an io.ErrUnexpectedEOF, if the format can show that.
type DamageError struct {
	Name   string // of the input
	Format string // such as "gzip"
	Offset int64  // bytes of text before the damage; all of them were read
	Err    error
}

// Error returns the input, the place and the reason.
func (e *DamageError) Error() string {
	if errors.Is(e.Err, io.ErrUnexpectedEOF) {
		return fmt.Sprintf(
			"input %s: %s data cut off after %d bytes of text",
			e.Name,
			e.Format,
			e.Offset,
		)
	}
	return fmt.Sprintf(
		"input %s: %s data damaged after %d bytes of text: %v",
		e.Name,
		e.Format,
		e.Offset,
		e.Err,
	)
}

// Unwrap gives the reason.
func (e *DamageError) Unwrap() error { return e.Err }

// The number of stored bytes that are read at a time: storedBuffer, or less for a file that is
// smaller. A buffer of leastBuffer bytes holds all that is needed to recognise a file by its
// beginning.
const (
	storedBuffer = 64 << 10
	leastBuffer  = 2 * foreignHead
)

// Reader reads the text of one input.
type Reader struct {
	name   string
	raw    *stored
	in     *bufio.Reader // over raw
	text   io.Reader     // nil before the first Read
	ahead  *ahead        // nil: plain text
	format string        // empty: plain text
	offset int64         // bytes of text given out
	err    error
	closed bool
}

// newReader reads an input whose size is expected to be that many bytes; below zero: unknown.
func newReader(name string, src io.Reader, size int64) *Reader {
	raw := &stored{src: src}
	buffer := storedBuffer
	if size >= 0 && size < storedBuffer {
		buffer = max(int(size)+1, leastBuffer) // with room to see the end of the input
	}
	return &Reader{name: name, raw: raw, in: bufio.NewReaderSize(raw, buffer)}
}

// openIn opens an object of a store. shown is the name in messages.
func openIn(s store.Store, name, shown string) (*Reader, error) {
	object, err := s.Open(context.Background(), name)
	if err != nil {
		return nil, err
	}
	r := newReader(shown, object, object.Info().Size)
	r.raw.object = object
	return r, nil
}

// Consumed returns the number of bytes of the input that were read, as they are stored. It is ahead
// of the text by what is buffered. At the end of the text it is the size of the file.
func (r *Reader) Consumed() int64 { return r.raw.consumed.Load() }

// Compressed reports whether the input is compressed. It is false before the first Read.
func (r *Reader) Compressed() bool { return r.format != "" }

// Read reads text. The text ends with io.EOF, a [*DamageError], [ErrChanged], or the error of
// reading. Each names the input, and each later Read returns it again. If the first bytes show that
// the input is not text, the error is a [*FormError].
func (r *Reader) Read(p []byte) (int, error) {
	if r.err != nil || len(p) == 0 {
		return 0, r.err
	}
	if r.text == nil {
		r.begin()
	}
	n, err := r.text.Read(p)
	r.offset += int64(n)
	if err != nil {
		r.finish(err)
	}
	return n, r.err
}

// SkipTo has the next Read begin at a byte of the text, without reading what is before it. It
// reports whether it did. It does so for a plain file that is not compressed, and a byte that was
// not read yet.
func (r *Reader) SkipTo(offset int64) (bool, error) {
	// A pipe may not have its first bytes yet, so they are not waited for.
	if r.err != nil || offset <= r.offset || !r.raw.ranged() {
		return false, nil
	}
	if r.text == nil {
		r.begin()
	}
	if r.text != io.Reader(r.in) {
		return false, nil
	}
	if err := r.raw.seek(offset); err != nil {
		return false, fmt.Errorf("input %s: %w", r.name, err)
	}
	r.in.Reset(r.raw)
	r.offset = offset
	return true, nil
}

// finish keeps why the text ends, and frees what reading it took.
func (r *Reader) finish(err error) {
	r.err = r.explain(err)
	if r.ahead != nil {
		r.ahead.wait() // it ends after an error
	}
	r.ahead, r.text, r.in = nil, nil, nil
}

// begin reads the first bytes and decides how to continue.
func (r *Reader) begin() {
	f, err := detect(r.in)
	switch {
	case err != nil:
		r.format, r.text = f.name, failed{err}
	case f == nil:
		r.text = r.in
	default:
		r.format = f.name
		r.ahead = readAhead(f, r.in)
		r.text = bufio.NewReaderSize(r.ahead, foreignHead) // which large reads pass by
	}
	if text, ok := r.text.(*bufio.Reader); ok {
		if err := refuse(text); err != nil {
			r.text = failed{err}
			r.stopAhead()
		}
	}
}

// explain returns why the text ends.
func (r *Reader) explain(err error) error {
	if form := (*FormError)(nil); errors.As(err, &form) {
		named := *form
		named.Input = r.name
		return fmt.Errorf("input %s: %w", r.name, &named)
	}
	unread := r.raw.err != nil && !isEnd(r.raw.err)
	if unread {
		err = r.raw.err // rather than what a decompressor made of it
	}
	if unread || r.format == "" && !isEnd(err) {
		return fmt.Errorf("input %s: after %d bytes: %w", r.name, r.offset, err)
	}
	if !isEnd(err) {
		err = &DamageError{Name: r.name, Format: r.format, Offset: r.offset, Err: err}
	}
	changed, statErr := r.raw.changed()
	switch {
	case statErr != nil && isEnd(err):
		return fmt.Errorf("input %s: %w", r.name, statErr)
	case changed && isEnd(err):
		return fmt.Errorf("input %s: %w", r.name, ErrChanged)
	case changed:
		return fmt.Errorf("%w (the file %w)", err, ErrChanged)
	}
	return err
}

// Close ends the reading and closes the file. It waits for the work in the background, but not for
// a read of the standard input, or of a device, that is silent. Such a read ends with the next
// bytes, which are lost.
func (r *Reader) Close() error {
	if r.closed {
		return nil
	}
	r.closed = true
	if r.err == nil {
		r.err = fmt.Errorf("input %s: %w", r.name, fs.ErrClosed)
	}
	r.stopAhead()
	return r.raw.close()
}

// stopAhead ends the reading ahead before the end of the text. It does not wait for a read that
// nothing can interrupt.
func (r *Reader) stopAhead() {
	if r.ahead == nil {
		return
	}
	r.ahead.stop()
	if r.raw.interrupt() {
		r.ahead.wait()
	}
	r.ahead = nil
}

// failed is text that could not begin.
type failed struct{ err error }

func (f failed) Read([]byte) (int, error) { return 0, f.err }
