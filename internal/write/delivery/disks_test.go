package delivery

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/fault"
	"github.com/cqlbulk/cqlbulk/internal/write/stream"
)

// A node on this host is sent no file that its disk has no room for, since it may stop serving
// then. The disks of other nodes are not known.
func TestNoRoomOnADisk(t *testing.T) {
	s := sender{disks: Disks{"here": {t.TempDir() + "/gone", t.TempDir()}, "away": nil}}
	err := s.Send(t.Context(), "here", stream.File{Bytes: math.MaxInt64 / 2})
	require.ErrorContains(t, err, "the node has no room: ")
	require.True(t, fault.Retryable(err, true), "room may be made: %v", err)
	require.NoError(t, s.disks.RoomFor("here", 1))
	for _, node := range []string{"away", "unknown"} {
		_, known := s.disks.Free(node)
		require.False(t, known)
		require.NoError(t, s.disks.RoomFor(node, math.MaxInt64/2))
	}
}

func TestListOfDirectories(t *testing.T) {
	require.Equal(t, []string{"/a b", "/c"}, ListOf("[/a b, /c]"))
	require.Equal(t, []string{""}, ListOf("[]"))
	for _, bad := range []string{"", "null", "/a", "[/a"} {
		require.Empty(t, ListOf(bad))
	}
}
