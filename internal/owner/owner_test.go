package owner

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestRootAndTheUserAreTrusted(t *testing.T) {
	for _, c := range []struct {
		id, self int
		sudo     string
		want     bool
	}{
		{1000, 1000, "", true},
		{0, 1000, "", true},
		{1001, 1000, "", false},
		{1001, 1000, "1001", false}, // any user can set a variable
		{1000, 0, "", false},        // root in the folder of a user
		{1000, 0, "1000", true},     // who called sudo
		{1001, 0, "1000", false},
		{65534, 1000, "", false}, // not mapped in a container
	} {
		require.Equal(t, c.want, trusted(c.id, c.self, c.sudo), "%+v", c)
	}
}

func TestALinkAndItsTargetCount(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	link := filepath.Join(dir, "link")
	gone := filepath.Join(dir, "gone")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	require.NoError(t, os.Symlink(file, link))
	require.Empty(t, Other(file, link, gone))

	old := ownerOf
	defer func() { ownerOf = old }()
	ownerOf = func(info fs.FileInfo) int {
		if info.Mode()&fs.ModeSymlink != 0 {
			return 123456
		}
		return os.Geteuid()
	}
	require.Empty(t, Other(file))
	require.Equal(t, "123456", Other(gone, link))
	ownerOf = func(info fs.FileInfo) int {
		if info.Mode().IsRegular() {
			return 123456
		}
		return os.Geteuid()
	}
	require.Equal(t, "123456", Other(link), "its target")
}
