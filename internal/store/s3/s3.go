// Package s3 is object storage that speaks the API of Amazon S3: AWS, MinIO, Ceph, R2 and others.
//
// Start with [New]. A name is s3://BUCKET/KEY, where the key is as the service has it, without any
// escapes. Keys have no folders, but a list has them: a folder is what keys have up to a slash.
//
// An object is read in order by one request, and by another one from where a connection broke. Its
// ranges take a request each. All of them ask for the version that was opened (If-Match), so a
// Reader fails with [store.ErrChanged] when the object was replaced.
//
// An object of more than one part is a multipart upload, which is not seen before it is complete. A
// name that must not be taken is guarded by the service (If-None-Match: *), since two writers may
// begin at the same time.
//
// Memory: a Writer holds up to [partsHeld] parts, each of [leastPart] or, in a large object, of up
// to [mostPart]. A Reader holds what the connection buffers.
//
// Sources: Amazon S3 API Reference (GetObject, PutObject, CompleteMultipartUpload, ListObjectsV2);
// its limits of a multipart upload are 10,000 parts of 5 MiB to 5 GiB.
package s3

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"github.com/cqlbulk/cqlbulk/internal/store"
)

// Scheme begins the names of objects.
const Scheme = "s3://"

// awsEndpoint is the one of AWS, from which the library finds that of a region.
const awsEndpoint = "https://s3.amazonaws.com"

// Config says which service it is, and who asks.
type Config struct {
	Endpoint string // URL; empty: that of AWS
	Region   string // empty: the service is asked for that of the bucket
	Keys     *credentials.Credentials
	// Tries is how often a request is made that the service refuses for now, or does not answer.
	// 0: for about a minute.
	Tries int
	// Silence is how long a connection may send nothing; 0: a minute.
	Silence time.Duration
}

// Store is one service, with all of its buckets. It is safe for concurrent use. [New] makes one.
type Store struct {
	core    minio.Core
	tries   int
	reached atomic.Bool // it has answered a request
}

var _ store.Store = (*Store)(nil)

// New returns the service. It makes no request. An error names what is wrong with the endpoint.
func New(c Config) (*Store, error) {
	endpoint := cmp.Or(c.Endpoint, awsEndpoint)
	at, err := url.Parse(endpoint)
	if err != nil || at.Host == "" || at.Scheme != "http" && at.Scheme != "https" {
		return nil, fmt.Errorf("endpoint %q of S3: give a URL, as https://s3.example.org", endpoint)
	}
	if at.Path != "" && at.Path != "/" || at.RawQuery != "" || at.User != nil {
		return nil, fmt.Errorf("endpoint %q of S3: give a host and a port alone", endpoint)
	}
	core, err := minio.NewCore(at.Host, &minio.Options{
		Creds:      c.Keys,
		Secure:     at.Scheme == "https",
		Region:     c.Region,
		MaxRetries: 1, // see try
		Transport:  store.Transport(cmp.Or(c.Silence, time.Minute)),
	})
	if err != nil {
		return nil, fmt.Errorf("endpoint %q of S3: %w", endpoint, err)
	}
	return &Store{core: *core, tries: cmp.Or(c.Tries, usualTries)}, nil
}

// Can returns what a bucket can do.
func (*Store) Can() store.Abilities {
	return store.Abilities{Atomic: true, Ranged: true, Multipart: true}
}

// split returns the bucket and the key of a name.
func split(name string) (bucket, key string, err error) {
	rest, ok := strings.CutPrefix(name, Scheme)
	bucket, key, _ = strings.Cut(rest, "/")
	if !ok || bucket == "" {
		return "", "", fmt.Errorf("%q: a name is %sBUCKET/KEY", name, Scheme)
	}
	return bucket, key, nil
}

// object returns the bucket and the key of an object.
func object(name string) (bucket, key string, err error) {
	bucket, key, err = split(name)
	if err == nil && key == "" {
		err = fmt.Errorf("%s: %w: this is a bucket", name, store.ErrFolder)
	}
	return bucket, key, err
}

// Stat returns what an object is, or that a name is a folder: objects have names behind it.
func (s *Store) Stat(ctx context.Context, name string) (store.Info, error) {
	bucket, key, err := split(name)
	if err != nil {
		return store.Info{}, err
	}
	if key != "" && !strings.HasSuffix(key, "/") {
		found, err := s.stat(ctx, bucket, key)
		if err == nil {
			return infoOf(name, found), nil
		}
		if err = explain("stat", name, s.inWords(ctx, bucket, key, err)); !errors.Is(err, fs.ErrNotExist) {
			return store.Info{}, err
		}
	}
	prefix := key
	if key != "" && !strings.HasSuffix(key, "/") {
		prefix += "/"
	}
	there := key == "" // a bucket without objects is a folder as well
	first := minio.ListObjectsOptions{Prefix: prefix, Recursive: true, MaxKeys: 1}
	err = s.list(ctx, bucket, first, func(minio.ObjectInfo) bool {
		there = true
		return false
	})
	if err != nil {
		return store.Info{}, explain("list", name, err)
	}
	if !there {
		return store.Info{}, &fs.PathError{Op: "stat", Path: name, Err: fs.ErrNotExist}
	}
	return store.Info{Name: name, Kind: store.Folder, Size: -1}, nil
}

// infoOf is what the service says of an object. Its ETag differs whenever the bytes do.
func infoOf(name string, o minio.ObjectInfo) store.Info {
	return store.Info{Name: name, Kind: store.Object, Size: o.Size, Version: strings.Trim(o.ETag, `"`)}
}

// list calls found for the objects of a list, and the beginnings of names up to a slash, until it
// returns false. It may call it twice for one of them.
func (s *Store) list(
	ctx context.Context,
	bucket string,
	o minio.ListObjectsOptions,
	found func(minio.ObjectInfo) bool,
) error {
	return s.try(ctx, func() error {
		ctx, cancel := context.WithCancel(ctx)
		all := s.core.Client.ListObjects(ctx, bucket, o)
		defer func() {
			cancel()
			for range all { // it ends with the context
			}
		}()
		for one := range all {
			if one.Err != nil || !found(one) {
				return one.Err
			}
			o.StartAfter = one.Key
		}
		return nil
	})
}

// List returns the objects and folders in a folder. A folder without any objects is not there, and
// its list is empty.
func (s *Store) List(ctx context.Context, folder string) ([]store.Info, error) {
	bucket, key, err := split(folder)
	if err != nil {
		return nil, err
	}
	prefix := ""
	if key != "" {
		prefix = key + "/"
	}
	var all []store.Info
	empty := ""
	here := minio.ListObjectsOptions{Prefix: prefix}
	err = s.list(ctx, bucket, here, func(one minio.ObjectInfo) bool {
		switch name := Scheme + bucket + "/" + one.Key; {
		case one.Key == prefix: // an object that stands for the folder itself
		case strings.HasSuffix(one.Key, "//"), one.Key == "/":
			empty = name
			return false
		case strings.HasSuffix(one.Key, "/"):
			name = strings.TrimSuffix(name, "/")
			all = append(all, store.Info{Name: name, Kind: store.Folder, Size: -1})
		default:
			all = append(all, infoOf(name, one))
		}
		return true
	})
	if err != nil {
		return nil, explain("list", folder, err)
	}
	if empty != "" {
		return nil, fmt.Errorf("list %s: %s: a folder without a name is not read", folder, empty)
	}
	// An object and a folder may have one name.
	slices.SortFunc(all, func(a, b store.Info) int {
		return cmp.Or(strings.Compare(a.Name, b.Name), cmp.Compare(a.Kind, b.Kind))
	})
	return slices.CompactFunc(all, func(a, b store.Info) bool {
		return a.Name == b.Name && a.Kind == b.Kind
	}), nil
}

// Remove removes an object. The service says nothing of one that was not there, so it is asked.
func (s *Store) Remove(ctx context.Context, name string) error {
	bucket, key, err := object(name)
	if err != nil {
		return err
	}
	if _, err := s.stat(ctx, bucket, key); err != nil {
		return explain("remove", name, err)
	}
	err = s.try(ctx, func() error {
		return s.core.RemoveObject(ctx, bucket, key, minio.RemoveObjectOptions{})
	})
	return explain("remove", name, err)
}
