package cli

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
)

// A panic is reported with its place, and is not taken for a run that failed in part.
func TestPanicIsAFatalError(t *testing.T) {
	var err bytes.Buffer
	s := newStreams(nil, nil, &err)
	require.Equal(t, exitFatal, s.guarded(func() int { panic("no such field") }))
	require.Contains(
		t,
		err.String(),
		"cqlbulk: stopped by a fault of cqlbulk itself, which you can report with what follows: no such field\n",
	)
	require.Contains(t, err.String(), "crash_test.go")
	require.Equal(t, exitOK, s.guarded(func() int { return exitOK }))
}
