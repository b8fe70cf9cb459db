package architecture

import (
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestPackagesOfTheProfileExist fails if the profile for the compiler names a package that has
// moved. The compiler ignores the functions of such packages, and prints no warning.
func TestPackagesOfTheProfileExist(t *testing.T) {
	f, err := os.Open(filepath.Join(root, "cmd/cqlbulk/cqlbulk.pgo"))
	require.NoError(t, err)
	defer f.Close()
	z, err := gzip.NewReader(f)
	require.NoError(t, err)
	profile, err := io.ReadAll(z)
	require.NoError(t, err)
	folder := regexp.MustCompile(`github\.com/cqlbulk/cqlbulk/((?:cmd|internal|pkg)[a-z0-9/]*)\.`)
	packages := make(map[string]bool)
	for _, name := range folder.FindAllSubmatch(profile, -1) {
		packages[string(name[1])] = true
	}
	require.Greater(t, len(packages), 10)
	for name := range packages {
		require.DirExists(t, filepath.Join(root, name),
			"run deploy/profile-rename %s=NEW, or make profile", name)
	}
}
