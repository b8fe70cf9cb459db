package streamed

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
	"github.com/cqlbulk/cqlbulk/pkg/sstable/component"
	"github.com/cqlbulk/cqlbulk/pkg/sstable/tablefile"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// hold asks a node for ranges in one session, and returns the spool with what it sent.
func (s *reader) hold(
	ctx context.Context,
	node topology.Node,
	ranges []token.Range,
	most int64,
) (*spool, error) {
	address := s.ring.addresses[node.ID]
	if address == "" {
		return nil, fmt.Errorf("node %s does not report its storage port", node.Address)
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

// session receives the files of one session with a node.
type session struct {
	spool    *spool
	node     string
	heard    func()
	receipt  *progress.Receipt
	received atomic.Int64 // bytes of this session
}

// count counts received bytes.
func (s *session) count(n int) {
	s.heard()
	s.received.Add(int64(n))
	s.receipt.Received.Add(int64(n))
}

// receive writes a file to the spool as it comes. It refuses what is no SSTable.
func (s *session) receive(_ context.Context, d *internode.Delivery) error {
	s.heard()
	version, err := component.ParseVersion(d.Version)
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
		component.Descriptor{Version: version, ID: strconv.Itoa(d.Sequence + 1)},
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
	case err != nil: // an error of the node is returned by the session
		return &spoolError{s.spool.dir, err}
	}
	for _, c := range d.Manifest { // for an entire SSTable, the node announced all components
		if c.Name != string(component.DataDB) {
			s.count(int(c.Size))
		}
	}
	s.spool.add(table)
	return nil
}

// chunkSums checks the chunks of a compressed file against their checksums as they come. Nodes send
// chunks without checking them: a damaged one would be read as data, and another replica may have
// it whole.
type chunkSums struct {
	file   string
	chunks []internode.Chunk // those that are not complete
	at     int               // bytes received of the first of them, with its checksum
	sum    uint32            // of these bytes
	stored [internode.ChunkSumLen]byte
	err    error
}

// Write takes bytes of the file. It ignores bytes after the last chunk.
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

// sectionsOf returns which parts of an SSTable a delivery has.
func sectionsOf(d *internode.Delivery) (of tablefile.Sections) {
	for _, s := range d.Sections {
		of.Sections = append(of.Sections, tablefile.Section{From: uint64(s.From), To: uint64(s.To)})
	}
	if c := d.Compression; c != nil {
		of.Compression = component.Compression{
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

// errSilent ends a session with a node that neither sends bytes nor answers by CQL.
var errSilent = errors.New("nothing was heard of the node")

// looksOfPatience is how often a node's silence is checked within its patience.
const looksOfPatience = 4

// How long a session waits for a node that answers by CQL, in multiples of the patience.
const (
	// patienceWithFlush is the wait for the list of files. The node flushes the table first, which
	// takes minutes on busy disks.
	patienceWithFlush = 10
	// patienceWithFiles is the wait for the next file, or the next bytes of one. A node sends as
	// many files at a time as it has processors, so a file may wait minutes behind those of a
	// repair.
	patienceWithFiles = 5
)

// timeouts returns the timeouts of a session.
func (s *reader) timeouts() internode.Timeouts {
	return internode.Timeouts{
		Prepare: patienceWithFlush * s.patience,
		Bring:   patienceWithFiles * s.patience,
		Stall:   patienceWithFiles * s.patience,
	}
}

// watch returns the context of a session. It is canceled when the node has been silent for the
// patience: it sent nothing, and did not answer by CQL. The caller calls heard when bytes come, and
// stop at the end of the session. A node that was down already is not watched; the session's
// timeouts apply to it alone.
func (s *reader) watch(
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
