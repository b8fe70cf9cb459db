package delivery

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/internode"
)

// A pause of the garbage collector does not end a session. Neither does the end of the stream while
// the message of it is under way.
func TestANodeThatFinishesASessionIsGivenUpOnlyWhenItIsGone(t *testing.T) {
	for _, c := range []struct {
		name  string
		says  string // each minute: + it works, - it does not answer, . it has ended the stream
		fails string
	}{
		{"it works for long", "++++++++++++++++++++++++++++++++++++++++", ""},
		{"it pauses", "+----+----+", ""},
		{"it is gone", "++------", "has answered nothing for 5m0s, neither by CQL nor at its storage port"},
		{"word of the end is on its way", "++.", ""},
		{"it has ended the stream", "++..", "has ended the stream without a message"},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				minute := 0
				f := finishing{
					node:     "a",
					patience: 5 * time.Minute,
					ask: func(_ context.Context, node string, plan [16]byte) (bool, bool) {
						require.Equal(t, "a", node)
						return c.says[minute] != '-', c.says[minute] == '.'
					},
				}
				for ; minute < len(c.says); minute++ {
					time.Sleep(time.Minute)
					err := f.alive(t.Context(), internode.UUID{1})
					if minute == len(c.says)-1 && c.fails != "" {
						require.ErrorContains(t, err, c.fails)
					} else {
						require.NoError(t, err)
					}
				}
			})
		})
	}
}
