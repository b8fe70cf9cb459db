package internode_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/internode"
	"github.com/cqlbulk/cqlbulk/internal/test/internodetest"
)

const nodeAddress = "127.0.0.1:7000"

var tableA, tableB = internode.UUID{0: 0xa}, internode.UUID{0: 0xb}

// header is the smallest serialization header: minima, a key type of no bytes, no columns.
var header = make([]byte, 7)

func rows(table internode.UUID, plain []byte) internode.File {
	return internode.File{
		Table: table, Keys: 1, Header: header, Length: int64(len(plain)), Open: opens(plain),
	}
}

func opens(b []byte) func() (io.ReadCloser, error) {
	return func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(b)), nil }
}

func whole(table internode.UUID, names ...string) internode.File {
	w := &internode.Whole{Version: "nb", FirstKey: []byte("first")}
	for _, name := range names {
		w.Components = append(
			w.Components,
			internode.Component{Name: name, Size: int64(len(name)), Open: opens([]byte(name))},
		)
	}
	return internode.File{Table: table, Keys: 7, Header: header, Whole: w}
}

// random returns bytes that compress a little.
func random(n int) []byte {
	r := rand.New(rand.NewPCG(1, uint64(n)))
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.IntN(3))
	}
	return b
}

// play runs a client against a node, both on the clock of a bubble: time passes when all goroutines
// wait.
func play(
	t *testing.T,
	n *internodetest.Node,
	f func(ctx context.Context, t *testing.T, c *internode.Client),
) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		f(ctx, t, &internode.Client{Dial: n.Dial(ctx)})
		cancel()
		n.Wait()
		if n.Before == nil {
			require.Empty(t, n.Late())
		}
	})
}

func TestFilesOfSeveralTablesGetThere(t *testing.T) {
	for _, connections := range []int{0, 1, 3, 20} {
		var n internodetest.Node
		long := random(300_000)
		files := []internode.File{
			rows(
				tableA,
				[]byte("first"),
			),
			whole(tableB, "Data.db", "Index.db", "Statistics.db"),
			rows(tableA, long),
			rows(tableB, []byte("x")),
		}
		play(t, &n, func(ctx context.Context, t *testing.T, c *internode.Client) {
			c.Connections = connections
			var sent atomic.Int64
			received := make([]bool, len(files))
			plan, err := c.Stream(ctx, nodeAddress, files, internode.Watch{
				Sent:     func(n, _ int) { sent.Add(int64(n)) },
				Received: func(file int, _ time.Duration) { received[file] = true },
			})
			require.NoError(t, err)
			require.NotContains(t, received, false)
			require.Less(t, sent.Load(), int64(len(long)), "nothing was compressed")
			require.Greater(t, sent.Load(), int64(len(long)/3), "some of it is not reported")

			done := n.Complete()
			require.Len(t, done, 1)
			require.Equal(t, plan, done[0].Plan)
			require.Equal(t, "127.0.0.9:7099", done[0].From.String())
			require.Equal(t, []internode.Summary{
				{Table: tableA, Files: 2, Bytes: 300_005},
				{Table: tableB, Files: 4, Bytes: int64(len("Data.dbIndex.dbStatistics.dbx"))},
			}, done[0].Announced)
			slices.SortFunc(done[0].Files, func(a, b internodetest.File) int {
				return bytes.Compare(
					append(a.Head.Table[:], byte(a.Head.Sequence)),
					append(b.Head.Table[:], byte(b.Head.Sequence)),
				)
			})
			got := done[0].Files
			require.Equal(t, "first", string(got[0].Plain))
			require.True(t, bytes.Equal(long, got[1].Plain))
			require.Equal(t, "nb", got[1].Head.Version)
			require.Equal(t, int64(7), got[2].Head.Keys)
			require.Equal(t, "first", string(got[2].Head.FirstKey))
			require.Equal(
				t,
				map[string][]byte{
					"Data.db":       []byte("Data.db"),
					"Index.db":      []byte("Index.db"),
					"Statistics.db": []byte("Statistics.db"),
				},
				got[2].Parts,
			)
			require.Equal(t, "x", string(got[3].Plain))
		})
	}
}

func TestKeepAlivesBeforeTheSessionIsAccepted(t *testing.T) {
	n := internodetest.Node{KeepAlives: 3}
	play(t, &n, func(ctx context.Context, t *testing.T, c *internode.Client) {
		c.Timeouts.Prepare = time.Hour
		began := time.Now()
		_, err := c.Stream(
			ctx,
			nodeAddress,
			[]internode.File{rows(tableA, []byte("x"))},
			internode.Watch{},
		)
		require.NoError(t, err)
		require.Equal(t, 3*time.Minute, time.Since(began), "a sign of life each minute")
		require.Len(t, n.Complete(), 1)
	})
}

// failAtEachStep makes a node fail in each way at each step of a session. The session must end in
// time with the matching error, and must not report anything as complete. The times are the default
// timeouts for a node that hangs. At the silent steps, a node that fails the session has sent
// nothing to the client. The function run runs a session, and returns how long that took.
func failAtEachStep(
	t *testing.T,
	steps []internodetest.Step,
	times map[internodetest.Step]time.Duration,
	silent []internodetest.Step,
	run func(t *testing.T, n *internodetest.Node) (
		plan internode.UUID, took time.Duration, err error,
	),
) {
	t.Helper()
	kinds := map[internodetest.Harm]internode.Kind{
		internodetest.Hang:  internode.Deadline,
		internodetest.Close: internode.Lost,
		internodetest.Fail:  internode.Failed,
	}
	for _, step := range steps {
		for harm, kind := range kinds {
			if step == internodetest.Accept && harm == internodetest.Fail {
				continue // there is no session yet that could fail
			}
			t.Run(string(step)+", "+string(harm), func(t *testing.T) {
				n := internodetest.Node{At: step, Harm: harm}
				plan, took, err := run(t, &n)
				want := time.Duration(0)
				switch {
				case harm == internodetest.Hang:
					want = times[step]
				case step == internodetest.Accept:
					kind = internode.Version // not a storage port
				case harm == internodetest.Fail && slices.Contains(silent, step):
					kind = internode.Unreached // as far as the client can see
				}
				require.ErrorContains(t, err, "storage port "+nodeAddress+": ")
				require.Equal(t, kind, internode.KindOf(err), "%v", err)
				require.Equal(t, want, took, "%v", err)
				var e *internode.Error
				require.ErrorAs(t, err, &e)
				require.Equal(t, plan, e.Plan)
				if kind == internode.Failed {
					require.ErrorContains(t, err, plan.String())
				}
				require.Empty(t, n.Complete())
			})
		}
	}
}

func TestNodeThatFailsAtEachStep(t *testing.T) {
	failAtEachStep(t, internodetest.Steps(), map[internodetest.Step]time.Duration{
		internodetest.Accept:  10 * time.Second,
		internodetest.Begin:   time.Minute, // the silence of a node that does not accept
		internodetest.Prepare: time.Minute,
		// A file connection fails, and 5 seconds later the node has not reported why.
		internodetest.FileOpen: 15 * time.Second,
		internodetest.FileHead: 5*time.Minute + 5*time.Second,
		internodetest.MidFile:  5*time.Minute + 5*time.Second,
		internodetest.FileEnd:  5 * time.Minute,
		internodetest.Finish:   30 * time.Minute,
	}, nil, func(t *testing.T, n *internodetest.Node) (
		plan internode.UUID, took time.Duration, err error,
	) {
		play(t, n, func(ctx context.Context, _ *testing.T, c *internode.Client) {
			began := time.Now()
			plan, err = c.Stream(
				ctx,
				nodeAddress,
				[]internode.File{rows(tableA, random(200_000))},
				internode.Watch{},
			)
			took = time.Since(began)
		})
		return plan, took, err
	})
}

// errWrong is the error of a test's reader.
var errWrong = errors.New("the disk is gone")

func TestFilesThatAreNotAsAnnounced(t *testing.T) {
	good := rows(tableA, []byte("good"))
	for name, c := range map[string]struct {
		change func(*internode.File)
		want   string
	}{
		"ends before its length":   {func(f *internode.File) { f.Length++ }, "file 1 ends 1 bytes before its 5 bytes do"},
		"longer than it":           {func(f *internode.File) { f.Length-- }, "file 1 is longer than its 3 bytes"},
		"cannot be opened":         {func(f *internode.File) { f.Open = func() (io.ReadCloser, error) { return nil, errWrong } }, "file 1: the disk is gone"},
		"cannot be read":           {func(f *internode.File) { f.Open = failing }, "file 1: the disk is gone"},
		"is empty":                 {func(f *internode.File) { f.Length = 0 }, "file 1: a file of 0 bytes"},
		"has no partition":         {func(f *internode.File) { f.Keys = 0 }, "file 1: a file of 0 partitions"},
		"has no header":            {func(f *internode.File) { f.Header = nil }, "serialization header"},
		"has more than a header":   {func(f *internode.File) { f.Header = make([]byte, 8) }, "ends 1 bytes before its 8 bytes do"},
		"has no statistics":        {func(f *internode.File) { *f = whole(tableA, "Data.db", "Index.db") }, "no component Statistics.db"},
		"has a table of contents":  {func(f *internode.File) { *f = whole(tableA, "Data.db", "Index.db", "Statistics.db", "TOC.txt") }, "TOC.txt"},
		"has a component twice":    {func(f *internode.File) { *f = whole(tableA, "Data.db", "Index.db", "Statistics.db", "Data.db") }, `"Data.db" twice`},
		"has a component of blank": {func(f *internode.File) { *f = whole(tableA, "Data.db", "Index.db", "Statistics.db", " ") }, "not a name"},
		"has no first key": {func(f *internode.File) {
			*f = whole(tableA, "Data.db", "Index.db", "Statistics.db")
			f.Whole.FirstKey = nil
		}, "a first key of 0 bytes"},
		"has a component that is shorter": {func(f *internode.File) {
			*f = whole(tableA, "Data.db", "Index.db", "Statistics.db")
			f.Whole.Components[1].Size++
		}, "component Index.db of file 1 ends 1 bytes before its 9 bytes do"},
	} {
		t.Run(name, func(t *testing.T) {
			var n internodetest.Node
			play(t, &n, func(ctx context.Context, t *testing.T, client *internode.Client) {
				bad := rows(tableA, []byte("good"))
				c.change(&bad)
				_, err := client.Stream(
					ctx,
					nodeAddress,
					[]internode.File{good, bad},
					internode.Watch{},
				)
				require.Equal(t, internode.Source, internode.KindOf(err), "%v", err)
				require.ErrorContains(t, err, c.want)
				require.Empty(t, n.Complete())
			})
		})
	}
	_, err := new(internode.Client).Stream(t.Context(), nodeAddress, nil, internode.Watch{})
	require.Equal(t, internode.Source, internode.KindOf(err), "%v", err)
}

func failing() (io.ReadCloser, error) { return io.NopCloser(errReader{}), nil }

type errReader struct{}

func (errReader) Read([]byte) (int, error) { return 0, errWrong }

// If the caller's context ends, at any step, the session ends at once.
func TestSessionEndsWithItsContext(t *testing.T) {
	for _, step := range internodetest.Steps() {
		t.Run(string(step), func(t *testing.T) {
			n := internodetest.Node{At: step, Harm: internodetest.Hang}
			play(t, &n, func(ctx context.Context, t *testing.T, c *internode.Client) {
				inner, cancel := context.WithCancelCause(ctx)
				began := time.Now()
				time.AfterFunc(time.Second, func() { cancel(errWrong) })
				_, err := c.Stream(
					inner,
					nodeAddress,
					[]internode.File{rows(tableA, random(200_000))},
					internode.Watch{},
				)
				require.Equal(t, internode.Canceled, internode.KindOf(err), "%v", err)
				require.ErrorIs(t, err, errWrong)
				require.LessOrEqual(
					t,
					time.Since(began),
					1100*time.Millisecond,
					"the client may say goodbye, to a node that does not listen",
				)
			})
		})
	}
}

func TestNodeThatSaysWhatItMustNot(t *testing.T) {
	for name, c := range map[string]struct {
		before func(m internode.Message, right []byte) []byte
		want   internode.Kind
		text   string
	}{
		"a wrong checksum": {func(m internode.Message, right []byte) []byte {
			if m == nil {
				right[11] ^= 1
			}
			return right
		}, internode.Version, "checksum"},
		"files to come": {func(m internode.Message, right []byte) []byte {
			if _, ok := m.(internode.PrepareSynAck); ok {
				return internode.Append(
					nil,
					internode.PrepareSynAck{
						Summaries: []internode.Summary{{Table: tableA, Files: 1, Bytes: 1}},
					},
				)
			}
			return right
		}, internode.Protocol, "announces files"},
		"an unknown message": {func(m internode.Message, right []byte) []byte {
			if _, ok := m.(internode.PrepareSynAck); ok {
				return []byte{77}
			}
			return right
		}, internode.Protocol, "message 77"},
		"COMPLETE before a file": {func(m internode.Message, right []byte) []byte {
			if _, ok := m.(internode.PrepareSynAck); ok {
				return append(right, internode.Append(nil, internode.Complete)...)
			}
			return right
		}, internode.Protocol, "COMPLETE"},
		"COMPLETE instead of an acknowledgement": {func(m internode.Message, right []byte) []byte {
			if _, ok := m.(internode.Received); ok {
				return internode.Append(nil, internode.Complete)
			}
			return right
		}, internode.Protocol, "COMPLETE"},
		"an acknowledgement of another file": {func(m internode.Message, right []byte) []byte {
			if r, ok := m.(internode.Received); ok {
				r.Sequence++
				return internode.Append(nil, r)
			}
			return right
		}, internode.Protocol, "acknowledges file 1"},
		"an acknowledgement twice": {func(m internode.Message, right []byte) []byte {
			if _, ok := m.(internode.Received); ok {
				return append(right, right...)
			}
			return right
		}, internode.Protocol, "acknowledges file 0"},
		"SYNACK twice": {func(m internode.Message, right []byte) []byte {
			if _, ok := m.(internode.PrepareSynAck); ok {
				return append(right, right...)
			}
			return right
		}, internode.Protocol, "out of its turn"},
	} {
		t.Run(name, func(t *testing.T) {
			n := internodetest.Node{Before: c.before}
			play(t, &n, func(ctx context.Context, t *testing.T, client *internode.Client) {
				_, err := client.Stream(
					ctx,
					nodeAddress,
					[]internode.File{rows(tableA, []byte("x"))},
					internode.Watch{},
				)
				require.Equal(t, c.want, internode.KindOf(err), "%v", err)
				require.ErrorContains(t, err, c.text)
			})
		})
	}
}

func TestVersionsThatNodesSpeak(t *testing.T) {
	for version, ok := range map[int]bool{11: false, 12: true, 13: true, 14: false} {
		n := internodetest.Node{Version: version}
		play(t, &n, func(ctx context.Context, t *testing.T, c *internode.Client) {
			probed, probeErr := c.Probe(ctx, nodeAddress)
			_, err := c.Stream(
				ctx,
				nodeAddress,
				[]internode.File{rows(tableA, []byte("x"))},
				internode.Watch{},
			)
			if ok {
				require.NoError(t, probeErr)
				require.NoError(t, err)
				require.Equal(t, internode.Probed{Version: version}, probed)
				return
			}
			for _, err := range []error{err, probeErr} {
				require.Equal(t, internode.Version, internode.KindOf(err), "%v", err)
				require.ErrorContains(t, err, "speaks version")
				require.ErrorContains(t, err, "12 to 13")
			}
		})
	}
}

func TestNodeThatCannotBeReached(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	address := l.Addr().String()
	require.NoError(t, l.Close())
	var c internode.Client
	_, err = c.Probe(t.Context(), address)
	require.Equal(t, internode.Unreachable, internode.KindOf(err), "%v", err)
	require.EqualError(t, err, "storage port "+address+": cannot connect: connection refused")

	// The system gives up a moment before the client does.
	c.Dial = func(context.Context, string, string) (net.Conn, error) {
		return nil, &net.OpError{Op: "dial", Err: os.ErrDeadlineExceeded}
	}
	_, err = c.Probe(t.Context(), address)
	require.ErrorContains(t, err, "a firewall drops what is sent to that port")

	// A firewall drops what is sent.
	synctest.Test(t, func(t *testing.T) {
		c.Dial = func(ctx context.Context, _, _ string) (net.Conn, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}
		began := time.Now()
		_, err := c.Probe(t.Context(), nodeAddress)
		require.Equal(t, internode.Unreachable, internode.KindOf(err), "%v", err)
		require.ErrorContains(t, err, "no connection within 10s")
		require.Equal(t, 10*time.Second, time.Since(began))
	})
}

// limiter allows a number of bytes per second.
type limiter struct{ perSecond int }

func (l limiter) Wait(ctx context.Context, n int) error {
	select {
	case <-time.After(time.Duration(n) * time.Second / time.Duration(l.perSecond)):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// The limiter sees every byte of a file. Its waits do not count against the node, neither as a
// stall nor as a late acknowledgement.
func TestLimiterHoldsFilesBack(t *testing.T) {
	var n internodetest.Node
	play(t, &n, func(ctx context.Context, t *testing.T, c *internode.Client) {
		c.Limiter = limiter{1000}
		c.Timeouts.Stall = time.Second
		c.Timeouts.Received = time.Second
		sent := 0
		began := time.Now()
		_, err := c.Stream(
			ctx,
			nodeAddress,
			[]internode.File{rows(tableA, random(200_000))},
			internode.Watch{
				Sent:     func(n, _ int) { sent += n },
				Received: func(_ int, took time.Duration) { require.Zero(t, took) },
			},
		)
		require.NoError(t, err)
		require.Equal(t, time.Duration(sent)*time.Millisecond, time.Since(began))
	})
}

// If a node listened at the announced port, it would take a session with that address for its own.
func TestAnnouncedPortIsNotTheNodes(t *testing.T) {
	var n internodetest.Node
	play(t, &n, func(ctx context.Context, t *testing.T, c *internode.Client) {
		_, err := c.Stream(
			ctx,
			"127.0.0.9:7099",
			[]internode.File{rows(tableA, []byte("x"))},
			internode.Watch{},
		)
		require.NoError(t, err)
		require.Equal(t, "127.0.0.9:7098", n.Complete()[0].From.String())
	})
}

func TestKindsHaveNames(t *testing.T) {
	seen := map[string]bool{internode.Kind(0).String(): true}
	for k := internode.Unreachable; k <= internode.Canceled; k++ {
		require.False(t, seen[k.String()], "%v", k)
		seen[k.String()] = true
	}
	require.Zero(t, internode.KindOf(errWrong))
	require.Zero(t, internode.KindOf(nil))
}

func TestUUIDsAsText(t *testing.T) {
	plan := internode.NewPlan()
	got, err := internode.ParseUUID(plan.String())
	require.NoError(t, err)
	require.Equal(t, plan, got)
	for _, text := range []string{"", plan.String()[1:], plan.String() + "0", "5a1ff267+ace0-3f12-8563-cfae6103c65e", "5a1ff267-ace0-3f12-8563-cfae6103c65g"} {
		_, err := internode.ParseUUID(text)
		require.ErrorContains(t, err, "is not a UUID", text)
	}
}

func TestEachSessionHasAPlanOfItsOwn(t *testing.T) {
	seen := map[internode.UUID]bool{}
	for range 1000 {
		plan := internode.NewPlan()
		require.False(t, seen[plan])
		seen[plan] = true
		require.Equal(t, byte(0x10), plan[6]&0xf0, "version")
		require.Equal(t, byte(0x80), plan[8]&0xc0, "variant")
	}
}
