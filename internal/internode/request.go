package internode

import (
	"net/netip"

	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// tokenLen is the length of a token of Murmur3Partitioner, the only one supported.
const tokenLen = 8

// Request asks a node for what it has of ranges of one table (StreamRequest). Each request flushes
// the table, even one for a preview, so one request has many ranges.
type Request struct {
	Keyspace, Table string
	// From is the address of the client, as in the handshake.
	From netip.AddrPort
	// Ranges are ranges of Murmur3 tokens. One that ends where it starts is the whole ring.
	Ranges []token.Range
	// Most is the number of bytes that the node may announce; 0: any number. If it announces more,
	// the session ends before a file comes, with an *AnnouncedError of Kind TooMuch. Most is not
	// sent.
	Most int64
}

func (m Request) append(dst []byte) []byte {
	dst = appendI32(appendText(dst, m.Keyspace), 1) // table
	dst = appendI32(appendAddress(dst, m.From), int32(len(m.Ranges)))
	for _, r := range m.Ranges {
		dst = appendToken(appendToken(dst, r.Start), r.End)
	}
	dst = appendI32(dst, 0) // ranges of transient replicas
	return appendText(dst, m.Table)
}

func appendToken(dst []byte, t token.Token) []byte {
	return token.Murmur3.AppendWire(appendI32(dst, tokenLen), t)
}

func (d *decoder) request() Request {
	m := Request{Keyspace: d.text()}
	d.want("tables", 1) // without a table, it would be all of the keyspace
	m.From = d.address()
	for n := d.number("ranges"); n > 0 && d.err == nil; n-- {
		m.Ranges = append(m.Ranges, token.Range{Start: d.token(), End: d.token()})
	}
	d.want("transient ranges", 0)
	m.Table = d.text()
	return m
}

func (d *decoder) token() token.Token {
	d.want("a token's bytes", tokenLen)
	t, _ := token.Murmur3.ReadWire(d.fixed(tokenLen)) // any eight bytes are a token
	return t
}
