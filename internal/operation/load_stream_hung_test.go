package operation

import (
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/run"
	"github.com/cqlbulk/cqlbulk/internal/run/advice"
	"github.com/cqlbulk/cqlbulk/internal/spec"
	"github.com/cqlbulk/cqlbulk/internal/test/internodetest"
	"github.com/cqlbulk/cqlbulk/internal/test/simcluster"
)

// A node that hangs while a streamed load finishes is waited for as long as there is patience, and
// named.
func TestANodeThatHangsAtTheEndOfAStreamedLoad(t *testing.T) {
	for _, step := range []internodetest.Step{internodetest.Finish, internodetest.FileEnd} {
		t.Run(string(step), func(t *testing.T) {
			var hangs atomic.Bool
			s := openShopOn(
				t,
				simcluster.Options{Cores: 1, Storage: func(node int, port *internodetest.Node) {
					port.Draw = func(at internodetest.Step) internodetest.Harm {
						if node != 1 || at != step && !hangs.Load() {
							return ""
						}
						hangs.Store(true)
						return internodetest.Hang
					}
				}},
			)
			s.cluster.Inject(
				simcluster.Rule{Fault: simcluster.Silence, Match: func(r simcluster.Request) bool {
					return r.Node == 1 && hangs.Load()
				}},
			)
			settings := s.load(t, longOrders(200))
			settings.Via, settings.Patience = spec.ViaStream, time.Second
			settings.Timeout = 500 * time.Millisecond
			report, err := s.runLoad(t, settings)
			require.ErrorContains(t, err, "it has answered nothing for ")
			require.ErrorContains(t, err, strings.Split(s.cluster.Hosts()[1], ":")[0]+":")
			require.Equal(t, run.Failed, report.Outcome)
			require.Equal(t, advice.Step{Command: run.CommandResume, RunDir: "run"}, report.Next)
		})
	}
}

// A node that finishes a session for long, and answers questions, is waited for.
func TestANodeThatIsBusyAtTheEndOfAStreamedLoad(t *testing.T) {
	var asked atomic.Int64
	finished := make(chan struct{})
	s := openShopOn(t, simcluster.Options{Cores: 1, Storage: func(_ int, port *internodetest.Node) {
		port.Take = func(*internodetest.Session) error {
			<-finished
			return nil
		}
	}})
	s.cluster.Inject(
		simcluster.Rule{Fault: simcluster.None, Match: func(r simcluster.Request) bool {
			if strings.Contains(r.Statement, "system_views.streaming") &&
				asked.Add(1) == 30 { // for longer than the patience
				close(finished)
			}
			return false
		}},
	)
	settings := s.load(t, "customer,number,pieces\nann,1,3\nbob,1,5\n")
	settings.Via, settings.Patience = spec.ViaStream, 2*time.Second
	report, err := s.runLoad(t, settings)
	require.NoError(t, err)
	require.EqualValues(t, 2, report.Rows)
}

// A streamed load has no consistency level: none is reported, and one that was typed is refused.
func TestAStreamedLoadHasNoConsistencyLevel(t *testing.T) {
	s := openShopOn(t, simcluster.Options{Cores: 1, Storage: func(int, *internodetest.Node) {}})
	settings := s.load(t, "customer,number,pieces\nann,1,3\n")
	settings.Via, settings.Given[spec.ConsistencyFlag] = spec.ViaStream, true
	_, err := PrepareLoad(t.Context(), s.env, *settings)
	require.EqualError(
		t,
		err,
		"--consistency: means nothing with --via stream, which waits for all replicas of each row",
	)
	settings.Given = nil
	report, err := s.runLoad(t, settings)
	require.NoError(t, err)
	require.Empty(t, report.Consistency)
}

// A folder for what is sorted is tried before an input is read.
func TestTempDirOfAStreamedLoadIsTriedFirst(t *testing.T) {
	s := openShopOn(t, simcluster.Options{Cores: 1, Storage: func(int, *internodetest.Node) {}})
	settings := s.load(t, "customer,number,pieces\nann,1,3\n")
	settings.Via, settings.TempDir = spec.ViaStream, "not/there"
	_, err := PrepareLoad(t.Context(), s.env, *settings)
	require.ErrorContains(t, err, "--temp-dir not/there: ")
}
