package driver

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"time"
)

// frameChecker reads the frames of a connection and passes on those that are complete and make
// sense. The driver library trusts them. A frame that ends early, or unexpected metadata, makes it
// panic, some in goroutines of its own. It also allocates whatever a length claims, up to 256 MiB,
// before the bytes have come. After a damaged frame the connection ends, and its requests fail
// without an answer.
//
// It checks what the library does not recover from: the header, what comes before the message, and
// the messages SUPPORTED and RESULT. Rows are not copied: it checks the lengths of their cells on
// the way into the library's own buffer. If a frame has more than the trusted length after the
// metadata (pageLimit.trustedLength), it is held until all of it has come. So a length alone costs
// no more memory than that, and bytes that come cost three times their size. The source is the
// native protocol specification, version 4.
//
// It drops pages of users' tables that are too large: see pageLimit.
//
// It hides the types of some columns from the library: see frameBody.columnType.
type frameChecker struct {
	conn      net.Conn
	in        *bufio.Reader
	wait      time.Duration
	pageLimit *pageLimit // of pages

	begun    bool      // a frame has begun: the rest is waited for no longer than wait
	ready    []byte    // checked bytes, to be passed on
	buffer   []byte    // memory of ready
	body     io.Reader // reader of the rest
	inflater *inflater // the same reader, if the frame is compressed; else nil
	rest     int       // bytes of the body after ready
	rows     cells     // in the rest
	err      error     // final

	node          string          // address
	lz4           *compression    // of the session
	warnings      *serverWarnings // of the session
	optionsSent   time.Time       // when OPTIONS was last sent
	compressed    bool            // frames may be compressed
	readies       int             // number of READY answers: for requests, and then for events
	supportedSeen bool            // the first SUPPORTED has been seen
	metadataID    bool            // the node has ScyllaDB's extension that adds an id to metadata
}

const (
	// headerSize is the length of a frame's header: version, flags, stream, opcode, length (section
	// 2).
	headerSize = 9
	wholeAbove = 1 << 20
	// frameBuffer is the size of the buffer of a connection. There may be thousands of connections.
	// Larger bodies bypass it.
	frameBuffer = 1 << 10
	// largestFrame is the largest frame that the library accepts.
	largestFrame = 256 << 20
)

// Opcodes of answers.
const (
	opError       = 0x00
	opReady       = 0x02
	opSupported   = 0x06
	opResult      = 0x08
	opEvent       = 0x0c
	opAuthSuccess = 0x10
)

func newFrameChecker(conn net.Conn, wait time.Duration, room *pageLimit) *frameChecker {
	g := &frameChecker{conn: conn, wait: wait, pageLimit: room, optionsSent: time.Now()}
	g.in = bufio.NewReaderSize((*connReader)(g), frameBuffer)
	return g
}

// connReader reads from the connection. The library sets no deadline while it waits for a frame to
// begin. Once one has begun, connReader sets a deadline.
type connReader frameChecker

func (s *connReader) Read(p []byte) (int, error) {
	if s.begun && s.wait > 0 {
		if err := s.conn.SetReadDeadline(time.Now().Add(s.wait)); err != nil {
			return 0, err
		}
	}
	return s.conn.Read(p)
}

// Read returns the next bytes of frames.
func (g *frameChecker) Read(p []byte) (int, error) {
	if len(g.ready) == 0 && g.rest == 0 {
		if err := g.next(); err != nil {
			return 0, err
		}
	}
	if len(g.ready) > 0 {
		n := copy(p, g.ready)
		g.ready = g.ready[n:]
		return n, nil
	}
	n, err := g.body.Read(p[:min(len(p), g.rest)])
	g.rest -= n
	damage := g.rows.pass(p[:n])
	if damage == nil && g.inflater != nil {
		damage = g.inflater.err
	}
	if damage != nil {
		g.err, g.rest, n, err = damage, 0, 0, damage
	}
	g.release()
	return n, err
}

// release frees the memory for a compressed frame that was read to its end.
func (g *frameChecker) release() {
	if g.inflater != nil && g.rest == 0 {
		g.inflater.release()
		g.inflater = nil
	}
}

// next reads and checks the next frame up to its rows.
func (g *frameChecker) next() error {
	if g.err != nil {
		return g.err
	}
	first, err := g.in.ReadByte()
	if err != nil {
		return err // no frame has begun: the library may wait again
	}
	g.begun = true
	if g.err = g.readFrame(first); g.err != nil {
		g.ready, g.rest = nil, 0
	}
	g.begun = false
	g.release()
	return g.err
}

// wrongFrame is an error in a frame.
type wrongFrame string

func (e wrongFrame) Error() string { return string(e) }

func protocolError(format string, args ...any) error {
	return wrongFrame(fmt.Sprintf("protocol error of the node: "+format, args...))
}

// interrupted is the error of a connection that ends within a frame. It does not wrap the cause:
// the library takes a deadline's error for that of an idle connection.
func interrupted(err error) error {
	var wrong wrongFrame
	if errors.As(err, &wrong) {
		return wrong
	}
	return errors.New("the connection ended within a frame: " + err.Error())
}

func (g *frameChecker) readFrame(first byte) error {
	a := frameBody{
		in:         g.in,
		left:       headerSize - 1,
		read:       append(g.buffer[:0], first),
		metadataID: g.metadataID,
	}
	a.take(headerSize - 1)
	if a.err != nil {
		return a.err
	}
	header := a.read
	length := binary.BigEndian.Uint32(header[5:])
	if err := g.checkHeader(header, length); err != nil {
		return err
	}
	if header[4] == opSupported && !g.supportedSeen {
		if g.lz4.addRoundTrip(g.node, time.Since(g.optionsSent)) {
			return g.repeatOptions(header, int64(length))
		}
		a.hideLZ4 = !g.lz4.compresses(g.node)
	}
	g.body = g.in
	if header[1]&compressedFlag != 0 {
		var err error
		if g.inflater, err = newInflater(g.in, int(length)); err != nil {
			return err
		}
		g.body, length = g.inflater, uint32(g.inflater.want)
		header[1] &^= compressedFlag
	}
	a.in = g.body
	switch header[4] {
	case opReady, opAuthSuccess:
		g.readies++
	case opEvent:
		if g.readies < 2 {
			// The library has no connection yet to read the change with.
			return protocolError("an event that was not asked for")
		}
	}
	a.left = int(length)
	a.body(header[0]&0x7f, header[1], header[4])
	if a.err != nil {
		return a.err
	}
	if g.warnings != nil {
		g.warnings.add(g.node, a.warnings)
	}
	if a.options != nil && !g.supportedSeen {
		g.supportedSeen, g.metadataID = true, a.options.metadataID
		g.compressed = a.options.lz4 && !a.hideLZ4
		g.lz4.setCompressed(g.node, g.compressed)
	}
	// Hidden types have another length than before.
	binary.BigEndian.PutUint32(a.read[5:], uint32(len(a.read)-headerSize+a.left))
	g.rows, g.rest = a.rows, a.left
	g.ready = a.read
	if cap(a.read) <= wholeAbove {
		g.buffer = a.read
	}
	if a.userTable && !g.pageLimit.allows(g.rest) {
		return g.refusePage(header)
	}
	if g.rest <= g.pageLimit.trustedLength() {
		return nil
	}
	whole := bytes.NewBuffer(a.read)
	g.buffer = nil
	if _, err := io.CopyN(whole, g.body, int64(g.rest)); err != nil {
		return interrupted(err)
	}
	g.ready, g.rest = whole.Bytes(), 0
	return g.rows.pass(g.ready[len(a.read):])
}

// repeatOptions drops a SUPPORTED that came late, sends OPTIONS again, and reads the new answer
// instead. The library sends nothing meanwhile.
func (g *frameChecker) repeatOptions(header []byte, length int64) error {
	const opOptions = 0x05
	request := []byte{header[0] &^ fromServer, 0, header[2], header[3], opOptions, 0, 0, 0, 0}
	if _, err := io.CopyN(io.Discard, g.in, length); err != nil {
		return interrupted(err)
	}
	g.optionsSent = time.Now()
	if _, err := g.conn.Write(request); err != nil {
		return interrupted(err)
	}
	first, err := g.in.ReadByte()
	if err != nil {
		return interrupted(err)
	}
	return g.readFrame(first)
}

// refusePage drops the rest of a page, and puts an error in its place.
func (g *frameChecker) refusePage(header []byte) error {
	size := g.rest
	g.ready, g.rest, g.rows = refusalFrame(header, size), 0, cells{}
	var err error
	if g.inflater != nil {
		err = g.inflater.skip()
	} else {
		_, err = io.CopyN(io.Discard, g.in, int64(size))
	}
	if err != nil {
		return interrupted(err)
	}
	return nil
}

// compressedFlag marks a frame whose body is compressed.
const compressedFlag = 0x01

func (g *frameChecker) checkHeader(header []byte, length uint32) error {
	stream, event := int16(binary.BigEndian.Uint16(header[2:])), header[4] == opEvent
	switch version := header[0] &^ fromServer; {
	case header[0]&fromServer == 0, version < 3, version > 4:
		return protocolError("unsupported protocol version %#x", header[0])
	case header[1]&compressedFlag != 0 && !g.compressed:
		return protocolError("a compressed frame, which was not asked for")
	case event != (stream == -1):
		return protocolError("opcode %#x on stream %d", header[4], stream)
	case length > largestFrame:
		return protocolError("a frame of %d bytes", length)
	}
	return nil
}

// cells follows the cells of rows while their bytes pass in parts. Together they fill the rest of
// the frame.
type cells struct {
	count int // cells whose length has not come
	left  int // bytes that have not come
	skip  int // bytes of the current cell that have not come
	part  [4]byte
	got   int // bytes in part, the beginning of a length
}

func (c *cells) pass(b []byte) error {
	if c.skip >= len(b) || c.skip == 0 && c.count == 0 { // the latter is a message without rows
		c.skip, c.left = max(c.skip-len(b), 0), c.left-len(b)
		return nil
	}
	at := c.skip
	c.skip = 0
	if c.got > 0 {
		n := copy(c.part[c.got:], b)
		if c.got += n; c.got < len(c.part) {
			c.left -= n
			return nil
		}
		at, c.got = n+c.size(c.part[:]), 0
		if !c.fits(at) {
			return errCells
		}
	}
	for c.count > 0 && at+4 <= len(b) {
		at += 4 + c.size(b[at:])
		if !c.fits(at) {
			return errCells
		}
	}
	if c.count > 0 && at < len(b) {
		c.got = copy(c.part[:], b[at:])
		at = len(b)
	}
	c.skip, c.left = max(at-len(b), 0), c.left-len(b)
	return nil
}

var errCells = protocolError("the cells of its rows do not fit a frame")

// size returns the length of the next cell, 0 for null.
func (c *cells) size(length []byte) int {
	c.count--
	return max(int(int32(binary.BigEndian.Uint32(length))), 0)
}

// fits reports whether the current cell may end at an offset from the bytes that have come. Each
// cell after it has at least four bytes, and after the last there is nothing.
func (c *cells) fits(at int) bool {
	spare := c.left - at - 4*c.count
	return spare == 0 || spare > 0 && c.count > 0
}
