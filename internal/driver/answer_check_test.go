package driver

import (
	"encoding/binary"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/fault"
	"github.com/cqlbulk/cqlbulk/internal/row"
)

// Kinds of RESULT (native protocol specification, version 4, section 4.2.5).
const (
	resultVoid   = 1
	resultRows   = 2
	schemaChange = 5
)

// checkWrite checks that a write counts as done, or as not done, only if the server says so. The
// library does not always report that an answer has rows or a schema change.
func checkWrite(t *testing.T, err error, answer []byte, done ...uint32) {
	class := fault.ClassOf(err)
	switch {
	case err == nil:
		require.True(
			t,
			anyFrame(
				answer,
				func(op byte, body []byte) bool {
					return op == opResult && slices.Contains(done, code(body))
				},
			),
			"taken for done",
		)
	case class == fault.Unknown, class == fault.Canceled:
	case class == fault.NotApplied:
		require.True(
			t,
			anyFrame(
				answer,
				func(op byte, body []byte) bool {
					return op == opResult && code(body) == resultRows
				},
			),
			"taken for not applied",
		)
	default:
		require.True(
			t,
			anyFrame(
				answer,
				func(op byte, body []byte) bool { return op == opError && definite[code(body)] },
			),
			"%v: %v",
			class,
			err,
		)
	}
}

// checkPage checks that a page has the rows that the frame has, and the state.
func checkPage(t *testing.T, p row.Page, err error, answer []byte) {
	if err != nil {
		require.Nil(t, p)
		return
	}
	rows, size := 0, 0
	for p.Next() {
		rows++
		for _, c := range p.Cells() {
			size += 4 + len(c)
		}
	}
	require.Equal(t, p.Err() == nil, rows == p.Rows())
	require.LessOrEqual(t, size, len(answer))
	const morePages = 2
	require.True(t, anyFrame(answer, func(op byte, body []byte) bool {
		if op != opResult || code(body) != resultRows || len(body) < 12 {
			return false
		}
		more := binary.BigEndian.Uint32(body[4:])&morePages != 0
		return more == (len(p.State()) > 0)
	}), "state %x", p.State())
}

// definite are the errors that say that a write was not carried out.
var definite = map[uint32]bool{
	0x000a: true,
	0x0100: true,
	0x1000: true,
	0x1001: true,
	0x1002: true,
	0x1400: true,
	0x2000: true,
	0x2100: true,
	0x2200: true,
	0x2300: true,
	0x2400: true,
	0x2500: true,
}

// code returns the number that a RESULT or an ERROR begins with.
func code(body []byte) uint32 {
	if len(body) < 4 {
		return 0xffff
	}
	return binary.BigEndian.Uint32(body)
}

// frames calls f with each complete frame, and returns the rest.
func frames(b []byte, f func(header, body []byte)) []byte {
	for len(b) >= headerSize {
		n := uint64(binary.BigEndian.Uint32(b[5:]))
		if n > uint64(len(b)-headerSize) {
			break
		}
		f(b[:headerSize], b[headerSize:headerSize+n])
		b = b[headerSize+n:]
	}
	return b
}

// anyFrame reports whether ok holds for a frame. ok takes the opcode, and the body without what
// flags put before the message.
func anyFrame(b []byte, ok func(op byte, body []byte) bool) bool {
	found := false
	frames(b, func(header, body []byte) {
		if message, whole := afterFlags(header[1], body); whole && ok(header[4], message) {
			found = true
		}
	})
	return found
}

// afterFlags skips the tracing id, the warnings and the custom payload.
func afterFlags(flags byte, b []byte) ([]byte, bool) {
	const tracing, payload, warning = 0x02, 0x04, 0x08
	skip := func(n int) {
		if n = max(n, 0); b != nil && n <= len(b) {
			b = b[n:]
		} else {
			b = nil
		}
	}
	short := func() (n int) {
		if len(b) >= 2 {
			n = int(binary.BigEndian.Uint16(b))
		}
		skip(2)
		return n
	}
	if flags&tracing != 0 {
		skip(16)
	}
	if flags&warning != 0 {
		for range short() {
			skip(short())
		}
	}
	if flags&payload != 0 {
		for range short() {
			skip(short())
			n := int(int32(code(b)))
			skip(4)
			skip(n)
		}
	}
	return b, b != nil
}

// clean reports whether bytes are one frame for the request. After such an answer the connection
// may be in order.
func clean(answer []byte) bool {
	count, good := 0, true
	rest := frames(answer, func(header, _ []byte) {
		count++
		good = good && header[0] == 0x84 && header[2] == 0 && header[3] == 0
	})
	return good && count == 1 && len(rest) == 0
}
