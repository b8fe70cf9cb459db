package chaos

import (
	"fmt"
	"math/rand/v2"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/test/simcluster"
)

// TestCalm takes a node down: it is up again once the ports are calm. A program that finds no node
// ends in some milliseconds, and all its runs would pass within the outage.
func TestCalm(t *testing.T) {
	c, err := simcluster.Start(simcluster.Options{Base: simcluster.Anywhere, Nodes: 2})
	require.NoError(t, err)
	t.Cleanup(c.Close)
	answers := func(node int) bool {
		conn, err := net.Dial("tcp", net.JoinHostPort(c.Hosts()[node], fmt.Sprint(c.Port())))
		if err == nil {
			_ = conn.Close()
		}
		return err == nil
	}
	p := newPorts(rand.New(rand.NewPCG(1, 1)), false)
	p.open(c)
	t.Cleanup(p.close) // before the cluster is
	p.takeDown(0, 300*time.Millisecond)
	p.takeDown(1, time.Millisecond)
	c.Kill(1) // it never comes back, and is not waited for
	require.Eventually(t, func() bool { return !answers(0) }, time.Minute, time.Millisecond)

	p.calm()
	require.True(t, answers(0), "a node is down still")
	require.False(t, answers(1), "a node that was killed is up")
}
