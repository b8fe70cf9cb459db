package s3_test

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"sync/atomic"
	"testing"

	"github.com/minio/minio-go/v7/pkg/credentials"
	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/store"
	"github.com/cqlbulk/cqlbulk/internal/store/s3"
	"github.com/cqlbulk/cqlbulk/internal/test/s3test"
	"github.com/cqlbulk/cqlbulk/internal/test/storetest"
)

// at returns the service at a URL, with the keys that it takes.
func at(t *testing.T, url string) *s3.Store {
	t.Helper()
	s, err := s3.New(s3.Config{
		Endpoint: url,
		Region:   s3test.Region,
		Keys:     credentials.NewStaticV4(s3test.AccessKey, s3test.SecretKey, ""),
		Tries:    4,
	})
	require.NoError(t, err)
	return s
}

// place returns a place in a bucket of its own, whose server can be made to refuse everything.
func place(t *testing.T, server *s3test.Server) storetest.Place {
	t.Helper()
	var broken atomic.Bool
	url := server.Proxy(t, func(*http.Request) s3test.Fault {
		return s3test.Fault{Refuse: broken.Load()}
	})
	return storetest.Place{
		Store:  at(t, url),
		Folder: s3.Scheme + server.Bucket(t) + "/a folder",
		Break:  func() { broken.Store(true) },
	}
}

func TestConformance(t *testing.T) {
	server := s3test.Start(t)
	storetest.Run(t, func(t *testing.T) storetest.Place { return place(t, server) })
}

func TestConformanceOfASpool(t *testing.T) {
	server := s3test.Start(t)
	storetest.Run(t, func(t *testing.T) storetest.Place {
		p := place(t, server)
		remote := p.Store.(store.Remote)
		spool := &store.Spool{Remote: remote, Folder: t.TempDir() + "/spool", Over: true}
		p.Store, p.Staged = spool, spool
		return p
	})
}

// content returns bytes of an object that is sent in parts.
func content() []byte {
	b := make([]byte, 20<<20)
	for i := range b {
		b[i] = byte(i * i >> 8)
	}
	return b
}

// put writes an object.
func put(t *testing.T, s store.Store, name string, b []byte, o store.CreateOptions) {
	t.Helper()
	w, err := s.Create(t.Context(), name, o)
	require.NoError(t, err)
	_, err = w.Write(b)
	require.NoError(t, err)
	require.NoError(t, w.Commit(t.Context()))
}

// get reads an object.
func get(t *testing.T, s store.Store, name string) []byte {
	t.Helper()
	r, err := s.Open(t.Context(), name)
	require.NoError(t, err)
	b, err := io.ReadAll(r)
	require.NoError(t, err)
	require.NoError(t, r.Close())
	return b
}

// TestBrokenConnections reads and writes through connections that break: within a body, before an
// answer, and with answers that the service is busy. Objects are whole all the same.
func TestBrokenConnections(t *testing.T) {
	server := s3test.Start(t)
	for name, fault := range map[string]func(n int64, r *http.Request) s3test.Fault{
		"cut": func(_ int64, r *http.Request) s3test.Fault {
			if r.Method == http.MethodGet && r.Header.Get("Range") != "" {
				return s3test.Fault{Cut: 3 << 20}
			}
			return s3test.Fault{}
		},
		"busy":    func(n int64, _ *http.Request) s3test.Fault { return s3test.Fault{Busy: n%2 == 0} },
		"refused": func(n int64, _ *http.Request) s3test.Fault { return s3test.Fault{Refuse: n%2 == 0} },
		"lost": func(n int64, r *http.Request) s3test.Fault {
			return s3test.Fault{Lose: r.Method != http.MethodGet && n%2 == 0}
		},
	} {
		t.Run(name, func(t *testing.T) {
			var requests atomic.Int64
			s := at(t, server.Proxy(t, func(r *http.Request) s3test.Fault {
				return fault(requests.Add(1), r)
			}))
			folder := s3.Scheme + server.Bucket(t) + "/"
			for key, b := range map[string][]byte{"large": content(), "small": content()[:100_000]} {
				put(t, s, folder+key, b, store.CreateOptions{})
				require.True(t, bytes.Equal(b, get(t, s, folder+key)), key)
				r, err := s.Open(t.Context(), folder+key)
				require.NoError(t, err)
				part := make([]byte, 70_000)
				_, err = r.ReadAt(part, 10_000)
				require.NoError(t, err)
				require.True(t, bytes.Equal(b[10_000:80_000], part), key)
				require.NoError(t, r.Close())
			}
		})
	}
}

// TestRefused shows what is said of requests that the service does not take.
func TestRefused(t *testing.T) {
	server := s3test.Start(t)
	bucket := server.Bucket(t)
	keys := func(access, secret string) *s3.Store {
		s, err := s3.New(s3.Config{
			Endpoint: server.URL, Region: s3test.Region, Tries: 1,
			Keys: credentials.NewStaticV4(access, secret, ""),
		})
		require.NoError(t, err)
		return s
	}
	for _, c := range []struct {
		what, name string
		s          *s3.Store
		is         error
		says       string
	}{
		{
			"no such object", bucket + "/a b", at(t, server.URL), fs.ErrNotExist,
			"open s3://" + bucket + "/a b: file does not exist",
		},
		{
			"no such bucket", "nowhere-at-all/x", at(t, server.URL), fs.ErrNotExist,
			"open s3://nowhere-at-all/x: there is no such bucket",
		},
		{
			"another secret", bucket + "/x", keys(s3test.AccessKey, "wrong"), fs.ErrPermission,
			"the secret key is not the one of the access key (SignatureDoesNotMatch)",
		},
		{
			"another key", bucket + "/x", keys("wrong", "wrong"), fs.ErrPermission,
			"the service does not know the access key (",
		},
		{"a bucket", bucket, at(t, server.URL), store.ErrFolder, "this is a bucket"},
	} {
		_, err := c.s.Open(t.Context(), s3.Scheme+c.name)
		require.ErrorIs(t, err, c.is, c.what)
		require.Contains(t, err.Error(), c.says, c.what)
		require.NotContains(t, err.Error(), s3test.SecretKey)
	}
	_, err := s3.New(s3.Config{Endpoint: "s3.example.org"})
	require.ErrorContains(t, err, `endpoint "s3.example.org" of S3: give a URL`)
}

// TestReplaced replaces an object while it is read.
func TestReplaced(t *testing.T) {
	server := s3test.Start(t)
	s, name := at(t, server.URL), s3.Scheme+server.Bucket(t)+"/x"
	put(t, s, name, content(), store.CreateOptions{})
	r, err := s.Open(t.Context(), name)
	require.NoError(t, err)
	_, err = r.ReadAt(make([]byte, 10), 0)
	require.NoError(t, err)
	put(t, s, name, content()[:100], store.CreateOptions{Over: true})
	_, err = r.ReadAt(make([]byte, 10), 0)
	require.ErrorIs(t, err, store.ErrChanged)
	changed, err := r.Changed()
	require.NoError(t, err)
	require.True(t, changed)
	require.NoError(t, s.Remove(t.Context(), name))
	_, err = io.ReadAll(r)
	require.ErrorIs(t, err, store.ErrChanged)
	require.True(t, errors.Is(err, fs.ErrNotExist))
	require.NoError(t, r.Close())
}
