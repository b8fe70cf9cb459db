package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"sync"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/pace"
)

// RemoteObject is one version of an object of a service, as [NewRemoteReader] needs it.
type RemoteObject interface {
	// Request asks for the bytes from one on up to before another. If the object was replaced or
	// removed, the error is [ErrChanged].
	Request(ctx context.Context, from, to int64) (io.ReadCloser, error)
	// Changed reports whether the object has another version now, or is gone.
	Changed(ctx context.Context) (bool, error)
	// Lasting reports whether the cause of an error of Request or its bytes will not pass.
	Lasting(err error) bool
}

// NewRemoteReader returns a reader of an object of a known size. It reads in order by one request,
// and by another one from where a connection broke. A range is a request of its own. The reader
// does not end with ctx.
func NewRemoteReader(ctx context.Context, info Info, of RemoteObject) Reader {
	r := &remoteReader{of: of, info: info}
	r.ctx, r.cancel = context.WithCancel(context.WithoutCancel(ctx))
	return r
}

type remoteReader struct {
	of     RemoteObject
	info   Info
	ctx    context.Context
	cancel context.CancelFunc

	at   int64
	body io.ReadCloser // of the next bytes; nil: none is asked for

	mu     sync.Mutex
	closed bool
}

// brokenReads is how often a read begins again after a broken connection, without a byte between.
const brokenReads = 8

func (r *remoteReader) Info() Info { return r.info }

func (r *remoteReader) Read(p []byte) (int, error) {
	if r.isClosed() {
		return 0, fs.ErrClosed
	}
	if len(p) == 0 {
		return 0, nil
	}
	for broken := 0; ; broken++ {
		if r.at >= r.info.Size {
			r.endBody()
			return 0, io.EOF
		}
		n, err := r.readOn(p)
		r.at += int64(n)
		if n > 0 {
			return n, nil // the error comes again, or does not matter
		}
		if err = r.afterBreak(err, broken); err != nil {
			return 0, err
		}
	}
}

// readOn reads from the request that is under way, or makes one for the rest of the object.
func (r *remoteReader) readOn(p []byte) (int, error) {
	if r.body == nil {
		body, err := r.of.Request(r.ctx, r.at, r.info.Size)
		if err != nil {
			return 0, err
		}
		r.body = body
	}
	n, err := r.body.Read(p)
	if err != nil {
		r.endBody()
	}
	return n, err
}

// afterBreak waits before a read begins again, or returns the error that ends it.
func (r *remoteReader) afterBreak(err error, broken int) error {
	switch {
	case r.ctx.Err() != nil:
		return fmt.Errorf("read %s: %w", r.info.Name, context.Cause(r.ctx))
	case errors.Is(err, ErrChanged), errors.Is(err, fs.ErrPermission), r.of.Lasting(err):
		return err
	case broken == brokenReads:
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return fmt.Errorf("read %s: %w", r.info.Name, err)
	}
	return Pause(r.ctx, broken+1)
}

// pauses are the waits before a request to a service is made again.
var pauses = pace.Backoff{Base: 100 * time.Millisecond, Max: 8 * time.Second}

// Pause waits before a request to a service is made again, after that many tries. It returns the
// error of ctx if that ends first.
func Pause(ctx context.Context, tries int) error {
	return pace.Sleep(ctx, pauses.Delay(tries))
}

func (r *remoteReader) ReadAt(p []byte, off int64) (n int, err error) {
	if r.isClosed() {
		return 0, fs.ErrClosed
	}
	if off < 0 {
		return 0, &fs.PathError{Op: "read", Path: r.info.Name, Err: fs.ErrInvalid}
	}
	want := min(int64(len(p)), max(r.info.Size-off, 0))
	for broken := 0; int64(n) < want; broken++ {
		body, err := r.of.Request(r.ctx, off+int64(n), off+want)
		if err == nil {
			var more int
			more, err = io.ReadFull(body, p[n:want])
			_ = body.Close() // all was read that is wanted
			if n += more; more > 0 {
				broken = 0
			}
		}
		if int64(n) == want {
			break
		}
		if err = r.afterBreak(err, broken); err != nil {
			return n, err
		}
	}
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

func (r *remoteReader) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekCurrent:
		offset += r.at
	case io.SeekEnd:
		offset += r.info.Size
	}
	if offset < 0 {
		return 0, &fs.PathError{Op: "seek", Path: r.info.Name, Err: fs.ErrInvalid}
	}
	if offset != r.at {
		r.endBody()
		r.at = offset
	}
	return offset, nil
}

// endBody ends the request that is under way.
func (r *remoteReader) endBody() {
	if r.body != nil {
		_ = r.body.Close() // what is left of it is not wanted
		r.body = nil
	}
}

func (r *remoteReader) Changed() (bool, error) { return r.of.Changed(r.ctx) }

func (r *remoteReader) Interrupt() bool {
	r.cancel()
	return true
}

func (r *remoteReader) isClosed() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.closed
}

func (r *remoteReader) Close() error {
	r.mu.Lock()
	closed := r.closed
	r.closed = true
	r.mu.Unlock()
	if closed {
		return fs.ErrClosed
	}
	r.cancel()
	r.endBody()
	return nil
}
