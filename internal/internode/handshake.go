package internode

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"net/netip"
)

// The supported versions of the messaging protocol (MessagingService.Version). Version 12 is that
// of Cassandra 4.0 and 4.1, and of 5.0 while its storage_compatibility_mode is CASSANDRA_4, the
// default. Version 13 is that of 5.0 otherwise.
const (
	minVersion = 12
	maxVersion = 13
)

const (
	magic = 0xca552dfa // Message.PROTOCOL_MAGIC
	// flagStreaming is ConnectionType.STREAMING, in its position among the flags.
	flagStreaming = 1 << 3
	// flagMessages are the flags of a connection for messages that say which messages it is for.
	// flagLZ4 and flagCRC are its framing.
	flagMessages, flagLZ4, flagCRC = 3, 1 << 2, 1 << 4
	// answerLen is the length of an answer.
	answerLen = 12
)

// checksum returns the CRC-32 that protects handshakes. Crc.java begins it with these bytes.
func checksum(b []byte) uint32 {
	return crc32.Update(crc32.ChecksumIEEE([]byte{0xfa, 0x2d, 0x55, 0xca}), crc32.IEEETable, b)
}

// Offer is the first message of a connection, from the side that opened it
// (HandshakeProtocol.Initiate).
type Offer struct {
	// Use is the preferred version of the side, Min and Max the range that it speaks.
	Use, Min, Max int
	// From is the address of the side, and the port at which others would reach it.
	From netip.AddrPort
	// Messages is which messages a connection is for; 0: it is for streaming.
	Messages Messages
	// Framing is that of messages; 0: a connection for streaming.
	Framing Framing
}

// Messages is a kind of connection for messages (ConnectionType).
type Messages uint8

// The kinds of connections. Gossip is urgent, unless a message is long.
const (
	Urgent Messages = 1
	Small  Messages = 2
	Large  Messages = 3
)

// flags returns the flags of the kind of connection.
func (o Offer) flags() uint32 {
	if o.Messages == 0 {
		return flagStreaming
	}
	flags := uint32(o.Messages)
	switch o.Framing {
	case LZ4:
		flags |= flagLZ4
	case CRC:
		flags |= flagCRC
	}
	return flags
}

// AppendOffer appends an Offer.
func AppendOffer(dst []byte, o Offer) []byte {
	at := len(dst)
	dst = binary.BigEndian.AppendUint32(dst, magic)
	dst = binary.BigEndian.AppendUint32(
		dst,
		o.flags()|uint32(o.Use)<<8|uint32(o.Min)<<16|uint32(o.Max)<<24,
	)
	dst = appendAddress(dst, o.From)
	return binary.BigEndian.AppendUint32(dst, checksum(dst[at:]))
}

// ReadOffer reads an Offer.
func ReadOffer(r io.Reader) (Offer, error) {
	d := newDecoder(r)
	var raw []byte
	d.raw = &raw
	if m := d.u32(); m != magic {
		d.fail("a handshake that begins with 0x%08x", m)
	}
	flags := d.u32()
	o := Offer{Use: int(flags >> 8 & 0xff), Min: int(flags >> 16 & 0xff), Max: int(flags >> 24)}
	o.Messages = Messages(flags & flagMessages)
	switch flags & (flagLZ4 | flagCRC) {
	case flagLZ4:
		o.Framing = LZ4
	case flagCRC:
		o.Framing = CRC
	}
	if kind := flags & 0xff; kind != o.flags() {
		d.fail("a handshake with flags 0x%02x, neither for streaming nor for messages", kind)
	}
	o.From = d.address()
	want := checksum(raw)
	if got := d.u32(); got != want {
		d.fail("a handshake whose checksum is 0x%08x, not 0x%08x", got, want)
	}
	return o, d.err
}

// Answer is the other side's answer to an [Offer] (HandshakeProtocol.Accept).
type Answer struct {
	// Max is the latest version that it speaks, Use the one of this connection. If Use is not in
	// the offered range, there is no connection.
	Max, Use int
}

// AppendAnswer appends an Answer.
func AppendAnswer(dst []byte, a Answer) []byte {
	at := len(dst)
	dst = appendI32(appendI32(dst, int32(a.Max)), int32(a.Use))
	return binary.BigEndian.AppendUint32(dst, checksum(dst[at:]))
}

// ReadAnswer reads an Answer.
func ReadAnswer(r io.Reader) (Answer, error) {
	d := newDecoder(r)
	b := d.fixed(answerLen)
	if d.err == nil {
		if got, want := binary.BigEndian.Uint32(b[8:]), checksum(b[:8]); got != want {
			d.fail("an answer to the handshake whose checksum is 0x%08x, not 0x%08x", got, want)
		}
	}
	return Answer{
		Max: int(int32(binary.BigEndian.Uint32(b))),
		Use: int(int32(binary.BigEndian.Uint32(b[4:]))),
	}, d.err
}

// check returns an error if the version of the answer was not offered.
func (a Answer) check() error {
	if a.Use < minVersion || a.Use > maxVersion {
		return fmt.Errorf(
			"the node speaks version %d of the internode protocol, up to %d; versions %d to %d, of Cassandra 4.0 to 5.0, are spoken here",
			a.Use,
			a.Max,
			minVersion,
			maxVersion,
		)
	}
	return nil
}
