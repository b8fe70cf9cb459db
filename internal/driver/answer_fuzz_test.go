package driver

import (
	"bytes"
	"context"
	"runtime/metrics"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/row"
	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/internal/test/simcluster"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// attacked is a session behind a tamper. It has several connections, since one may be spoiled. A
// new session is opened when none is left.
type attacked struct {
	t      testing.TB
	hosts  []string
	tamper *tamper
	s      *Session
	table  *schema.Table
	unique int // makes statements that were not prepared before
}

func newAttacked(t testing.TB) *attacked {
	t.Helper()
	c, err := simcluster.Start(
		simcluster.Options{Base: simcluster.Anywhere, Nodes: 1, Factor: 1, Rows: 10},
	)
	require.NoError(t, err)
	t.Cleanup(c.Close)
	a := &attacked{t: t, hosts: c.Hosts(), tamper: newTamper(t, c)}
	t.Cleanup(a.close)
	return a
}

func (a *attacked) open(t testing.TB) {
	if a.s != nil {
		return
	}
	a.tamper.attack.Store(nil)
	s, err := Connect(
		t.Context(),
		Config{Hosts: a.hosts, Port: a.tamper.port(), Timeout: 10 * time.Second, Connections: 8},
	)
	require.NoError(t, err)
	a.s = s
	a.table, err = s.Table(t.Context(), "ks", "t")
	require.NoError(t, err)
}

func (a *attacked) close() {
	if a.s != nil {
		a.s.Close()
		a.s = nil
	}
}

// serves reports whether a working connection is left.
func (a *attacked) serves() bool {
	for range 3 {
		ctx, cancel := context.WithTimeout(context.Background(), reply)
		_, err := a.s.Ping(ctx, "")
		cancel()
		if err == nil {
			return true
		}
	}
	return false
}

// The requests that an answer is for.
const (
	readPage = iota
	writeRow
	writeBatch
	writeOnce
	preparePage
	prepareRow
	readSchema
	requests
)

const (
	// reply is the deadline of the attacked requests. late is by how much they may miss it on a
	// busy machine.
	reply = 50 * time.Millisecond
	late  = 30 * time.Second
	// most is the largest number of bytes that an answer of a few bytes may make the driver
	// allocate.
	most = 32 << 20
)

// what is done with an answer
const (
	mend = 1 << iota // its header gets the right version, stream and length
	// the connection ends after the answer, unless it consists of complete frames
	hangUp
)

// FuzzAnswer answers one request with the given bytes.
func FuzzAnswer(f *testing.F) {
	for _, seeds := range []struct {
		calls   []byte
		how     byte
		answers [][]byte
	}{
		{[]byte{readPage, writeRow, prepareRow}, mend, errorFrames(f)},
		{[]byte{readPage, writeOnce, readSchema}, mend, pages(f)},
		{[]byte{readPage, writeRow, writeBatch, writeOnce, preparePage, prepareRow}, 0, others(f)},
		{[]byte{readPage}, 0, lies(f)},
		{[]byte{writeRow, prepareRow}, hangUp, lies(f)},
	} {
		for _, call := range seeds.calls {
			for _, answer := range seeds.answers {
				f.Add(call, seeds.how, answer)
			}
		}
	}
	a := newAttacked(f)
	f.Fuzz(func(t *testing.T, call, how byte, answer []byte) {
		call %= requests
		if how&mend != 0 && len(answer) >= headerSize {
			answer = with(raw(answer[4], answer[headerSize:]...), 1, answer[1])
		}
		a.open(t)
		hit := &attack{answer: answer, hangUp: how&hangUp != 0, meets: func(request []byte) bool {
			// The simulated cluster uses statements' texts as their ids.
			switch call {
			case preparePage, prepareRow:
				return request[4] == opPrepare && bytes.Contains(request, []byte(" ks.t "))
			case readSchema:
				return request[4] == opExecute &&
					bytes.Contains(request, []byte(" system_schema.columns WHERE "))
			default:
				return request[4] == opExecute && bytes.Contains(request, []byte(" ks.t ")) ||
					request[4] == opBatch
			}
		}}
		a.tamper.attack.Store(hit)
		ctx, cancel := context.WithTimeout(t.Context(), reply)
		defer cancel()
		begin, before := time.Now(), allocated()
		a.request(ctx, t, call, hit)
		require.Less(t, time.Since(begin), reply+late)
		require.Less(t, allocated()-before, uint64(most))
		if met := hit.met.Load(); met != nil && !clean(answer) {
			met.hangUp()
		}
		if !a.serves() {
			a.close()
		}
	})
}

// request sends a request and checks its result.
func (a *attacked) request(ctx context.Context, t *testing.T, call byte, hit *attack) {
	key := row.Cell{State: row.Set, Bytes: []byte{0, 0, 0, 0, 0, 0, 0, 1}}
	one := row.Row{Cells: []row.Cell{key, {State: row.Null}}, Timestamp: 1}
	w := a.s.Writer(a.table, a.table.Columns)
	switch call {
	case readPage, preparePage:
		q := Query{Select: []string{"k", "v"}}
		for i := 0; call == preparePage && i < 12; i++ {
			q.Select = append(q.Select, q.Select[a.unique>>i&1])
		}
		a.unique++
		p, err := a.s.Reader(a.table, q, token.Murmur3).Page(ctx, "", token.Range{}, nil, 100)
		if call == readPage && hit.alone() {
			checkPage(t, p, err, hit.answer)
		}
		if err == nil {
			p.Close()
		}
	case writeRow, prepareRow:
		if call == prepareRow {
			a.unique++
			w.WithTTL(1 + a.unique%4096)
		}
		err := w.Write(ctx, "", []row.Row{one})
		if call == writeRow && hit.alone() {
			checkWrite(t, err, hit.answer, resultVoid, schemaChange)
		}
	case writeBatch:
		if err := w.Write(ctx, "", []row.Row{one, one}); hit.alone() {
			checkWrite(t, err, hit.answer, resultVoid, resultRows)
		}
	case writeOnce:
		if err := w.Once().Write(ctx, "", []row.Row{one}); hit.alone() {
			checkWrite(t, err, hit.answer, resultRows)
		}
	case readSchema:
		_, _ = a.s.Table(ctx, "ks", "t")
	}
}

// allocated returns the number of bytes allocated on the heap since the program began.
func allocated() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}
