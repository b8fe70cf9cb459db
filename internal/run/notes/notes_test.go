package notes

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/progress"
	"github.com/cqlbulk/cqlbulk/internal/run/records"
)

func TestThePaceIsNotWrittenThroughALink(t *testing.T) {
	dir := t.TempDir()
	precious := filepath.Join(dir, "precious")
	part := filepath.Join(dir, records.PaceFile+records.PartEnding)
	require.NoError(t, os.WriteFile(precious, []byte("keep"), 0o600))
	require.NoError(t, os.Symlink(precious, part))

	KeepPace(
		dir,
		false,
		new(progress.Counters),
		func(format string, args ...any) { t.Errorf(format, args...) },
	)()
	text, err := os.ReadFile(precious)
	require.NoError(t, err)
	require.Equal(t, "keep", string(text))
	info, err := os.Lstat(filepath.Join(dir, records.PaceFile))
	require.NoError(t, err)
	require.True(t, info.Mode().IsRegular())
	require.NoFileExists(t, part)
}
