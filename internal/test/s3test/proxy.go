package s3test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"
)

// Fault is what a [Server.Proxy] does to one request. The zero value passes it on.
type Fault struct {
	// Busy answers 503 SlowDown, and does not pass the request on.
	Busy bool
	// Cut breaks the connection after that many bytes of the answer's body; 0: it does not.
	Cut int64
	// Lose passes the request on, and breaks the connection instead of an answer.
	Lose bool
	// Refuse breaks the connection at once.
	Refuse bool
}

// slowDown is an answer of a service that has too many requests (Amazon S3 API Reference).
const slowDown = `<?xml version="1.0" encoding="UTF-8"?>
<Error><Code>SlowDown</Code><Message>Please reduce your request rate.</Message></Error>`

// Proxy starts a proxy in front of the server, and returns its URL. The function returns what
// happens to a request; it is called by several goroutines.
func (s *Server) Proxy(t testing.TB, fault func(r *http.Request) Fault) string {
	t.Helper()
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		f := fault(r)
		switch {
		case f.Refuse:
			panic(http.ErrAbortHandler)
		case f.Busy:
			w.WriteHeader(http.StatusServiceUnavailable)
			_, _ = io.WriteString(w, slowDown) // a client that has left does not matter
			return
		}
		answer, err := s.pass(r)
		if err != nil || f.Lose {
			panic(http.ErrAbortHandler)
		}
		defer func() { _ = answer.Body.Close() }()
		for name, values := range answer.Header {
			w.Header()[name] = values
		}
		w.WriteHeader(answer.StatusCode)
		if f.Cut > 0 {
			_, err = io.CopyN(w, answer.Body, f.Cut)
			if err == nil || !errors.Is(err, io.EOF) {
				panic(http.ErrAbortHandler)
			}
			return
		}
		if _, err := io.Copy(w, answer.Body); err != nil {
			panic(http.ErrAbortHandler)
		}
	}))
	t.Cleanup(proxy.Close)
	require.NotEmpty(t, proxy.URL)
	return proxy.URL
}

// pass makes a request to the server. It keeps the name of the host, which is signed.
func (s *Server) pass(r *http.Request) (*http.Response, error) {
	out, err := http.NewRequestWithContext(r.Context(), r.Method, s.URL+r.URL.RequestURI(), r.Body)
	if err != nil {
		return nil, err
	}
	out.Header, out.Host, out.ContentLength = r.Header.Clone(), r.Host, r.ContentLength
	return http.DefaultTransport.RoundTrip(out)
}
