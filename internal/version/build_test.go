package version

import (
	"runtime/debug"
	"testing"

	"github.com/stretchr/testify/require"
)

// What the linker set counts; the rest is from the compiler.
func TestFill(t *testing.T) {
	info := &debug.BuildInfo{
		Main: debug.Module{Version: "v0.2.0"},
		Settings: []debug.BuildSetting{
			{Key: "vcs.revision", Value: "abc"},
			{Key: "vcs.time", Value: "2026-01-02T03:04:05Z"},
			{Key: "vcs.modified", Value: "true"},
		},
		Deps: []*debug.Module{
			{Path: "other", Version: "v1"},
			{
				Path:    driverModule,
				Version: "v1.7.0",
				Replace: &debug.Module{Path: "github.com/scylladb/gocql", Version: "v1.19.0"},
			},
		},
	}
	var b Info
	b.fill(info)
	require.Equal(
		t,
		Info{
			Version: "v0.2.0",
			Commit:  "abc-dirty",
			Date:    "2026-01-02T03:04:05Z",
			Driver:  "github.com/scylladb/gocql v1.19.0",
		},
		b,
	)

	b = Info{Version: "0.3.0", Commit: "def", Date: "2026-02-03T04:05:06Z"}
	b.fill(info)
	require.Equal(
		t,
		Info{
			Version: "0.3.0",
			Commit:  "def",
			Date:    "2026-02-03T04:05:06Z",
			Driver:  "github.com/scylladb/gocql v1.19.0",
		},
		b,
	)

	require.NotEmpty(t, Read().Go)
	require.NotEmpty(t, Read().Version)
}
