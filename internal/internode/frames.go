package internode

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/pierrec/lz4/v4"
)

// Framing is how the messages of a connection are put into frames
// (OutboundConnectionSettings.Framing). The side that opens the connection chooses it.
type Framing uint8

// The framings. Connections for streaming have no frames, and are announced as Unprotected.
const (
	Unprotected Framing = 0 // a frame has no checksum of its payload (FrameDecoderUnprotected)
	LZ4         Framing = 1 // a payload is compressed (FrameDecoderLZ4)
	CRC         Framing = 2 // FrameDecoderCrc
)

const (
	// maxFrame is one byte more than the largest payload of a frame.
	maxFrame = 1 << 17
	// frameAlone is the bit in the head of a frame without a part of a message.
	frameAlone = 1 << 17
	// lz4Alone is the same bit of the longer head of a compressed frame.
	lz4Alone = 1 << 34
)

// checksum24 returns the CRC-24 of the n lowest bytes of a frame's head (Crc.crc24).
func checksum24(head uint64, n int) uint32 {
	const start, polynomial = 0x875060, 0x1974f0b
	sum := uint32(start)
	for ; n > 0; n-- {
		sum ^= uint32(head&0xff) << 16
		head >>= 8
		for range 8 {
			if sum <<= 1; sum&(1<<24) != 0 {
				sum ^= polynomial
			}
		}
	}
	return sum
}

// appendFrame appends bytes as a frame of the framing CRC. alone says that they are whole messages,
// and not a part of one.
func appendFrame(dst, payload []byte, alone bool) []byte {
	head := uint64(len(payload))
	if alone {
		head |= frameAlone
	}
	head |= uint64(checksum24(head, 3)) << 24
	for i := range 6 {
		dst = append(dst, byte(head>>(8*i)))
	}
	dst = append(dst, payload...)
	return binary.LittleEndian.AppendUint32(dst, checksum(payload))
}

// AppendFrames appends a message in frames of the framing CRC.
func AppendFrames(dst, message []byte) []byte {
	alone := len(message) < maxFrame
	for len(message) > 0 {
		n := min(len(message), maxFrame-1)
		dst = appendFrame(dst, message[:n], alone)
		message = message[n:]
	}
	return dst
}

// Frames reads the messages in the frames of a connection, one after another. Its errors are those
// of the reader below it (io.ErrUnexpectedEOF if that ends within a frame), or say what is wrong
// with a frame.
type Frames struct {
	r       io.Reader
	framing Framing
	room    []byte
	plain   []byte // what is left of the current frame
	out     []byte // buffer of decompressed bytes
}

// NewFrames reads frames of a framing.
func NewFrames(r io.Reader, framing Framing) *Frames { return &Frames{r: r, framing: framing} }

// Read reads bytes of messages.
func (f *Frames) Read(p []byte) (int, error) {
	for len(f.plain) == 0 {
		if err := f.next(); err != nil {
			return 0, err
		}
	}
	n := copy(p, f.plain)
	f.plain = f.plain[n:]
	return n, nil
}

// next reads a frame.
func (f *Frames) next() error {
	length, summed, trailer := 6, 3, 4
	switch f.framing {
	case LZ4:
		length, summed = 8, 5
	case Unprotected:
		trailer = 0
	}
	var raw [8]byte
	if _, err := io.ReadFull(f.r, raw[:length]); err != nil {
		return err
	}
	head := binary.LittleEndian.Uint64(raw[:])
	if got, want := uint32(head>>(8*summed))&0xffffff, checksum24(head, summed); got != want {
		return fmt.Errorf(
			"%w: a frame's head whose checksum is 0x%06x, not 0x%06x",
			errMalformed,
			got,
			want,
		)
	}
	size := int(head & (maxFrame - 1))
	if f.room == nil {
		f.room = make([]byte, maxFrame+4)
	}
	body := f.room[:size+trailer]
	if _, err := io.ReadFull(f.r, body); err != nil {
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return err
	}
	payload := body[:size]
	if trailer > 0 {
		if got, want := binary.LittleEndian.Uint32(body[size:]), checksum(payload); got != want {
			return fmt.Errorf(
				"%w: a frame whose checksum is 0x%08x, not 0x%08x",
				errMalformed,
				got,
				want,
			)
		}
	}
	f.plain = payload
	if plain := int(head>>17) & (maxFrame - 1); f.framing == LZ4 && plain > 0 {
		return f.unpack(payload, plain)
	}
	return nil
}

// unpack decompresses a payload.
func (f *Frames) unpack(payload []byte, size int) error {
	if f.out == nil {
		f.out = make([]byte, maxFrame)
	}
	n, err := lz4.UncompressBlock(payload, f.out[:size])
	if err != nil || n != size {
		f.plain = nil
		return fmt.Errorf(
			"%w: a compressed frame that is not the %d bytes it should be",
			errMalformed,
			size,
		)
	}
	f.plain = f.out[:n]
	return nil
}
