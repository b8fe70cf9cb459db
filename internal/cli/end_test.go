package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// An error is printed once, in its most specific words, without the names of system calls.
func TestErrorLines(t *testing.T) {
	full := &fs.PathError{Op: "write", Path: "/x/out.csv.part", Err: syscall.ENOSPC}
	for _, c := range []struct {
		err  error
		want []string
	}{
		{errors.Join(full, fmt.Errorf("output /x/out.csv: %w", full)), []string{"output /x/out.csv: no space left on device"}},
		{errors.Join(errors.New("a: it fails; try b"), errors.New("it fails")), []string{"a: it fails; try b"}},
		{errors.Join(errors.New("one"), errors.New("two"), errors.New("one")), []string{"one", "two"}},
	} {
		require.Equal(t, c.want, errorLines(exitFatal, c.err))
	}
	require.Equal(t, []string{"interrupted"}, errorLines(exitInterrupted, full))
}
