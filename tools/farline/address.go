package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"net/netip"

	"github.com/pierrec/lz4/v4"
)

// readdress replaces a node's address, where it is a value in the node's answers, by the line's. A
// client then connects to the line for everything. The value is of type inet, after its length.
// Rows of the table may have the same bytes, so only the frames at the beginning of a connection
// are changed. A client asks for nodes there.
type readdress struct {
	from, to []byte
}

const (
	// changed is the number of bytes of a connection whose frames are changed.
	changed = 256 << 10
	// frameHeader is the length of a frame's header: version, flags, stream, opcode, length of the
	// body (native protocol version 4, section 2).
	frameHeader = 9
	// compressed is the flag of a frame whose body is compressed.
	compressed = 1
)

// newReaddress returns a readdress from a node's address to a line's.
func newReaddress(node, line netip.Addr) (readdress, error) {
	if !node.Is4() || !line.Is4() {
		return readdress{}, fmt.Errorf(
			"-listen and -node: %s and %s must be IPv4 addresses",
			line,
			node,
		)
	}
	value := func(a netip.Addr) []byte { return append([]byte{0, 0, 0, 4}, a.AsSlice()...) }
	return readdress{from: value(node), to: value(line)}, nil
}

// reader returns a reader of the node's answers with the address replaced.
func (r readdress) reader(node io.Reader) io.Reader {
	return &answers{readdress: r, node: node, left: changed}
}

// answers reads a node's answers, frame by frame at first.
type answers struct {
	readdress
	node io.Reader
	left int    // bytes of the connection whose frames are still to be changed
	out  []byte // of the present frame, not read yet
}

func (a *answers) Read(p []byte) (int, error) {
	if len(a.out) == 0 {
		if a.left <= 0 {
			return a.node.Read(p)
		}
		if err := a.frame(); err != nil {
			return 0, err
		}
	}
	n := copy(p, a.out)
	a.out = a.out[n:]
	return n, nil
}

// frame reads a frame. A large one is no answer about nodes.
func (a *answers) frame() error {
	header := make([]byte, frameHeader)
	if _, err := io.ReadFull(a.node, header); err != nil {
		return err
	}
	size := int(binary.BigEndian.Uint32(header[frameHeader-4:]))
	a.left -= frameHeader + size
	if size > changed {
		a.out = header
		return nil
	}
	body := make([]byte, size)
	if _, err := io.ReadFull(a.node, body); err != nil {
		return err
	}
	plain := body
	if header[1]&compressed != 0 {
		var err error
		if plain, err = inflate(body); err != nil {
			return err
		}
	}
	if bytes.Contains(plain, a.from) {
		body = bytes.ReplaceAll(plain, a.from, a.to)
		header[1] &^= compressed
		// no larger than changed
		binary.BigEndian.PutUint32(header[frameHeader-4:], uint32(len(body))) //nolint:gosec
	}
	a.out = append(header, body...)
	return nil
}

// inflate returns the body of a frame that is compressed by LZ4: its length, then a block.
func inflate(body []byte) ([]byte, error) {
	if len(body) < 4 {
		return nil, io.ErrUnexpectedEOF
	}
	size := binary.BigEndian.Uint32(body)
	if size > changed {
		return body, nil
	}
	plain := make([]byte, size)
	if size == 0 {
		return plain, nil
	}
	_, err := lz4.UncompressBlock(body[4:], plain)
	return plain, err
}
