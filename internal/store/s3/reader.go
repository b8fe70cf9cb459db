package s3

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"

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
	info := infoOf(name, found)
	return store.NewRemoteReader(ctx, info, &version{s, bucket, key, info}), nil
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

// version is a version of an object.
type version struct {
	s           *Store
	bucket, key string
	info        store.Info
}

// Request is a method of store.RemoteObject.
func (v *version) Request(ctx context.Context, from, to int64) (io.ReadCloser, error) {
	var o minio.GetObjectOptions
	if err := o.SetMatchETag(v.info.Version); err != nil {
		return nil, err
	}
	if err := o.SetRange(from, to-1); err != nil {
		return nil, err
	}
	var body io.ReadCloser
	err := v.s.try(ctx, func() (err error) {
		body, _, _, err = v.s.core.GetObject(ctx, v.bucket, v.key, o)
		return err
	})
	if err = explain("read", v.info.Name, err); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			err = fmt.Errorf("%w: %w", store.ErrChanged, err)
		}
		return nil, err
	}
	return body, nil
}

// Changed is a method of store.RemoteObject.
func (v *version) Changed(ctx context.Context) (bool, error) {
	now, err := v.s.stat(ctx, v.bucket, v.key)
	if err = explain("stat", v.info.Name, err); errors.Is(err, fs.ErrNotExist) {
		return true, nil
	} else if err != nil {
		return false, err
	}
	return infoOf(v.info.Name, now).Version != v.info.Version, nil
}

// Lasting is a method of store.RemoteObject: a request was repeated already.
func (*version) Lasting(err error) bool { return errors.As(err, new(*Error)) }
