package cli

import (
	"context"
	"errors"
	"fmt"
	"syscall"

	"github.com/cqlbulk/cqlbulk/internal/fault"
	"github.com/cqlbulk/cqlbulk/internal/run"
	"github.com/cqlbulk/cqlbulk/internal/spec"
)

// Exit codes. They are part of the interface: every command's help lists them.
const (
	exitOK          = 0
	exitUsage       = 1   // usage or configuration: nothing was done
	exitPartly      = 2   // done, but for rows or ranges that are listed
	exitLimit       = 3   // stopped by a limit on errors
	exitFatal       = 4   // could not connect, or could not continue
	exitInterrupted = 130 // SIGINT, SIGTERM or SIGHUP
)

// exitError is an error that decides the exit code by itself.
type exitError struct {
	code int
	err  error // nil: everything has been said already
}

func (e *exitError) Error() string {
	if e.err == nil {
		return ""
	}
	return e.err.Error()
}

func (e *exitError) Unwrap() error { return e.err }

// fatal marks an error of a run that had begun.
func fatal(err error) error {
	if err == nil {
		return nil
	}
	return &exitError{exitFatal, err}
}

// partly ends a run that is done but for what it has listed.
func partly() error { return &exitError{exitPartly, nil} }

// runError wraps the error of an operation that ran. The run could not continue, unless the error
// says that it is a matter of usage.
func runError(err error, outcome run.Outcome) error {
	var usage *spec.UsageError
	switch {
	case errors.As(err, &usage):
		return err
	case errors.Is(err, syscall.ENOSPC):
		return fatal(
			fmt.Errorf(
				"%w: free space there, or name another folder (--temp-dir, --run-dir, the output)",
				err,
			),
		)
	case err != nil:
		return fatal(err)
	case outcome == run.Partly:
		return partly()
	default:
		return nil
	}
}

// exitCode is the one place where errors become exit codes.
func exitCode(ctx context.Context, err error) int {
	var e *exitError
	var refused *run.RefusedError
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &e) && e.code == exitPartly:
		return exitPartly // it came to its end, even if a signal came, too
	case ctx.Err() != nil || fault.ClassOf(err) == fault.Canceled:
		return exitInterrupted
	case errors.As(err, &e):
		return e.code
	case errors.As(err, &refused), fault.ClassOf(err) != fault.Permanent:
		return exitFatal
	default:
		return exitUsage
	}
}
