package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/fault"
	"github.com/cqlbulk/cqlbulk/internal/run"
	"github.com/cqlbulk/cqlbulk/internal/spec"
)

func TestExitCode(t *testing.T) {
	broken := errors.New("broken")
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	for _, tc := range []struct {
		name string
		ctx  context.Context
		err  error
		want int
	}{
		{"nothing", context.Background(), nil, 0},
		{"usage", context.Background(), broken, 1},
		{"refused by the server for good", context.Background(), fault.New(fault.Permanent, broken), 1},
		{"partly", context.Background(), partly(), 2},
		{"partly, wrapped", context.Background(), fmt.Errorf("run: %w", partly()), 2},
		{"fatal", context.Background(), fatal(broken), 4},
		{"no connection", context.Background(), fault.New(fault.Fatal, broken), 4},
		{"no answer", context.Background(), fault.New(fault.Unknown, broken), 4},
		{"a run that cannot continue", context.Background(), &run.RefusedError{Err: broken}, 4},
		{"signal", ended, broken, 130},
		{"signal in a run", ended, fatal(fault.New(fault.Canceled, context.Canceled)), 130},
		{"signal after the end", ended, nil, 0},
		{"signal after the end, partly", ended, partly(), 2},
		{"canceled", context.Background(), context.Canceled, 130},
	} {
		t.Run(tc.name, func(t *testing.T) { require.Equal(t, tc.want, exitCode(tc.ctx, tc.err)) })
	}
	require.NoError(t, fatal(nil))
	require.Empty(t, partly().Error())
	require.ErrorIs(t, fatal(broken), broken)
}

// What an operation gives when it has run.
func TestExitCodeOfARun(t *testing.T) {
	ctx := context.Background()
	broken := errors.New("disk")
	require.Equal(t, exitOK, exitCode(ctx, runError(nil, run.Done)))
	require.Equal(t, exitPartly, exitCode(ctx, runError(nil, run.Partly)))
	require.Equal(t, exitFatal, exitCode(ctx, runError(broken, run.Failed)))
	full := runError(&os.PathError{Op: "write", Path: "tmp/x", Err: syscall.ENOSPC}, run.Failed)
	require.Equal(t, exitFatal, exitCode(ctx, full))
	require.EqualError(
		t,
		full,
		"write tmp/x: no space left on device: free space there, or name another folder (--temp-dir, --run-dir, the output)",
	)
	require.Equal(t, exitUsage, exitCode(ctx, runError(&spec.UsageError{Err: broken}, run.Failed)))
	require.Equal(
		t,
		exitInterrupted,
		exitCode(ctx, runError(&spec.UsageError{Err: context.Canceled}, run.Interrupted)),
	)
}
