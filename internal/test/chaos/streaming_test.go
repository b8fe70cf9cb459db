package chaos

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/internode"
	"github.com/cqlbulk/cqlbulk/internal/test/internodetest"
	"github.com/cqlbulk/cqlbulk/internal/test/simcluster"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// port decides what the storage ports of a cluster do with sessions. It fails some, though the node
// may have kept their rows, and kills the program in others.
type port struct {
	mu    sync.Mutex
	r     *rand.Rand
	kill  func()
	kills int // that are still to come
	fails int // sessions that are still to fail
}

// before gives the bytes that a node sends for a message.
func (p *port) before(m internode.Message, right []byte) []byte {
	p.mu.Lock()
	defer p.mu.Unlock()
	if m == nil || p.r.IntN(3) > 0 {
		return right
	}
	if p.kills > 0 && p.kill != nil {
		p.kills--
		p.kill()
		p.kill = nil
		return right
	}
	if p.fails > 0 {
		p.fails--
		return internode.Append(nil, internode.SessionFailed)
	}
	return right
}

func (p *port) aim(kill func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.kill = kill
}

// A load by streaming is killed repeatedly, on nodes that fail its sessions. In the end every good
// row is on each of its replicas, with its last values, and the bad ones are rejects.
func TestStreamedLoadsKilled(t *testing.T) {
	for seed := range uint64(4) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(seed, 77))
			p := &port{r: rand.New(rand.NewPCG(seed, 78)), kills: 4, fails: 6}
			c, err := simcluster.Start(simcluster.Options{
				Base:   simcluster.Anywhere,
				Nodes:  3,
				Factor: 2,
				Tokens: 1 + r.IntN(8),
				Seed:   seed,
				Tables: []simcluster.Table{
					{Keyspace: "ks", Name: "t", Columns: columnsOf("bigint")},
				},
				Storage: func(_ int, n *internodetest.Node) { n.Before = p.before },
			})
			require.NoError(t, err)
			t.Cleanup(c.Close)
			s := &small{T: t, Cluster: c, dir: t.TempDir()}
			want := make(map[uint64]uint64)
			var text, bad strings.Builder
			text.WriteString("k,n\n")
			bad.WriteString("k,n\n")
			for i := range 3000 {
				k := r.Uint64N(1500)
				if i%100 == 99 {
					line := fmt.Sprintf("%d,x%d\n", k, i)
					text.WriteString(line)
					bad.WriteString(line)
					continue
				}
				fmt.Fprintf(&text, "%d,%d\n", k, i)
				want[k] = uint64(i)
			}
			s.write("in.csv", text.String())
			form := []string{"rows", "whole"}[seed%2]
			args := []string{
				"load",
				"ks.t",
				"in.csv",
				"--run-dir",
				"run",
				"--via",
				"stream",
				"--stream",
				form,
			}
			for code := -1; code != 2; {
				require.Contains(t, []int{-1, 4}, code)
				process := s.begin(args...)
				p.aim(func() { process.signal(syscall.SIGKILL) })
				e := process.wait(t)
				p.aim(nil)
				if code = e.code; exists(filepath.Join(s.dir, "run", "run.json")) {
					args = []string{"resume", "run"}
				}
			}
			require.Less(t, p.kills, 4, "it was killed")
			require.Equal(t, want, s.values())
			kept, err := os.ReadFile(filepath.Join(s.dir, "run", "rejects.csv"))
			require.NoError(t, err)
			require.Equal(t, bad.String(), string(kept))
			nodes := make(map[token.Token]map[int]bool)
			for _, stream := range s.Streams() {
				for _, at := range stream.Partitions {
					if nodes[at] == nil {
						nodes[at] = make(map[int]bool)
					}
					nodes[at][stream.Node] = true
				}
			}
			require.Len(t, nodes, len(want))
			for at, on := range nodes {
				require.Len(t, on, 2, "replicas of token %s", token.Murmur3.Append(nil, at))
			}
		})
	}
}
