package driver

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/test/simcluster"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// Nodes that are down for moments, one after another and without an event, are used again as soon
// as they answer.
func TestNodesThatBounce(t *testing.T) {
	for _, shards := range []int{0, 3} {
		t.Run(fmt.Sprintf("%d shards", shards), func(t *testing.T) {
			c, s := simulate(t, simcluster.Options{Rows: 1, Shards: shards})
			_, table := target(t, s)
			reader := s.Reader(table, Count(), token.Murmur3)
			ask := func(node int) error {
				page, err := reader.Page(
					t.Context(),
					c.HostID(node),
					token.Whole(token.Murmur3),
					nil,
					100,
				)
				if err == nil {
					page.Close()
				}
				return err
			}
			faults := simcluster.Faults{
				Until:    10_000,
				NodeDown: 0.05,
				DownFor:  20 * time.Millisecond,
				Move:     0.02,
			}
			require.NoError(t, c.Disturb(faults))
			for i := range 500 {
				_ = ask(i % 3)
				time.Sleep(time.Millisecond)
			}
			c.Calm()
			for node := range 3 {
				var err error
				require.Eventually(
					t,
					func() bool { err = ask(node); return err == nil },
					patience,
					10*time.Millisecond,
					"node %d",
					node,
				)
				require.NoError(t, err)
			}
		})
	}
}
