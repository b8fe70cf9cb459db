// Package web is what a web server has at URLs, for reading: http:// and https://.
//
// Start with [New]. A name is the URL as it is. There are no folders, and nothing is written.
//
// An object has a size and a version if the server states both, and serves ranges of bytes
// (RFC 9110, section 14). The version is its ETag, or the time of its last change. Then a read
// begins again where a connection broke. It asks for the same version alone (If-Match,
// If-Unmodified-Since). Anything else is a stream, which is read once, from its beginning to its
// end.
//
// A password in a URL is used, and shown in no error.
package web

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/store"
)

// Store reads from web servers. It is safe for concurrent use. Make one with [New].
type Store struct{ client *http.Client }

var _ store.Store = (*Store)(nil)

// New returns a Store. A server may be silent for the given time.
func New(silence time.Duration) *Store {
	return &Store{&http.Client{Transport: store.Transport(silence)}}
}

// Is reports whether a name is a URL of a web server.
func Is(name string) bool {
	return strings.HasPrefix(name, "http://") || strings.HasPrefix(name, "https://")
}

// Can returns that objects may be read from any place. Nothing is written.
func (*Store) Can() store.Abilities { return store.Abilities{Ranged: true} }

// tries is how often a request is made that the server refuses for now, or does not answer.
const tries = 6

// StatusError is an answer other than the wanted one.
type StatusError struct {
	Status int
	text   string
	is     error
}

// Error returns the status with its words.
func (e *StatusError) Error() string { return e.text }

// Unwrap gives what it stands for, such as fs.ErrNotExist; nil: nothing.
func (e *StatusError) Unwrap() error { return e.is }

// statusError returns an answer as an error.
func statusError(answer *http.Response) error {
	e := &StatusError{Status: answer.StatusCode, text: "the server answered " + answer.Status}
	switch answer.StatusCode {
	case http.StatusNotFound, http.StatusGone:
		e.text, e.is = fs.ErrNotExist.Error(), fs.ErrNotExist
	case http.StatusUnauthorized, http.StatusForbidden:
		e.is = fs.ErrPermission
	case http.StatusPreconditionFailed:
		e.text, e.is = store.ErrChanged.Error(), store.ErrChanged
	}
	return e
}

// passing reports whether the cause of an error may pass.
func passing(err error) bool {
	var status *StatusError
	if errors.As(err, &status) {
		return status.Status >= http.StatusInternalServerError ||
			status.Status == http.StatusTooManyRequests ||
			status.Status == http.StatusRequestTimeout
	}
	return !errors.Is(err, context.Canceled)
}

// request makes a request until the server answers it.
func (s *Store) request(
	ctx context.Context,
	method, name string,
	header http.Header,
	want ...int,
) (*http.Response, error) {
	for n := 1; ; n++ {
		answer, err := s.once(ctx, method, name, header, want)
		if err == nil || n == tries || !passing(err) || store.Pause(ctx, n) != nil {
			return answer, err
		}
	}
}

func (s *Store) once(
	ctx context.Context,
	method, name string,
	header http.Header,
	want []int,
) (*http.Response, error) {
	request, err := http.NewRequestWithContext(ctx, method, name, nil)
	if err != nil {
		return nil, withoutURL(err)
	}
	for key, values := range header {
		request.Header[key] = values
	}
	answer, err := s.client.Do(request)
	if err != nil {
		return nil, withoutURL(err)
	}
	for _, status := range want {
		if answer.StatusCode == status {
			return answer, nil
		}
	}
	_ = answer.Body.Close() // the status says it
	return nil, statusError(answer)
}

// withoutURL returns the cause of an error of the library, which has the URL and its password.
func withoutURL(err error) error {
	if of := (*url.Error)(nil); errors.As(err, &of) {
		return of.Err
	}
	return err
}

// shown is a name without its password.
func shown(name string) string {
	if u, err := url.Parse(name); err == nil {
		return u.Redacted()
	}
	return name
}

// Stat asks what is at a URL.
func (s *Store) Stat(ctx context.Context, name string) (store.Info, error) {
	answer, err := s.request(ctx, http.MethodHead, name, nil, http.StatusOK)
	var status *StatusError
	if errors.As(err, &status) && slices.Contains(noHead, status.Status) {
		return s.statByGet(ctx, name)
	}
	if err != nil {
		return store.Info{}, &fs.PathError{Op: "stat", Path: shown(name), Err: err}
	}
	_ = answer.Body.Close() // it is empty
	return infoOf(name, answer), nil
}

// noHead are the answers of servers that take no HEAD, as for a URL that is signed for a GET.
var noHead = []int{http.StatusForbidden, http.StatusMethodNotAllowed, http.StatusNotImplemented}

// statByGet asks for the first byte of what is at a URL.
func (s *Store) statByGet(ctx context.Context, name string) (store.Info, error) {
	first := http.Header{"Range": {"bytes=0-0"}}
	answer, err := s.request(
		ctx, http.MethodGet, name, first, http.StatusOK, http.StatusPartialContent,
	)
	if err != nil {
		return store.Info{}, &fs.PathError{Op: "stat", Path: shown(name), Err: err}
	}
	_ = answer.Body.Close() // a byte, or more than is wanted
	_, size, found := strings.Cut(answer.Header.Get("Content-Range"), "/")
	bytes, err := strconv.ParseInt(size, 10, 64)
	if !found || err != nil || versionOf(answer) == "" {
		return store.Info{Name: name, Kind: store.Pipe, Size: -1}, nil
	}
	return store.Info{Name: name, Kind: store.Object, Size: bytes, Version: versionOf(answer)}, nil
}

// infoOf returns what an answer says of an object.
func infoOf(name string, answer *http.Response) store.Info {
	version := versionOf(answer)
	if answer.ContentLength < 0 || answer.Header.Get("Accept-Ranges") != "bytes" || version == "" {
		return store.Info{Name: name, Kind: store.Pipe, Size: -1}
	}
	return store.Info{Name: name, Kind: store.Object, Size: answer.ContentLength, Version: version}
}

// Open opens what is at a URL.
func (s *Store) Open(ctx context.Context, name string) (store.Reader, error) {
	info, err := s.Stat(ctx, name)
	switch {
	case err != nil:
		return nil, err
	case info.Kind == store.Object:
		return store.NewRemoteReader(ctx, info, &version{s, info}), nil
	}
	answer, err := s.request(ctx, http.MethodGet, name, nil, http.StatusOK)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: shown(name), Err: err}
	}
	return &stream{answer.Body, info}, nil
}

// List returns nothing: a web server has no folders.
func (*Store) List(context.Context, string) ([]store.Info, error) { return nil, nil }

// errReadOnly is the error of what would change a web server.
var errReadOnly = errors.New("nothing is written to web servers")

// Create refuses.
func (*Store) Create(_ context.Context, name string, _ store.CreateOptions) (store.Writer, error) {
	return nil, &fs.PathError{Op: "create", Path: shown(name), Err: errReadOnly}
}

// Remove refuses.
func (*Store) Remove(_ context.Context, name string) error {
	return &fs.PathError{Op: "remove", Path: shown(name), Err: errReadOnly}
}

// version is a version of an object.
type version struct {
	s    *Store
	info store.Info
}

// Request is a method of store.RemoteObject.
func (v *version) Request(ctx context.Context, from, to int64) (io.ReadCloser, error) {
	header := http.Header{"Range": {fmt.Sprintf("bytes=%d-%d", from, to-1)}}
	switch isTag := strings.HasSuffix(v.info.Version, `"`); {
	case isTag && !strings.HasPrefix(v.info.Version, "W/"):
		header.Set("If-Match", v.info.Version)
	case !isTag:
		header.Set("If-Unmodified-Since", v.info.Version)
	}
	answer, err := v.s.request(ctx, http.MethodGet, v.info.Name, header, http.StatusPartialContent)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		err = fmt.Errorf("%w: %w", store.ErrChanged, err)
	case err == nil && versionOf(answer) != v.info.Version:
		_ = answer.Body.Close() // it has other bytes
		err = store.ErrChanged
	}
	if err != nil {
		return nil, &fs.PathError{Op: "read", Path: shown(v.info.Name), Err: err}
	}
	return answer.Body, nil
}

// versionOf returns the version that an answer is of; empty: it does not say.
func versionOf(answer *http.Response) string {
	return cmp.Or(answer.Header.Get("ETag"), answer.Header.Get("Last-Modified"))
}

// Changed is a method of store.RemoteObject.
func (v *version) Changed(ctx context.Context) (bool, error) {
	now, err := v.s.Stat(ctx, v.info.Name)
	if errors.Is(err, fs.ErrNotExist) {
		return true, nil
	}
	return now.Version != v.info.Version, err
}

// Lasting is a method of store.RemoteObject: a request was repeated already.
func (*version) Lasting(err error) bool { return errors.As(err, new(*StatusError)) }

// stream is an answer that is read once.
type stream struct {
	io.ReadCloser
	info store.Info
}

var errNoRange = errors.New(
	"the server does not serve ranges: what it has is read from its beginning to its end",
)

func (*stream) ReadAt([]byte, int64) (int, error) { return 0, errNoRange }
func (*stream) Seek(int64, int) (int64, error)    { return 0, errNoRange }
func (s *stream) Info() store.Info                { return s.info }
func (*stream) Changed() (bool, error)            { return false, nil }

// Interrupt ends a Read that waits: the body is closed.
func (s *stream) Interrupt() bool { return s.Close() == nil }
