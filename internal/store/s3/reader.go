package s3

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"sync"

	"github.com/minio/minio-go/v7"

	"github.com/cqlbulk/cqlbulk/internal/store"
)

// Open opens an object: it asks for its size and its version.
func (s *Store) Open(ctx context.Context, name string) (store.Reader, error) {
	bucket, key, err := object(name)
	if err != nil {
		return nil, err
	}
	found, err := s.stat(ctx, bucket, key)
	if err != nil {
		return nil, explain("open", name, s.inWords(ctx, bucket, key, err))
	}
	r := &reader{s: s, bucket: bucket, key: key, info: infoOf(name, found)}
	r.ctx, r.cancel = context.WithCancel(context.WithoutCancel(ctx))
	return r, nil
}

// inWords returns why a HEAD request failed, whose answer has a status alone: it asks with a GET.
func (s *Store) inWords(ctx context.Context, bucket, key string, err error) error {
	var answer minio.ErrorResponse
	if !errors.As(err, &answer) {
		return err
	}
	body, _, _, again := s.core.GetObject(ctx, bucket, key, minio.GetObjectOptions{})
	if again == nil {
		_ = body.Close() // it is there by now, or may be read though not looked at
		return err
	}
	return again
}

// reader reads an object.
type reader struct {
	s           *Store
	bucket, key string
	info        store.Info
	ctx         context.Context
	cancel      context.CancelFunc

	at   int64
	body io.ReadCloser // of the next bytes; nil: none is asked for

	mu     sync.Mutex
	closed bool
}

// brokenReads is how often a read begins again after a broken connection, without a byte between.
const brokenReads = 8

// Info is a method of store.Reader.
func (r *reader) Info() store.Info { return r.info }

// Read is a method of store.Reader.
func (r *reader) Read(p []byte) (int, error) {
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
func (r *reader) readOn(p []byte) (int, error) {
	if r.body == nil {
		body, err := r.request(r.ctx, r.at, r.info.Size)
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

// request asks for some bytes of the object.
func (r *reader) request(ctx context.Context, from, to int64) (io.ReadCloser, error) {
	var o minio.GetObjectOptions
	if err := o.SetMatchETag(r.info.Version); err != nil {
		return nil, err
	}
	if err := o.SetRange(from, to-1); err != nil {
		return nil, err
	}
	var body io.ReadCloser
	err := r.s.try(ctx, func() (err error) {
		body, _, _, err = r.s.core.GetObject(ctx, r.bucket, r.key, o)
		return err
	})
	if err = explain("read", r.info.Name, err); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			err = fmt.Errorf("%w: %w", store.ErrChanged, err)
		}
		return nil, err
	}
	return body, nil
}

// afterBreak waits before a read begins again, or returns the error that ends it.
func (r *reader) afterBreak(err error, broken int) error {
	switch {
	case r.ctx.Err() != nil:
		return fmt.Errorf("read %s: %w", r.info.Name, context.Cause(r.ctx))
	case errors.Is(err, store.ErrChanged), errors.Is(err, fs.ErrPermission):
		return err
	case errors.As(err, new(*Error)): // the request was repeated already
		return err
	case broken == brokenReads:
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return fmt.Errorf("read %s: %w", r.info.Name, err)
	}
	return pause(r.ctx, broken+1)
}

// ReadAt is a method of store.Reader.
func (r *reader) ReadAt(p []byte, off int64) (n int, err error) {
	if r.isClosed() {
		return 0, fs.ErrClosed
	}
	if off < 0 {
		return 0, &fs.PathError{Op: "read", Path: r.info.Name, Err: fs.ErrInvalid}
	}
	want := min(int64(len(p)), max(r.info.Size-off, 0))
	for broken := 0; int64(n) < want; broken++ {
		from := off + int64(n)
		body, err := r.request(r.ctx, from, off+want)
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

// Seek is a method of store.Reader.
func (r *reader) Seek(offset int64, whence int) (int64, error) {
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
func (r *reader) endBody() {
	if r.body != nil {
		_ = r.body.Close() // what is left of it is not wanted
		r.body = nil
	}
}

// Changed is a method of store.Reader.
func (r *reader) Changed() (bool, error) {
	now, err := r.s.stat(r.ctx, r.bucket, r.key)
	if err = explain("stat", r.info.Name, err); errors.Is(err, fs.ErrNotExist) {
		return true, nil
	} else if err != nil {
		return false, err
	}
	return infoOf(r.info.Name, now).Version != r.info.Version, nil
}

// Interrupt is a method of store.Reader.
func (r *reader) Interrupt() bool {
	r.cancel()
	return true
}

func (r *reader) isClosed() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.closed
}

// Close is a method of store.Reader.
func (r *reader) Close() error {
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
