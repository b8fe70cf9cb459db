package operation

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/fault"
	"github.com/cqlbulk/cqlbulk/internal/internode"
	"github.com/cqlbulk/cqlbulk/internal/pace"
	"github.com/cqlbulk/cqlbulk/internal/progress"
	"github.com/cqlbulk/cqlbulk/internal/sstables"
	"github.com/cqlbulk/cqlbulk/internal/topology"
	"github.com/cqlbulk/cqlbulk/pkg/sstable"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// hold asks a node for ranges, in one session, and gives what it sent.
func (s *streamReader) hold(
	ctx context.Context,
	node topology.Node,
	ranges []token.Range,
	most int64,
) (*spool, error) {
	address := s.ring.addresses[node.ID]
	if address == "" {
		return nil, fmt.Errorf("node %s does not tell its storage port", node.Address)
	}
	watched, heard, stop := s.watch(ctx, node)
	defer stop()
	one := &session{
		spool:   &spool{dir: s.o.TempDir},
		node:    address,
		heard:   heard,
		receipt: s.receipt,
	}
	request := internode.Request{
		Keyspace: s.t.Schema.Keyspace,
		Table:    s.t.Schema.Name,
		Ranges:   token.Merge(ranges),
		Most:     most,
	}
	_, err := s.client.Fetch(watched, address, s.listener, request, one.receive)
	if err == nil {
		return one.spool, nil
	}
	one.spool.release()
	one.receipt.Received.Add(-one.received.Load())
	if announced := (*internode.AnnouncedError)(nil); errors.As(err, &announced) {
		s.env.Logf(
			"%s announced %d bytes of a piece, which is more than %d: the piece is cut",
			address,
			announced.Bytes,
			most,
		)
		return nil, fault.New(fault.Fatal, &sstables.TooLargeError{Bytes: announced.Bytes})
	}
	if errors.As(err, new(*spoolError)) {
		err = fault.New(fault.Fatal, err)
	}
	return nil, err
}

// session is what comes from a node.
type session struct {
	spool    *spool
	node     string
	heard    func()
	receipt  *progress.Receipt
	received atomic.Int64 // bytes of this session
}

// count counts bytes of a file that came.
func (s *session) count(n int) {
	s.heard()
	s.received.Add(int64(n))
	s.receipt.Received.Add(int64(n))
}

// receive writes a file down as it comes. What cannot be of an SSTable is not taken.
func (s *session) receive(_ context.Context, d *internode.Delivery) error {
	s.heard()
	version, err := sstable.ParseVersion(d.Version)
	if err != nil {
		return err
	}
	to, from, err := s.spool.room(d.Size)
	if err != nil {
		return err
	}
	table, err := sstables.OpenStreamed(
		from,
		s.node,
		sstable.Descriptor{Version: version, ID: strconv.Itoa(d.Sequence + 1)},
		d.Header,
		sectionsOf(d),
	)
	if err != nil {
		return err
	}
	check := io.Discard
	sums := chunkSums{file: table.Path()}
	switch {
	case d.Compression != nil:
		sums.chunks = d.Compression.Chunks
		check = &sums
	case d.Content == internode.WholeData:
		blocks := &blockSums{file: table.Path(), from: from, size: d.Size}
		check, d.Sums = blocks, blocks.compare
	}
	_, err = io.Copy(io.MultiWriter(to, check), &countedReader{d.Body, s.count})
	switch {
	case sums.err != nil:
		return sums.err
	case err != nil: // when it is the node's the session knows
		return &spoolError{s.spool.dir, err}
	}
	for _, c := range d.Manifest { // of an entire SSTable the node announced all components
		if c.Name != string(sstable.DataDB) {
			s.count(int(c.Size))
		}
	}
	s.spool.add(table)
	return nil
}

// chunkSums holds the chunks of a compressed file against their checksums, as they come: nodes do
// not look at them, so that what is broken on one's disk comes as it is, and another replica may
// have it whole.
type chunkSums struct {
	file   string
	chunks []internode.Chunk // that are still to come to their end
	at     int               // in the first of those
	sum    uint32            // of what came of it
	stored [internode.ChunkSumLen]byte
	err    error
}

// Write takes bytes of the file. What stands behind the last chunk is not looked at.
func (c *chunkSums) Write(b []byte) (int, error) {
	all := len(b)
	for len(b) > 0 && len(c.chunks) > 0 {
		chunk := c.chunks[0]
		if left := chunk.Length - c.at; left > 0 {
			n := min(left, len(b))
			c.sum = crc32.Update(c.sum, crc32.IEEETable, b[:n])
			c.at, b = c.at+n, b[n:]
			continue
		}
		n := copy(c.stored[c.at-chunk.Length:], b)
		if c.at, b = c.at+n, b[n:]; c.at < chunk.Length+len(c.stored) {
			break
		}
		if c.sum != binary.BigEndian.Uint32(c.stored[:]) {
			c.err = fmt.Errorf(
				"%s: the chunk at byte %d of the file on the node is broken: its checksum is another one",
				c.file,
				chunk.Offset,
			)
			return 0, c.err
		}
		c.chunks, c.at, c.sum = c.chunks[1:], 0, 0
	}
	return all, nil
}

// sectionsOf tells which parts of an SSTable come.
func sectionsOf(d *internode.Delivery) (of sstable.Sections) {
	for _, s := range d.Sections {
		of.Sections = append(of.Sections, sstable.Section{From: uint64(s.From), To: uint64(s.To)})
	}
	if c := d.Compression; c != nil {
		of.Compression = sstable.Compression{
			Compressor:          c.Compressor,
			ChunkLength:         c.ChunkLength,
			MaxCompressedLength: c.MaxCompressed,
		}
		for _, chunk := range c.Chunks {
			of.Chunks = append(of.Chunks, chunk.Length)
		}
	}
	return of
}

// countedReader calls count with the number of bytes of each read.
type countedReader struct {
	io.Reader
	count func(n int)
}

func (r *countedReader) Read(b []byte) (int, error) {
	n, err := r.Reader.Read(b)
	if n > 0 {
		r.count(n)
	}
	return n, err
}

// errSilent ends a session with a node that is silent altogether.
var errSilent = errors.New("nothing was heard of the node")

// looksOfPatience is how often it is looked whether a node is silent, in the time that it may be.
const looksOfPatience = 4

// How long a node that answers questions is waited for in a session, in the time that it may be
// silent.
const (
	// patienceWithFlush is until it says what it will bring. It flushes the table before, which
	// takes minutes where disks are busy.
	patienceWithFlush = 10
	// patienceWithFiles is while no file is on its way, or nothing of one comes: a node sends no
	// more files at once, to all, than it has processors, so that they may have to wait behind
	// those of a repair for minutes.
	patienceWithFiles = 5
)

// timeouts are those of a session.
func (s *streamReader) timeouts() internode.Timeouts {
	return internode.Timeouts{
		Prepare: patienceWithFlush * s.patience,
		Bring:   patienceWithFiles * s.patience,
		Stall:   patienceWithFiles * s.patience,
	}
}

// watch has the context of a session end when the node is silent for as long as there is patience
// with silence: when it sends nothing, of which heard is told, and answers no question by CQL. A
// node that is busy, with a flush say, answers; one that was not to be asked before is not watched:
// then the limits of a session hold alone. stop must be called.
func (s *streamReader) watch(
	ctx context.Context,
	node topology.Node,
) (watched context.Context, heard, stop func()) {
	watched, cancel := context.WithCancelCause(ctx)
	var sent atomic.Int64
	var watching sync.WaitGroup
	if node.Up {
		watching.Go(func() {
			since, known := time.Now(), int64(0)
			for pace.Sleep(watched, s.patience/looksOfPatience) == nil {
				switch now := sent.Load(); {
				case now != known:
					since, known = time.Now(), now
				case s.t.Ping(watched, node.ID) == nil:
					since = time.Now()
				case time.Since(since) >= s.patience:
					cancel(fmt.Errorf("%w for %s (--patience)", errSilent, s.patience))
				}
			}
		})
	}
	return watched, func() { sent.Add(1) }, func() {
		cancel(nil)
		watching.Wait()
	}
}
