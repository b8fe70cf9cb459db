package cqltext

import (
	"errors"
	"net/netip"

	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
	"github.com/cqlbulk/cqlbulk/pkg/cqlwire"
)

// inetCodec is the codec of inet: an address of 4 or 16 bytes. The text keeps the width:
// ::ffff:1.2.3.4 has 16 bytes.
var inetCodec = scalar{
	wire:   cqlwire.Scalar(cqltype.Inet),
	quoted: true,
	format: formatInet,
	parse:  parseInet,
}

var (
	errNotInet  = errors.New("not an IPv4 or IPv6 address")
	errInetZone = errors.New("an address cannot have a zone")
)

// maxInetText exceeds the length of the longest address.
const maxInetText = 64

func formatInet(dst, wire []byte) ([]byte, bool) {
	a, _ := netip.AddrFromSlice(wire)
	return a.AppendTo(dst), true
}

func parseInet(dst, text []byte) ([]byte, error) {
	for _, c := range text {
		if c == '%' {
			return dst, errInetZone
		}
	}
	if len(text) > maxInetText {
		return dst, errNotInet
	}
	a, err := netip.ParseAddr(view(text))
	if err != nil {
		return dst, errNotInet
	}
	if a.Is4() {
		b := a.As4()
		return append(dst, b[:]...), nil
	}
	b := a.As16()
	return append(dst, b[:]...), nil
}
