package simcluster

import (
	"encoding/binary"
	"hash/crc32"
	"hash/fnv"

	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// position is the place in the answer of a statement that a paging state stands for: after a row,
// after a whole partition, or, before all rows, at the start. It names the row by its key and not
// by a number. So it means the same on every node, later, and after rows have been written.
type position struct {
	statement uint64 // hash of the statement and its values
	start     bool
	at        token.Token
	raw       []byte   // partition key
	cluster   [][]byte // the last row's; nil: the partition is done
}

const errPagingState = said("Invalid value for the paging state")

// encode gives the state's bytes, with a checksum at their end.
func (p position) encode() []byte {
	b := binary.BigEndian.AppendUint64([]byte{1}, p.statement)
	if p.start {
		b = append(b, 0)
	} else {
		b = append(b, 1)
		b = binary.BigEndian.AppendUint64(b, p.at.Lo)
		b = appendBytes(b, p.raw)
		if p.cluster != nil {
			b = append(b, 1)
			for _, c := range p.cluster {
				b = appendBytes(b, c)
			}
		}
	}
	return binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b))
}

func appendBytes(b, v []byte) []byte {
	return append(binary.BigEndian.AppendUint32(b, uint32(len(v))), v...)
}

// decodePosition reads a state that was made for a statement of a table with that number of
// clustering columns.
func decodePosition(b []byte, statement uint64, clusters int) (position, error) {
	p := position{statement: statement}
	if len(b) < 14 || b[0] != 1 {
		return p, errPagingState
	}
	body, sum := b[:len(b)-4], binary.BigEndian.Uint32(b[len(b)-4:])
	if crc32.ChecksumIEEE(body) != sum || binary.BigEndian.Uint64(body[1:]) != statement {
		return p, errPagingState
	}
	rest := body[10:]
	if p.start = body[9] == 0; p.start {
		return p, nil
	}
	p.at = token.Token{Lo: binary.BigEndian.Uint64(rest)}
	p.raw, rest = cutBytes(rest[8:])
	if len(rest) > 0 {
		p.cluster = [][]byte{}
		rest = rest[1:]
		for range clusters {
			var c []byte
			c, rest = cutBytes(rest)
			p.cluster = append(p.cluster, c)
		}
	}
	return p, nil
}

func cutBytes(b []byte) (v, rest []byte) {
	n := 4 + binary.BigEndian.Uint32(b)
	return b[4:n:n], b[n:]
}

// identity is a hash of a statement with its values: a paging state serves no other.
func (st *statement) identity(values []*value) uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(st.text))
	for _, v := range values {
		_, _ = h.Write(appendBytes([]byte{byte(v.Type)}, v.Contents))
	}
	return h.Sum64()
}
