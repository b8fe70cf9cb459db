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

// frameChecker reads the frames of a connection and hands those on that are whole and make
// sense. The driver library trusts them: a frame that ends early, or metadata that it
// does not expect, make it panic, some in goroutines of its own, and it allocates
// what a length promises, up to 256 MiB, before the bytes are there. After a
// frame that is damaged the connection ends, and its requests fail without an answer.
//
// What is checked is what the library does not recover from: the header, what comes
// before the message, and of the messages SUPPORTED and RESULT. Rows are not
// copied: the lengths of their cells are looked at on the way into the library's own
// buffer. A frame with more after the metadata than is trusted (room.trusted) is held until it
// is there; so a length alone costs no more than that, and what comes costs three times
// its size. The source is the native protocol specification, version 4.
//
// A page of a user's table that there is no room for is dropped: see room.
//
// The types of some columns are hidden from the library: see answer.typ.
type frameChecker struct {
	conn      net.Conn
	in        *bufio.Reader
	wait      time.Duration
	pageLimit *pageLimit // for pages

	begun    bool      // a frame has: the rest of it is waited for no longer than wait
	ready    []byte    // checked, to be handed on
	buffer   []byte    // memory for that
	body     io.Reader // what the rest is read from
	inflater *inflater // the same, of a frame that is compressed; else nil
	rest     int       // how much of the body follows that
	rows     cells     // in the rest
	err      error     // the end

	node          string       // its address
	lz4           *compression // of the session
	optionsSent   time.Time    // when the node was last asked what it supports
	compressed    bool         // frames may be compressed
	readies       int          // how often the node was ready: for requests, and then to send events
	supportedSeen bool         // the first SUPPORTED has been seen
	metadataID    bool         // and with it the extension of ScyllaDB's that adds an id to metadata
}

const (
	// headerSize is the length of a frame's header: version, flags, stream, opcode,
	// length (section 2).
	headerSize = 9
	wholeAbove = 1 << 20
	// frameBuffer is the size of the buffer of a connection. There may be thousands of connections.
	// Bodies that are larger go past it.
	frameBuffer = 1 << 10
	// largestFrame is the largest that the library takes.
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

// connReader reads from the connection. The library sets no deadline while it waits for
// a frame to begin; once it has, there is one.
type connReader frameChecker

func (s *connReader) Read(p []byte) (int, error) {
	if s.begun && s.wait > 0 {
		if err := s.conn.SetReadDeadline(time.Now().Add(s.wait)); err != nil {
			return 0, err
		}
	}
	return s.conn.Read(p)
}

// Read gives the next bytes of frames.
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

// release gives back the memory for a compressed frame that is over.
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
		return err // nothing has begun: the library may wait on
	}
	g.begun = true
	if g.err = g.readFrame(first); g.err != nil {
		g.ready, g.rest = nil, 0
	}
	g.begun = false
	g.release()
	return g.err
}

// wrongFrame is what is wrong with a frame.
type wrongFrame string

func (e wrongFrame) Error() string { return string(e) }

func protocolError(format string, args ...any) error {
	return wrongFrame(fmt.Sprintf("protocol error of the node: "+format, args...))
}

// interrupted is the end of a connection within a frame. It does not wrap the error: that
// of a deadline is taken for one of a connection at rest.
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
			// The library has no connection yet to look with.
			return protocolError("an event that was not asked for")
		}
	}
	a.left = int(length)
	a.body(header[0]&0x7f, header[1], header[4])
	if a.err != nil {
		return a.err
	}
	if a.options != nil && !g.supportedSeen {
		g.supportedSeen, g.metadataID = true, a.options.metadataID
		g.compressed = a.options.lz4 && !a.hideLZ4
		g.lz4.setCompressed(g.node, g.compressed)
	}
	// Types that are hidden are shorter than they were.
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

// repeatOptions drops a SUPPORTED that came late, asks the same again, and reads that answer in its
// place. The library sends nothing meanwhile.
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

// cells follows the cells of rows through the pieces that they come in. The sizes
// of all of them make up the rest of the frame.
type cells struct {
	count int // cells whose length has not come yet
	left  int // bytes that have not come yet
	skip  int // bytes of the present cell that have not come yet
	part  [4]byte
	got   int // bytes in part, the beginning of a length
}

func (c *cells) pass(b []byte) error {
	if c.skip >= len(b) || c.skip == 0 && c.count == 0 { // the latter: a message without rows
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

// size takes the length of the next cell, null having none.
func (c *cells) size(length []byte) int {
	c.count--
	return max(int(int32(binary.BigEndian.Uint32(length))), 0)
}

// fits says whether the present cell may end at an offset from what has come: each
// cell after it has four bytes at least, and after the last there is nothing.
func (c *cells) fits(at int) bool {
	spare := c.left - at - 4*c.count
	return spare == 0 || spare > 0 && c.count > 0
}
