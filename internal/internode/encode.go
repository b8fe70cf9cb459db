package internode

import (
	"encoding/binary"
	"net/netip"

	"github.com/cqlbulk/cqlbulk/pkg/cqlwire"
)

func appendText(dst []byte, s string) []byte {
	return append(binary.BigEndian.AppendUint16(dst, uint16(len(s))), s...)
}

func appendI32(dst []byte, v int32) []byte { return binary.BigEndian.AppendUint32(dst, uint32(v)) }
func appendI64(dst []byte, v int64) []byte { return binary.BigEndian.AppendUint64(dst, uint64(v)) }

func appendBool(dst []byte, v bool) []byte {
	if v {
		return append(dst, 1)
	}
	return append(dst, 0)
}

func appendVB(dst, b []byte) []byte {
	return append(cqlwire.AppendUvint(dst, uint64(len(b))), b...)
}

// appendAddress appends an address as the serializer of InetAddressAndPort in Cassandra 4.0 does:
// length, address, port.
func appendAddress(dst []byte, a netip.AddrPort) []byte {
	ip := a.Addr().AsSlice()
	dst = append(append(dst, byte(len(ip)+2)), ip...)
	return binary.BigEndian.AppendUint16(dst, a.Port())
}
