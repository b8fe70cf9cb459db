package operation

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/fault"
	"github.com/cqlbulk/cqlbulk/internal/spec"
	"github.com/cqlbulk/cqlbulk/internal/test/internodetest"
	"github.com/cqlbulk/cqlbulk/internal/test/simcluster"
	"github.com/cqlbulk/cqlbulk/internal/write/stream"
)

// A node on this host is not sent what its disk has no room for, since it may stop serving then; of
// others that is not known.
func TestNoRoomOnADisk(t *testing.T) {
	s := streamSender{disks: disks{"here": {t.TempDir() + "/gone", t.TempDir()}, "away": nil}}
	err := s.Send(t.Context(), "here", stream.File{Bytes: math.MaxInt64 / 2})
	require.ErrorContains(t, err, "the node has no room: ")
	require.True(t, fault.Retryable(err, true), "room may be made: %v", err)
	require.NoError(t, s.disks.roomFor("here", 1))
	for _, node := range []string{"away", "unknown"} {
		_, known := s.disks.free(node)
		require.False(t, known)
		require.NoError(t, s.disks.roomFor(node, math.MaxInt64/2))
	}
}

func TestListOfDirectories(t *testing.T) {
	require.Equal(t, []string{"/a b", "/c"}, listOf("[/a b, /c]"))
	require.Equal(t, []string{""}, listOf("[]"))
	for _, bad := range []string{"", "null", "/a", "[/a"} {
		require.Empty(t, listOf(bad))
	}
}

// A node that does not say what it does when its disk is full may stop serving, as it does by
// default.
func TestFullDiskOfNodesThatDoNotTellTheirPolicy(t *testing.T) {
	s := openShopOn(
		t,
		simcluster.Options{Cores: 1, Release: "4.1.10", Storage: func(int, *internodetest.Node) {}},
	)
	settings := s.load(t, "customer,number,pieces\nann,1,3\n")
	settings.Via = spec.ViaStream
	_, err := s.runLoad(t, settings)
	require.NoError(t, err)
	require.Contains(t, strings.Join(s.told, "\n"), "stops serving (disk_failure_policy: not told)")
}
