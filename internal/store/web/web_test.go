package web_test

import (
	"bytes"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/store"
	"github.com/cqlbulk/cqlbulk/internal/store/web"
)

// content is what the servers have.
var content = func() []byte {
	b := make([]byte, 1<<20)
	for i := range b {
		b[i] = byte(i * i >> 8)
	}
	return b
}()

// serve starts a server, and returns the URL of a file on it.
func serve(t *testing.T, handler http.HandlerFunc) string {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return server.URL + "/a%20file.csv?x=1"
}

// versioned serves bytes in ranges.
func versioned(w http.ResponseWriter, r *http.Request, tag string, b []byte) {
	w.Header().Set("ETag", strconv.Quote(tag))
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(b))
}

// short cuts the connection after some bytes of a body.
type short struct {
	http.ResponseWriter
	left int
}

func (s *short) Write(b []byte) (int, error) {
	if len(b) > s.left {
		_, _ = s.ResponseWriter.Write(b[:s.left])
		panic(http.ErrAbortHandler)
	}
	s.left -= len(b)
	return s.ResponseWriter.Write(b)
}

func TestReads(t *testing.T) {
	var n atomic.Int64
	for name, handler := range map[string]http.HandlerFunc{
		"in ranges": func(w http.ResponseWriter, r *http.Request) { versioned(w, r, "v1", content) },
		"by the time of change": func(w http.ResponseWriter, r *http.Request) {
			http.ServeContent(w, r, "", time.Unix(1_700_000_000, 0), bytes.NewReader(content))
		},
		"connections break": func(w http.ResponseWriter, r *http.Request) {
			versioned(&short{w, 300_000}, r, "v1", content)
		},
		"a server that is busy": func(w http.ResponseWriter, r *http.Request) {
			if n.Add(1)%2 == 0 {
				w.WriteHeader(http.StatusServiceUnavailable)
				return
			}
			versioned(w, r, "v1", content)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := web.New(time.Minute)
			r, err := s.Open(t.Context(), serve(t, handler))
			require.NoError(t, err)
			require.Equal(t, store.Object, r.Info().Kind)
			require.Equal(t, int64(len(content)), r.Info().Size)
			got, err := io.ReadAll(r)
			require.NoError(t, err)
			require.True(t, bytes.Equal(content, got))
			part := make([]byte, 100)
			_, err = r.ReadAt(part, 5000)
			require.NoError(t, err)
			require.True(t, bytes.Equal(content[5000:5100], part))
			changed, err := r.Changed()
			require.NoError(t, err)
			require.False(t, changed)
			require.NoError(t, r.Close())
			require.ErrorIs(t, r.Close(), fs.ErrClosed)
		})
	}
}

// A server without ranges has a stream.
func TestStream(t *testing.T) {
	url := serve(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(content) })
	s := web.New(time.Minute)
	r, err := s.Open(t.Context(), url)
	require.NoError(t, err)
	require.Equal(t, store.Pipe, r.Info().Kind)
	_, err = r.ReadAt(make([]byte, 1), 0)
	require.ErrorContains(t, err, "does not serve ranges")
	got, err := io.ReadAll(r)
	require.NoError(t, err)
	require.True(t, bytes.Equal(content, got))
	require.NoError(t, r.Close())
}

// What a server has is replaced while it is read.
func TestReplaced(t *testing.T) {
	var tag atomic.Value
	tag.Store("v1")
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if tag.Load() == "" {
			http.NotFound(w, r)
			return
		}
		versioned(w, r, tag.Load().(string), content)
	})
	s := web.New(time.Minute)
	r, err := s.Open(t.Context(), url)
	require.NoError(t, err)
	for _, now := range []string{"v2", ""} {
		tag.Store(now)
		_, err = r.ReadAt(make([]byte, 10), 0)
		require.ErrorIs(t, err, store.ErrChanged)
		changed, err := r.Changed()
		require.NoError(t, err)
		require.True(t, changed)
	}
	require.NoError(t, r.Close())
}

func TestRefuses(t *testing.T) {
	s := web.New(time.Minute)
	status := func(code int) string {
		url := serve(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) })
		return strings.Replace(url, "http://", "http://user:secret@", 1)
	}
	for code, want := range map[int]error{
		http.StatusNotFound: fs.ErrNotExist, http.StatusForbidden: fs.ErrPermission,
	} {
		_, err := s.Open(t.Context(), status(code))
		require.ErrorIs(t, err, want)
		require.NotContains(t, err.Error(), "secret")
	}
	_, err := s.Create(t.Context(), "http://h/x", store.CreateOptions{})
	require.ErrorContains(t, err, "nothing is written")
	require.Error(t, s.Remove(t.Context(), "http://h/x"))
}
