package chaos

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/internode"
	"github.com/cqlbulk/cqlbulk/internal/test/internodetest"
	"github.com/cqlbulk/cqlbulk/internal/test/simcluster"
	"github.com/cqlbulk/cqlbulk/pkg/sstable/component"
)

// stepsOfSessions is about how many steps the sessions of a streamed load, or scan, come to.
const stepsOfSessions = 60

// ports are the storage ports of a schedule's cluster. They fail sessions, cut their connections
// and go down, and at one step the program is stopped. Ports that send rows also hang, send what is
// broken, and move.
type ports struct {
	asked bool // the program asks them for rows

	mu    sync.Mutex
	r     *rand.Rand
	rate  float64 // how often a step goes wrong
	ring  *script // of their cluster; nil: it does not change
	left  int     // harms that are still to come
	after int     // steps until do is called
	do    func()

	cluster *simcluster.Cluster
	wg      sync.WaitGroup
	over    chan struct{} // closed: outages end at once
}

// newPorts makes ports that do harm at some steps.
func newPorts(r *rand.Rand, asked bool) *ports {
	return &ports{
		asked: asked,
		r:     r,
		left:  r.IntN(6),
		rate:  0.02 + 0.1*r.Float64(),
		over:  make(chan struct{}),
	}
}

// open sets whose ports they are.
func (p *ports) open(c *simcluster.Cluster) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cluster = c
}

// follow has each step advance the script.
func (p *ports) follow(ring *script) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ring = ring
}

func (p *ports) script() *script {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.ring
}

// aim has something done at a later step; nil: nothing.
func (p *ports) aim(after int, do func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.after, p.do = after, do
}

// calm ends the faults, and waits for nodes that are down. A program that finds no node ends in
// some milliseconds, so all its runs would pass within one outage.
func (p *ports) calm() {
	if p == nil {
		return
	}
	p.mu.Lock()
	p.left = 0
	p.mu.Unlock()
	if ring := p.script(); ring != nil {
		ring.finish()
	}
	p.wg.Wait()
}

// of gives a node's port its faults.
func (p *ports) of(node int, port *internodetest.Node) {
	has := port.Has
	port.Has = func(r internode.Request) ([]internodetest.Brought, error) {
		files, err := has(r)
		if err != nil || r.Keyspace+"."+r.Table != table {
			return files, err
		}
		return p.brought(files)
	}
	port.Draw = func(internodetest.Step) internodetest.Harm { return p.step(node) }
	port.Before = func(m internode.Message, right []byte) []byte {
		// The node has what it was sent, and says that it has not.
		if m == internode.Complete && p.harmed() {
			return internode.Append(nil, internode.SessionFailed)
		}
		return right
	}
}

// step is what a node does at a step of a session.
func (p *ports) step(node int) internodetest.Harm {
	p.script().step()
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.do != nil {
		if p.after--; p.after <= 0 {
			p.do()
			p.do = nil
		}
	}
	if !p.draw() {
		return ""
	}
	kinds := 4
	// a ring moves by its script, and a node that hangs costs the time of several changes
	if p.asked && p.ring == nil {
		kinds = 6
	}
	switch p.r.IntN(kinds) {
	case 0:
		p.takeDown(node, time.Duration(1+p.r.IntN(300))*time.Millisecond)
		return ""
	case 1:
		return internodetest.Fail
	case 4:
		return internodetest.Hang
	case 5:
		p.move(node)
		return ""
	default:
		return internodetest.Close
	}
}

func (p *ports) harmed() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.draw()
}

// draw says whether something goes wrong now. The caller holds the lock.
func (p *ports) draw() bool {
	if p.left == 0 || p.r.Float64() >= p.rate {
		return false
	}
	p.left--
	totals.harms.Add(1)
	return true
}

// move gives a node another place on the ring, while rows are fetched.
func (p *ports) move(node int) {
	c := p.cluster
	p.wg.Go(func() { _ = c.Move(node) }) // one that is down stays where it is
}

// brought returns what a node sends: its files as they are, or in chunks. One of the chunks may be
// broken.
func (p *ports) brought(files []internodetest.Brought) ([]internodetest.Brought, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i := range files {
		if p.r.IntN(2) == 0 {
			continue
		}
		if err := intoChunks(&files[i], p.draw()); err != nil {
			return nil, err
		}
	}
	return files, nil
}

// chunkLength is that of the chunks that nodes bring.
const chunkLength = 4 << 10

// intoChunks makes a file of rows one of chunks, which are kept as they are.
func intoChunks(b *internodetest.Brought, broken bool) error {
	plain, err := io.ReadAll(internode.NewBlocks(bytes.NewReader(b.Payload), b.Head.Length()))
	if err != nil {
		return err
	}
	b.Head.Compression = &internode.Compression{
		Compressor:    component.LZ4Compressor,
		ChunkLength:   chunkLength,
		MaxCompressed: 1,
	}
	b.Payload = nil
	for chunk := range slices.Chunk(plain, chunkLength) {
		b.Head.Compression.Chunks = append(
			b.Head.Compression.Chunks,
			internode.Chunk{Offset: int64(len(b.Payload)), Length: len(chunk)},
		)
		b.Payload = binary.BigEndian.AppendUint32(
			append(b.Payload, chunk...),
			crc32.ChecksumIEEE(chunk),
		)
	}
	if broken {
		b.Payload[len(b.Payload)/2] ^= 1
	}
	return nil
}

// takeDown stops a node, and starts it again after a while.
func (p *ports) takeDown(node int, d time.Duration) {
	c := p.cluster
	p.wg.Go(func() {
		c.Stop(node)
		select {
		case <-time.After(d):
		case <-p.over:
		}
		for { // its port may be taken for a moment
			if err := c.Restart(node); err == nil || errors.Is(err, simcluster.ErrGone) {
				return
			}
			select {
			case <-time.After(10 * time.Millisecond):
			case <-p.over:
				return
			}
		}
	})
}

// close ends the outages.
func (p *ports) close() {
	close(p.over)
	p.wg.Wait()
}
