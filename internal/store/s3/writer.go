package s3

import (
	"bytes"
	"context"
	"crypto/md5" //nolint:gosec // what the service calls a part's ETag, and checks
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"sync"
	"time"

	"github.com/minio/minio-go/v7"
	"golang.org/x/sync/errgroup"

	"github.com/cqlbulk/cqlbulk/internal/store"
)

const (
	// leastPart is the size of the first parts of an object. An object that is smaller is sent by
	// one request.
	leastPart = 8 << 20
	// mostPart is the size of the parts of a large object.
	mostPart = 64 << 20
	// sameParts is after how many parts they are twice as large. The 10,000 parts that an object
	// may have are then 493 GiB.
	sameParts = 1000
	// mostParts is how many parts an object may have.
	mostParts = 10_000
	// partsHeld is how many parts of an object are in memory. One is filled, and others are sent.
	partsHeld = 3
)

// partSize returns the size of a part, from 0, of an object of the given size; 0: it is not known.
func partSize(number int, size int64) int {
	if enough := size/mostParts + 1; enough > mostPart {
		return int(enough)
	}
	return min(leastPart<<min(number/sameParts, 8), mostPart)
}

// Create begins an object. A name that is taken shows now, or at Commit if another writer was
// faster.
func (s *Store) Create(
	ctx context.Context,
	name string,
	o store.CreateOptions,
) (store.Writer, error) {
	bucket, key, err := object(name)
	if err != nil {
		return nil, err
	}
	if !o.Over {
		_, err := s.stat(ctx, bucket, key)
		if err == nil {
			return nil, &fs.PathError{Op: "create", Path: name, Err: fs.ErrExist}
		}
		if err = explain("create", name, err); !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	w := &writer{s: s, name: name, bucket: bucket, key: key, over: o.Over, size: o.Size}
	w.ctx, w.cancel = context.WithCancel(ctx)
	w.sending, w.sendCtx = errgroup.WithContext(w.ctx)
	w.sending.SetLimit(partsHeld - 1)
	return w, nil
}

// CheckWritable begins an object in parts, and gives it up.
func (s *Store) CheckWritable(ctx context.Context, name string) error {
	bucket, key, err := object(name)
	if err != nil {
		return err
	}
	upload, err := s.beginParts(ctx, bucket, key)
	if err == nil {
		err = s.abortParts(ctx, bucket, key, upload)
	}
	return explain("write", name, err)
}

// beginParts begins an object in parts, and returns the name of the upload.
func (s *Store) beginParts(ctx context.Context, bucket, key string) (upload string, err error) {
	err = s.try(ctx, func() (err error) {
		upload, err = s.core.NewMultipartUpload(ctx, bucket, key, minio.PutObjectOptions{})
		return err
	})
	return upload, err
}

// abortParts gives up an object in parts, and removes those that the service has.
func (s *Store) abortParts(ctx context.Context, bucket, key, upload string) error {
	return s.try(ctx, func() error {
		return s.core.AbortMultipartUpload(ctx, bucket, key, upload)
	})
}

// writer writes an object.
type writer struct {
	s                 *Store
	name, bucket, key string
	over              bool
	size              int64 // of the object; 0: not known
	ctx               context.Context
	cancel            context.CancelFunc

	part    []byte // that is filled
	upload  string // of the parts; empty: none was begun
	sent    int    // number of parts that were handed to sending
	sending *errgroup.Group
	sendCtx context.Context
	ended   bool

	mu    sync.Mutex // of what follows
	free  [][]byte
	parts []sentPart
}

// discardTime is how long the parts of an object that failed may take to be removed. What is left
// is for the bucket's own rule for unfinished uploads.
const discardTime = 10 * time.Second

// sentPart is a part that the service has.
type sentPart struct {
	etag string
	sum  [md5.Size]byte
}

// Write is a method of store.Writer.
func (w *writer) Write(p []byte) (n int, err error) {
	if w.ended {
		return 0, store.ErrEnded
	}
	for n < len(p) {
		size := partSize(w.sent, w.size)
		more := min(size-len(w.part), len(p)-n)
		w.part = append(w.part, p[n:n+more]...)
		n += more
		if len(w.part) == size {
			if err := w.send(); err != nil {
				return n, err
			}
		}
	}
	return n, nil
}

// send hands the part that was filled to a goroutine, and waits while others are being sent.
func (w *writer) send() error {
	if w.sent == mostParts {
		return fmt.Errorf(
			"write %s: an object has at most %d parts: write several objects",
			w.name,
			mostParts,
		)
	}
	if w.upload == "" {
		upload, err := w.s.beginParts(w.ctx, w.bucket, w.key)
		if err != nil {
			return explain("write", w.name, err)
		}
		w.upload = upload
	}
	if w.sendCtx.Err() != nil {
		return w.sendErr()
	}
	number, part := w.sent, w.part
	w.sent++
	w.mu.Lock()
	w.parts = append(w.parts, sentPart{})
	w.part = nil
	if last := len(w.free) - 1; last >= 0 {
		w.part, w.free = w.free[last][:0], w.free[:last]
	}
	w.mu.Unlock()
	w.sending.Go(func() error { return w.sendPart(number, part) })
	return nil
}

// sendErr returns why parts are no longer sent.
func (w *writer) sendErr() error {
	if err := w.sending.Wait(); err != nil {
		return err
	}
	return fmt.Errorf("write %s: %w", w.name, context.Cause(w.ctx))
}

// sendPart sends a part, from 0.
func (w *writer) sendPart(number int, part []byte) error {
	sum := md5.Sum(part) //nolint:gosec // see the import
	o := minio.PutObjectPartOptions{Md5Base64: base64.StdEncoding.EncodeToString(sum[:])}
	var sent minio.ObjectPart
	tries := 0
	err := w.s.try(w.sendCtx, func() (err error) {
		tries++
		body := bytes.NewReader(part)
		sent, err = w.s.core.PutObjectPart(
			w.sendCtx, w.bucket, w.key, w.upload, number+1, body, body.Size(), o,
		)
		return err
	})
	if err != nil {
		return explain("write", w.name, err)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.parts[number] = sentPart{strings.Trim(sent.ETag, `"`), sum}
	if tries == 1 { // a request that was broken off may still read its bytes
		w.free = append(w.free, part)
	}
	return nil
}

// options are those of what makes the object seen.
func (w *writer) options() (o minio.PutObjectOptions) {
	if !w.over {
		o.SetMatchETagExcept("*")
	}
	return o
}

// Commit is a method of store.Writer.
func (w *writer) Commit(ctx context.Context) error {
	if w.ended {
		return store.ErrEnded
	}
	w.ended = true
	defer w.cancel()
	err := w.commit(ctx)
	if err != nil {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), discardTime)
		defer cancel()
		_ = w.discard(ctx) // the first error matters
	}
	return err
}

func (w *writer) commit(ctx context.Context) error {
	if w.upload == "" {
		return w.putWhole(ctx)
	}
	if len(w.part) > 0 {
		if err := w.send(); err != nil {
			return err
		}
	}
	if err := w.sending.Wait(); err != nil {
		return err
	}
	// The ETag of the whole is made of those of its parts (Checking object integrity).
	whole := md5.New() //nolint:gosec // see the import
	parts := make([]minio.CompletePart, len(w.parts))
	for i, p := range w.parts {
		whole.Write(p.sum[:])
		parts[i] = minio.CompletePart{PartNumber: i + 1, ETag: p.etag}
	}
	err := w.s.try(ctx, func() error {
		o := w.options()
		_, err := w.s.core.CompleteMultipartUpload(ctx, w.bucket, w.key, w.upload, parts, o)
		return err
	})
	if err == nil {
		w.upload = ""
		return nil
	}
	return w.afterCommit(ctx, err, fmt.Sprintf("%x-%d", whole.Sum(nil), len(parts)))
}

// putWhole sends an object by one request.
func (w *writer) putWhole(ctx context.Context) error {
	sum := md5.Sum(w.part) //nolint:gosec // see the import
	checked := base64.StdEncoding.EncodeToString(sum[:])
	err := w.s.try(ctx, func() error {
		body := bytes.NewReader(w.part)
		o := w.options()
		_, err := w.s.core.PutObject(ctx, w.bucket, w.key, body, body.Size(), checked, "", o)
		return err
	})
	if err == nil {
		return nil
	}
	return w.afterCommit(ctx, err, hex.EncodeToString(sum[:]))
}

// afterCommit returns the error of a Commit, or nil if the object is there all the same. Then the
// answer to a request was lost, and the service refused the next one.
func (w *writer) afterCommit(ctx context.Context, err error, etag string) error {
	err = explain("write", w.name, err)
	found, statErr := w.s.stat(ctx, w.bucket, w.key)
	switch {
	case statErr == nil && strings.Trim(found.ETag, `"`) == etag:
		w.upload = ""
		return nil
	case errors.Is(err, store.ErrChanged):
		return &fs.PathError{Op: "write", Path: w.name, Err: fs.ErrExist}
	}
	return err
}

// Abort is a method of store.Writer.
func (w *writer) Abort(ctx context.Context) error {
	if w.ended {
		return store.ErrEnded
	}
	w.ended = true
	return w.discard(ctx)
}

// discard removes the parts that the service has.
func (w *writer) discard(ctx context.Context) error {
	w.cancel()
	_ = w.sending.Wait() // it was canceled, or its error is known
	w.part, w.free = nil, nil
	if w.upload == "" {
		return nil
	}
	err := w.s.abortParts(ctx, w.bucket, w.key, w.upload)
	if err = explain("abort", w.name, err); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
