package listen

import (
	"net"
	"testing"

	"github.com/stretchr/testify/require"
)

// If nothing can listen at an address, the error says what to do.
func TestErrorsSayWhatToDo(t *testing.T) {
	_, err := Open(t.Context(), "192.0.2.1:7099", Lasting, nil)
	require.EqualError(
		t,
		err,
		"--listen 192.0.2.1:7099: this host has no such address: name one of its own that the nodes can reach",
	)
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer func() { _ = taken.Close() }()
	_, err = net.Listen("tcp", taken.Addr().String())
	require.EqualError(
		t,
		explain(":7099", err),
		"--listen :7099: another program listens there: name another port",
	)

	at := taken.Addr().String() // a run that listens to its end waits for no other
	_, err = Open(t.Context(), at, Lasting, nil)
	require.EqualError(t, err, "--listen "+at+": another program listens there: name another port")
}
