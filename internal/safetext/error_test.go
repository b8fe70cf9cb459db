package safetext

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestError(t *testing.T) {
	denied := &fs.PathError{Op: "open", Path: "/x/out.csv.part", Err: syscall.EACCES}
	full := &fs.PathError{Op: "write", Path: "/tmp/a", Err: syscall.ENOSPC}
	for _, c := range []struct {
		err  error
		want string
	}{
		{errors.New("plain"), "plain"},
		{denied, "/x/out.csv: permission denied"},
		{fmt.Errorf("output /x/out.csv: %w", denied), "output /x/out.csv: permission denied"},
		{fmt.Errorf("--temp-dir /tmp: %w", &fs.PathError{Op: "open", Path: "/tmp/.spool-7", Err: syscall.EACCES}), "--temp-dir /tmp: permission denied"},
		{fmt.Errorf("--log-file: %w", denied), "--log-file: /x/out.csv: permission denied"},
		{fmt.Errorf("sorted: %w", errors.Join(full, denied)), "sorted: /tmp/a: no space left on device\n/x/out.csv: permission denied"},
		{fmt.Errorf("%w and %w", full, full), "/tmp/a: no space left on device and no space left on device"},
		{errors.New("no longer there: " + denied.Error()), "no longer there: open /x/out.csv.part: permission denied"},
	} {
		require.Equal(t, c.want, Error(c.err))
	}
}
