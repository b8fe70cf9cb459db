package driver

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"testing"
	"time"

	"github.com/datastax/go-cassandra-native-protocol/frame"
	"github.com/datastax/go-cassandra-native-protocol/message"
	"github.com/datastax/go-cassandra-native-protocol/primitive"
	"github.com/gocql/gocql"
	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/fault"
)

// pageOf returns an answer with a row of the given size, of a table of a keyspace.
func pageOf(t *testing.T, keyspace string, bytes int, stream int16) []byte {
	m := rowsOf(nil, plain, [2][]byte{make([]byte, 8), make([]byte, bytes)})
	for _, c := range m.Metadata.Columns {
		c.Keyspace = keyspace
	}
	return encoded(t, m, func(f *frame.Frame) { f.Header.StreamId = stream })
}

// through returns what a frameChecker with a page limit passes on.
func through(t *testing.T, r *pageLimit, frames ...[]byte) []byte {
	t.Helper()
	g := newFrameChecker(bytesConn{in: bytes.NewReader(slices.Concat(frames...))}, time.Second, r)
	out, err := io.ReadAll(g)
	require.NoError(t, err)
	return out
}

// A page that is too large is dropped. Its request gets an error with the page's size, and the
// connection stays open.
func TestPageWithoutRoom(t *testing.T) {
	s := &Session{pageLimit: new(pageLimit)}
	small, large := pageOf(t, "ks", 1000, 5), pageOf(t, "ks", 3<<20, 6)
	system := pageOf(t, "system_schema", 3<<20, 7)
	all := slices.Concat(small, large, system)
	require.True(
		t,
		bytes.Equal(all, through(t, s.pageLimit, small, large, system)),
		"nothing is reserved",
	)

	free := s.Reserve(1 << 20)
	out := through(t, s.pageLimit, small, large, system, small)
	require.True(t, bytes.HasPrefix(out, small))
	require.True(
		t,
		bytes.HasSuffix(out, slices.Concat(system, small)),
		"pages of the system's tables are not limited",
	)
	answer := out[len(small) : len(out)-len(system)-len(small)]
	f, err := frame.NewCodec().DecodeFrame(bytes.NewReader(answer))
	require.NoError(t, err)
	require.EqualValues(t, 6, f.Header.StreamId)
	require.Equal(t, primitive.ErrorCodeServerError, f.Body.Message.(message.Error).GetErrorCode())

	more := s.Reserve(4 << 20)
	require.True(
		t,
		bytes.Equal(all, through(t, s.pageLimit, small, large, system)),
		"the largest of what is reserved counts",
	)
	more()
	require.NotEqual(t, all, through(t, s.pageLimit, small, large, system))
	free()
	require.True(t, bytes.Equal(all, through(t, s.pageLimit, small, large, system)))
}

// serverError is an answer of a server with code 0.
type serverError struct{ text string }

func (e serverError) Error() string      { return e.text }
func (e serverError) GetCode() int       { return gocql.ErrCodeServer }
func (e serverError) GetMessage() string { return e.text }

// The error that replaces a page has its size. Other errors of servers do not.
func TestErrorOfAPageWithoutRoom(t *testing.T) {
	var large *fault.LargeError
	err := classify(t.Context(), serverError{"cqlbulk has no room for a page of 3145747 bytes"})
	require.ErrorAs(t, err, &large)
	require.EqualValues(t, 3_145_747, large.Bytes)
	require.True(t, fault.Answered(err))
	for _, text := range []string{"java.lang.OutOfMemoryError", "cqlbulk has no room for a page of 99999999999999999999 bytes"} {
		require.False(t, errors.As(classify(t.Context(), serverError{text}), &large), text)
	}
}
