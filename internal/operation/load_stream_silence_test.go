package operation

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/run"
	"github.com/cqlbulk/cqlbulk/internal/spec"
	"github.com/cqlbulk/cqlbulk/internal/test/internodetest"
	"github.com/cqlbulk/cqlbulk/internal/test/simcluster"
)

// Whatever a load by streaming asks at its start, nodes that are all silent once are asked again.
func TestStreamedLoadOnNodesThatAreSilentOnce(t *testing.T) {
	s := openShopOn(t, simcluster.Options{Cores: 1, Storage: func(int, *internodetest.Node) {}})
	settings := s.load(t, "customer,number,pieces\nann,1,3\nbob,1,5\n")
	settings.Via, settings.Timeout = spec.ViaStream, time.Second
	var silences []*simcluster.Injected
	for _, question := range []string{"default_time_to_live", "broadcast_port", "data_center, rack, tokens FROM system.local"} {
		silent := make(map[int]bool) // by node
		silences = append(
			silences,
			s.cluster.Inject(
				simcluster.Rule{Fault: simcluster.Silence, Match: func(r simcluster.Request) bool {
					first := strings.Contains(r.Statement, question) && !silent[r.Node]
					if first {
						silent[r.Node] = true
					}
					return first
				}},
			),
		)
	}
	report, err := s.runLoad(t, settings)
	require.NoError(t, err)
	require.Equal(t, run.Done, report.Outcome)
	for _, silence := range silences {
		require.Positive(t, silence.Hits())
	}
}
