//go:build integration

package integration

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// rawCQL is a connection of the native protocol, version 4, that binds any bytes. The driver takes
// tuples apart before it sends them, and so cannot ask a server what it thinks of the bytes of one.
type rawCQL struct {
	conn  net.Conn
	in    *bufio.Reader
	level uint16 // the consistency of requests
	// the texts of prepared statements, by id
	prepared map[string]string
}

// The opcodes, levels and flags of the protocol (native_protocol_v4.spec, sections 2.2, 2.4, 3 and
// 4).
const (
	opError, opStartup, opReady, opResult = 0x00, 0x01, 0x02, 0x08
	opQuery, opPrepare, opExecute         = 0x07, 0x09, 0x0a
	consistencyOne, consistencyQuorum     = 0x0001, 0x0004
	consistencyAll                        = 0x0005
	withValues, skipMetadata              = 0x01, 0x02
	flagWarning                           = 0x08
)

// rawConnect opens a connection to the first node.
func rawConnect(t *testing.T) *rawCQL {
	t.Helper()
	host, _, _ := strings.Cut(testHosts(), ",")
	return rawConnectTo(t, host)
}

// rawConnectTo opens a connection to a node.
func rawConnectTo(t *testing.T, host string) *rawCQL {
	t.Helper()
	conn, err := net.Dial("tcp", net.JoinHostPort(host, "9042"))
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	c := &rawCQL{
		conn:     conn,
		in:       bufio.NewReaderSize(conn, 1<<16),
		level:    consistencyOne,
		prepared: make(map[string]string),
	}
	body := []byte{0, 1}
	body = appendShort(appendShort(body, "CQL_VERSION"), "3.0.0")
	op, _ := c.ask(t, opStartup, body)
	require.EqualValues(t, opReady, op)
	return c
}

func appendShort(dst []byte, s string) []byte {
	return append(binary.BigEndian.AppendUint16(dst, uint16(len(s))), s...)
}

// frame appends a request.
func frame(dst []byte, stream uint16, op byte, body []byte) []byte {
	dst = append(dst, 4, 0, byte(stream>>8), byte(stream), op)
	return append(binary.BigEndian.AppendUint32(dst, uint32(len(body))), body...)
}

// answer reads one response.
func (c *rawCQL) answer(t *testing.T) (stream uint16, op byte, body []byte) {
	t.Helper()
	var head [9]byte
	_, err := io.ReadFull(c.in, head[:])
	require.NoError(t, err)
	body = make([]byte, binary.BigEndian.Uint32(head[5:]))
	_, err = io.ReadFull(c.in, body)
	require.NoError(t, err)
	if head[1]&flagWarning != 0 { // the texts come first
		texts := binary.BigEndian.Uint16(body)
		for body = body[2:]; texts > 0; texts-- {
			body = body[2+binary.BigEndian.Uint16(body):]
		}
	}
	return binary.BigEndian.Uint16(head[2:]), head[4], body
}

// ask sends one request and waits for its response.
func (c *rawCQL) ask(t *testing.T, op byte, body []byte) (byte, []byte) {
	t.Helper()
	_, err := c.conn.Write(frame(nil, 0, op, body))
	require.NoError(t, err)
	_, op, body = c.answer(t)
	return op, body
}

// prepare returns the id of a prepared statement.
func (c *rawCQL) prepare(t *testing.T, stmt string) []byte {
	t.Helper()
	op, body := c.ask(
		t,
		opPrepare,
		append(binary.BigEndian.AppendUint32(nil, uint32(len(stmt))), stmt...),
	)
	require.EqualValues(t, opResult, op, "%s: %s", stmt, body)
	n := binary.BigEndian.Uint16(body[4:])
	id := body[6 : 6+n]
	c.prepared[string(id)] = stmt
	return id
}

// mostForgotten is how often a statement is prepared again for the same values.
const mostForgotten = 20

// execute runs a prepared statement with each list of values, and returns the servers' errors, nil
// where there is none. A value that is nil is null. It prepares the statement again if the node has
// forgotten it: beside other tests there are more statements than a node keeps.
func (c *rawCQL) execute(t *testing.T, id []byte, rows [][][]byte) []error {
	t.Helper()
	out := c.executeOnce(t, id, rows)
	for range mostForgotten {
		var again [][][]byte
		var places []int
		for i, err := range out {
			if err != nil && strings.HasPrefix(err.Error(), errUnprepared) {
				again, places = append(again, rows[i]), append(places, i)
			}
		}
		if len(again) == 0 {
			break
		}
		c.prepare(t, c.prepared[string(id)])
		for i, err := range c.executeOnce(t, id, again) {
			out[places[i]] = err
		}
	}
	return out
}

// errUnprepared begins the error of a statement that a node has forgotten (section 9).
const errUnprepared = "0x2500 "

// executeOnce runs a prepared statement with each list of values, many at a time.
func (c *rawCQL) executeOnce(t *testing.T, id []byte, rows [][][]byte) []error {
	t.Helper()
	const together = 128
	out := make([]error, len(rows))
	for from := 0; from < len(rows); from += together {
		some := rows[from:min(from+together, len(rows))]
		var send []byte
		for i, values := range some {
			send = frame(send, uint16(i), opExecute, c.bound(id, values))
		}
		written := make(chan error, 1)
		go func() {
			_, err := c.conn.Write(send)
			written <- err
		}()
		for range some {
			stream, op, body := c.answer(t)
			if op == opError {
				out[from+int(stream)] = rawError(body)
			}
		}
		require.NoError(t, <-written)
	}
	return out
}

// bound is the body of an EXECUTE.
func (c *rawCQL) bound(id []byte, values [][]byte) []byte {
	body := append(binary.BigEndian.AppendUint16(nil, uint16(len(id))), id...)
	body = append(binary.BigEndian.AppendUint16(body, c.level), withValues|skipMetadata)
	body = binary.BigEndian.AppendUint16(body, uint16(len(values)))
	for _, v := range values {
		if v == nil {
			body = append(body, 0xff, 0xff, 0xff, 0xff)
			continue
		}
		body = append(binary.BigEndian.AppendUint32(body, uint32(len(v))), v...)
	}
	return body
}

// query runs a prepared SELECT that gives all its rows at once, and returns their cells, nil where
// there is none.
func (c *rawCQL) query(t *testing.T, id []byte, values ...[]byte) (rows [][][]byte, err error) {
	t.Helper()
	op, body := c.ask(t, opExecute, c.bound(id, values))
	if op == opError {
		return nil, rawError(body)
	}
	columns := int(binary.BigEndian.Uint32(body[8:]))
	count := int(binary.BigEndian.Uint32(body[12:]))
	body = body[16:]
	for range count {
		cells := make([][]byte, columns)
		for i := range cells {
			n := int32(binary.BigEndian.Uint32(body))
			if body = body[4:]; n >= 0 {
				cells[i], body = body[:n:n], body[n:]
			}
		}
		rows = append(rows, cells)
	}
	return rows, nil
}

// rawError is what an ERROR says.
func rawError(body []byte) error {
	n := binary.BigEndian.Uint16(body[4:])
	return fmt.Errorf("%#04x %s", binary.BigEndian.Uint32(body), body[6:6+n])
}

// rows runs a query that gives n rows, and returns what stands in them.
func (c *rawCQL) rows(t *testing.T, query string, n int) string {
	t.Helper()
	body := append(binary.BigEndian.AppendUint32(nil, uint32(len(query))), query...)
	op, body := c.ask(
		t,
		opQuery,
		append(binary.BigEndian.AppendUint16(body, c.level), skipMetadata),
	)
	require.EqualValues(t, opResult, op, "%s: %s", query, body)
	require.EqualValues(t, n, binary.BigEndian.Uint32(body[12:]), query)
	return string(body[16:])
}
