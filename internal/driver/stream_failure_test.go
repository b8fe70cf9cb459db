package driver

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/test/simcluster"
)

// A stack trace is reported without its stack, and with bounded length.
func TestMessagesOfAStackTrace(t *testing.T) {
	require.Equal(
		t,
		"Session peer /127.0.0.1:7000 Failed because of an unknown exception; b.Unknown: Cannot find (table); c.Other: cause",
		messagesOf(
			"a.StreamException: Stream failed: \nSession peer /127.0.0.1:7000 Failed because of an unknown exception\nb.Unknown: Cannot find (table)\n\tx.Y.<init>(Z.java:1)\n\tat x.Y(Z.java:1)\nCaused by: c.Other: cause\n\tat x.Y\n\t... 3 more\n",
		),
	)
	require.Empty(t, messagesOf(""))
	long := messagesOf(strings.Repeat("é", mostOfCause))
	require.Equal(t, strings.Repeat("é", mostOfCause/2)+"...", long)
}

// If a node keeps no record of streams, the cause is empty.
func TestStreamFailureNotTold(t *testing.T) {
	cluster, err := simcluster.Start(simcluster.Options{Base: simcluster.Anywhere, Rows: 1})
	require.NoError(t, err)
	defer cluster.Close()
	s, err := Connect(
		t.Context(),
		Config{Hosts: cluster.Hosts()[:1], Port: cluster.Port(), Logf: t.Logf},
	)
	require.NoError(t, err)
	defer s.Close()
	require.Empty(t, s.StreamFailure(t.Context(), cluster.HostID(1), [16]byte{1}).Why)
}

func TestFailuresOfRows(t *testing.T) {
	for cause, want := range map[string]bool{
		"Failed because of an unknown exception\njava.lang.IndexOutOfBoundsException: null":                   true,
		"java.lang.RuntimeException: 0 for ks: t, table: p.by_v\njava.lang.ArrayIndexOutOfBoundsException: 0": true,
		"org.apache.cassandra.db.MutationExceededMaxSizeException: Rejected an oversized mutation":            true,
		"java.lang.AssertionError: null":                         true,
		"java.io.IOException: No space left on device":           false,
		"java.util.concurrent.TimeoutException: IllegalArgument": false,
	} {
		require.Equal(t, want, aboutRows.MatchString(cause), cause)
	}
}
