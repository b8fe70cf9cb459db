package operation

import (
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// limitFiles limits this process to most open files.
func limitFiles(t *testing.T, most uint64) {
	t.Helper()
	var before syscall.Rlimit
	require.NoError(t, syscall.Getrlimit(syscall.RLIMIT_NOFILE, &before))
	require.NoError(
		t,
		syscall.Setrlimit(syscall.RLIMIT_NOFILE, &syscall.Rlimit{Cur: most, Max: before.Max}),
	)
	t.Cleanup(func() { require.NoError(t, syscall.Setrlimit(syscall.RLIMIT_NOFILE, &before)) })
}

// A node may have more SSTables than a process may have files open, and they come on several
// connections.
func TestMoreSSTablesThanFilesMayBeOpen(t *testing.T) {
	s := openStore(t)
	s.let(func() { s.files = 400 })
	limitFiles(t, 250)
	r, err := s.scan(t, s.spec())
	s.requireWhole(t, r, err)
	require.Len(t, s.told, 1, "%q", s.told) // that rows are read by streaming
}
