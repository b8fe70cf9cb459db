package chaos

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/test/internodetest"
	"github.com/cqlbulk/cqlbulk/internal/test/simcluster"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// Rows are streamed when the pending replicas of a change already have the earlier rows. They are
// on all replicas when the change ends, or the load fails, and resume sends them.
func TestStreamedWithinAChange(t *testing.T) {
	type beginning = func(*simcluster.Cluster) (*simcluster.Change, error)
	dead := func(begin beginning) beginning {
		return func(c *simcluster.Cluster) (*simcluster.Change, error) {
			c.Kill(1)
			return begin(c)
		}
	}
	for name, begin := range map[string]func(*simcluster.Cluster) (*simcluster.Change, error){
		"join":           func(c *simcluster.Cluster) (*simcluster.Change, error) { return c.BeginJoin("", "") },
		"decommission":   func(c *simcluster.Cluster) (*simcluster.Change, error) { return c.BeginLeave(1) },
		"move":           func(c *simcluster.Cluster) (*simcluster.Change, error) { return c.BeginMove(1) },
		"alter keyspace": func(c *simcluster.Cluster) (*simcluster.Change, error) { return c.BeginAlter(0, 3) },
		"replace":        dead(func(c *simcluster.Cluster) (*simcluster.Change, error) { return c.BeginReplace(1) }),
		"removenode":     dead(func(c *simcluster.Cluster) (*simcluster.Change, error) { return c.BeginRemove(1) }),
	} {
		for _, version := range []string{"5.0.6", "4.0.19"} { // with system_views.gossip_info, and without
			t.Run(name+" "+version, func(t *testing.T) {
				t.Parallel()
				c, err := simcluster.Start(simcluster.Options{
					Base:       simcluster.Anywhere,
					Nodes:      4,
					Factor:     2,
					Tokens:     1,
					Release:    version,
					Replicated: true,
					Tables: []simcluster.Table{
						{Keyspace: "ks", Name: "t", Columns: columnsOf("bigint")},
					},
					Storage: func(int, *internodetest.Node) {},
				})
				require.NoError(t, err)
				t.Cleanup(c.Close)
				s := &small{T: t, Cluster: c, dir: t.TempDir()}
				text := "k,n\n"
				for i := range 300 {
					text += fmt.Sprintf("%d,%d\n", i, i)
				}
				s.write("in.csv", text)
				ch, err := begin(c)
				require.NoError(t, err)
				ch.AnnounceAll()
				ch.Transfer(token.Whole(token.Murmur3))
				p := s.begin(
					"load",
					"ks.t",
					"in.csv",
					"--run-dir",
					"run",
					"--via",
					"stream",
					"--listen",
					"127.0.0.1:0",
					"--patience",
					"1s",
				)
				first := p.wait(t)
				require.NoError(t, ch.Finish())
				ch.AnnounceAll()
				if first.code != exitOK {
					require.Equal(t, exitFatal, first.code, first.output)
					args := []string{"resume", "run"}
					if !strings.Contains(first.output, "continue with") {
						args = []string{
							"load",
							"ks.t",
							"in.csv",
							"--run-dir",
							"run",
							"--via",
							"stream",
							"--listen",
							"127.0.0.1:0",
						}
					}
					s.run(exitOK, "300 read, 0 rejected", args...)
				}
				require.Len(t, s.values(), 300)
				(&schedule{T: t}).checkHeld(c)
			})
		}
	}
}
