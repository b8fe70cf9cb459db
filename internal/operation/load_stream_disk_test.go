package operation

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/spec"
	"github.com/cqlbulk/cqlbulk/internal/test/internodetest"
	"github.com/cqlbulk/cqlbulk/internal/test/simcluster"
)

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
	require.Contains(t, strings.Join(s.told, "\n"), "stops serving (disk_failure_policy: not known)")
}
