package store

import (
	"io"
	"net"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// A connection waits for the answer while a request is sent, and that may take longer than the
// service may be silent.
func TestWatchedConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		near, far := net.Pipe()
		conn := &watchedConn{near, time.Minute}
		answered := make(chan error, 1)
		go func() {
			_, err := conn.Read(make([]byte, 1))
			answered <- err
		}()
		go func() { _, _ = io.Copy(io.Discard, far) }() // it ends with the pipe
		for range 5 {
			time.Sleep(50 * time.Second)
			_, err := conn.Write([]byte("a part"))
			require.NoError(t, err)
		}
		_, err := far.Write([]byte("x"))
		require.NoError(t, err)
		require.NoError(t, <-answered)

		_, err = conn.Read(make([]byte, 1)) // nothing comes, and nothing is sent
		require.ErrorIs(t, err, os.ErrDeadlineExceeded)
		require.NoError(t, near.Close())
		require.NoError(t, far.Close())
	})
}
