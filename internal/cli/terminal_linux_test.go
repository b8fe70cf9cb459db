package cli

import (
	"context"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A command that waits for what is typed says so, and ends when it is interrupted.
func TestStatementFromATerminal(t *testing.T) {
	screen := newTerminal(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	code := make(chan int)
	go func() { code <- Run(ctx, []string{"copy", "-"}, screen.tty, io.Discard, screen.tty) }()
	require.Eventually(t, func() bool {
		return strings.Contains(
			screen.shown(),
			"reading from this terminal: Ctrl-D at the beginning of a line ends the input",
		)
	}, 30*time.Second, time.Millisecond)
	cancel()
	require.Equal(t, exitInterrupted, <-code)
	_, err := io.WriteString(screen.keys, "\x04") // what reads the terminal ends, too
	require.NoError(t, err)
}
