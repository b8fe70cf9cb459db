package internode_test

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"net"
	"net/netip"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/cqlbulk/cqlbulk/internal/internode"
	"github.com/cqlbulk/cqlbulk/internal/test/internodetest"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// waitedAt is the address of the listener.
var waitedAt = netip.MustParseAddrPort("127.0.0.9:7099")

var asked = internode.Request{
	Keyspace: "ks",
	Table:    "t",
	Ranges:   []token.Range{token.Whole(token.Murmur3)},
}

// has returns the files that a node has, of any table.
func has(files ...internodetest.Brought) func(internode.Request) ([]internodetest.Brought, error) {
	return func(internode.Request) ([]internodetest.Brought, error) {
		return slices.Clone(files), nil
	}
}

// broughtChunks returns a compressed file of two sections in three chunks.
func broughtChunks(table internode.UUID) internodetest.Brought {
	return internodetest.Brought{
		Head: internode.FileHead{
			Table:    table,
			Version:  "nb",
			Format:   "big",
			Keys:     5,
			Header:   header,
			Sections: []internode.Section{{From: 3, To: 17}, {From: 40, To: 41}},
			Compression: &internode.Compression{
				Chunks: []internode.Chunk{
					{Offset: 0, Length: 3},
					{Offset: 7, Length: 4},
					{Offset: 90, Length: 2},
				},
				Compressor:    "LZ4Compressor",
				ChunkLength:   16,
				MaxCompressed: 16,
			},
		},
		Payload: []byte("one....four....tw...."),
	}
}

// broughtWhole returns an entire SSTable.
func broughtWhole(table internode.UUID) internodetest.Brought {
	return internodetest.Brought{
		Head: internode.FileHead{
			Table:    table,
			Version:  "oa",
			Format:   "big",
			Keys:     5,
			Header:   header,
			Sections: []internode.Section{{From: 0, To: 9}},
			Manifest: internode.Manifest{
				{Name: "Index.db", Size: 5},
				{Name: "Data.db", Size: 9},
				{Name: "Filter.db", Size: 6},
			},
			FirstKey: []byte("k"),
		},
		Payload: []byte("indexpartitionfilter")[:20],
	}
}

// taken keeps what a session receives.
type taken struct {
	mu    sync.Mutex
	files []internode.Delivery
	bytes [][]byte
}

func (t *taken) receive(_ context.Context, d *internode.Delivery) error {
	b, err := io.ReadAll(d.Body)
	if err != nil {
		return err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.files, t.bytes = append(t.files, *d), append(t.bytes, b)
	return nil
}

// playAsked runs a client and a listener against a node with files, all on the clock of a bubble.
func playAsked(
	t *testing.T,
	n *internodetest.Node,
	f func(ctx context.Context, t *testing.T, c *internode.Client, l *internode.Listener),
) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		door := internodetest.NewDoor(waitedAt)
		if n.Connect == nil {
			n.Connect = door.Dial
			defer func() { n.Connect = nil }()
		}
		l, err := internode.NewListener(door, nil)
		require.NoError(t, err)
		require.Equal(t, waitedAt, l.Addr())
		defer n.Wait()
		defer cancel()
		defer func() { require.NoError(t, l.Close()) }()
		f(ctx, t, &internode.Client{Dial: n.Dial(ctx)}, l)
		if n.Before == nil {
			require.Empty(t, n.Late())
		}
	})
}

func TestFilesThatAreAskedFor(t *testing.T) {
	long := random(300_000)
	for _, connections := range []int{1, 3} {
		n := internodetest.Node{
			Connections: connections,
			KeepAlives:  2,
			Has: has(
				internodetest.Rows(tableA, header, long),
				broughtChunks(tableA),
				broughtWhole(tableA),
			),
		}
		playAsked(
			t,
			&n,
			func(ctx context.Context, t *testing.T, c *internode.Client, l *internode.Listener) {
				var got taken
				fetched, err := c.Fetch(ctx, nodeAddress, l, asked, got.receive)
				require.NoError(t, err)

				done := n.Complete()
				require.Len(t, done, 1)
				require.Equal(
					t,
					internode.Fetched{Plan: done[0].Plan, Files: 3, Bytes: 300_000 + 21 + 9},
					fetched,
				)
				want := asked
				want.From = waitedAt
				require.Equal(t, []internode.Request{want}, done[0].Asked)
				require.Equal(t, waitedAt, done[0].From)
				require.Len(t, done[0].Acknowledged, 3)
				require.Len(t, got.files, 3)
				for i, d := range got.files {
					require.Equal(t, tableA, d.Table)
					switch d.Content {
					case internode.Partitions:
						require.True(t, bytes.Equal(long, got.bytes[i]))
						require.Nil(t, d.Compression)
					case internode.Chunks:
						require.Equal(t, "one....four....tw....", string(got.bytes[i]))
						require.Equal(t, broughtChunks(tableA).Head.Compression, d.Compression)
						require.Equal(
							t,
							[]internode.Section{{From: 3, To: 17}, {From: 40, To: 41}},
							d.Sections,
						)
					case internode.WholeData:
						require.Equal(t, "partition", string(got.bytes[i]))
						require.Equal(t, "oa", d.Version)
					default:
						require.Fail(t, "content", "%d", d.Content)
					}
					require.Equal(t, int64(len(got.bytes[i])), d.Size)
				}
				slices.SortFunc(
					got.files,
					func(a, b internode.Delivery) int { return cmp.Compare(a.Content, b.Content) },
				)
				require.Equal(
					t,
					[]internode.Content{
						internode.Partitions,
						internode.Chunks,
						internode.WholeData,
					},
					[]internode.Content{
						got.files[0].Content,
						got.files[1].Content,
						got.files[2].Content,
					},
				)
			},
		)
	}
}

func TestNodeThatHasNothing(t *testing.T) {
	n := internodetest.Node{Has: has()}
	playAsked(
		t,
		&n,
		func(ctx context.Context, t *testing.T, c *internode.Client, l *internode.Listener) {
			fetched, err := c.Fetch(ctx, nodeAddress, l, asked, internode.Discard)
			require.NoError(t, err)
			require.Zero(t, fetched.Files)
			// only COMPLETE shows that there are no files
			n.Before = func(m internode.Message, right []byte) []byte {
				if m == internode.Complete {
					return nil
				}
				return right
			}
			began := time.Now()
			_, err = c.Fetch(ctx, nodeAddress, l, asked, internode.Discard)
			require.Equal(t, internode.Deadline, internode.KindOf(err), "%v", err)
			require.Equal(t, 5*time.Minute, time.Since(began))
		},
	)
}

func TestEstimate(t *testing.T) {
	n := internodetest.Node{Has: has(broughtChunks(tableA), broughtWhole(tableA))}
	playAsked(
		t,
		&n,
		func(ctx context.Context, t *testing.T, c *internode.Client, _ *internode.Listener) {
			size, err := c.Estimate(ctx, nodeAddress, asked)
			require.NoError(t, err)
			require.Equal(t, int64(21+20), size)
			require.Empty(t, n.Complete())
			n.Has = nil
			_, err = c.Estimate(ctx, nodeAddress, asked)
			require.Equal(t, internode.Failed, internode.KindOf(err), "%v", err)
			require.ErrorContains(t, err, "has it a table ks.t")
		},
	)
}

func TestReachChecked(t *testing.T) {
	n := internodetest.Node{Has: has(internodetest.Rows(tableA, header, []byte("row")))}
	playAsked(
		t,
		&n,
		func(ctx context.Context, t *testing.T, c *internode.Client, l *internode.Listener) {
			require.NoError(t, c.CheckReach(ctx, nodeAddress, l))
			request := n.Complete()[0].Asked[0]
			require.Equal(t, "system.local", request.Keyspace+"."+request.Table)
			require.Len(t, request.Ranges, 1)
			require.True(t, request.Ranges[0].Contains(token.Murmur3.Hash([]byte("local"))))
			n.Has = has()
			require.ErrorContains(t, c.CheckReach(ctx, nodeAddress, l), "no row of system.local")
		},
	)
}

func TestAskedNodeThatFailsAtEachStep(t *testing.T) {
	failAtEachStep(t, internodetest.AskedSteps(), map[internodetest.Step]time.Duration{
		internodetest.Accept:    10 * time.Second,
		internodetest.Begin:     10 * time.Minute,
		internodetest.Prepare:   10 * time.Minute,
		internodetest.BringOpen: 5 * time.Minute,
		internodetest.BringHead: 5 * time.Minute,
		internodetest.MidBring:  5*time.Minute + 5*time.Second,
		internodetest.BringEnd:  5 * time.Minute, // the second file does not come
		internodetest.Finish:    5 * time.Minute,
	}, []internodetest.Step{
		internodetest.BringOpen, internodetest.BringHead,
	}, func(t *testing.T, n *internodetest.Node) (
		plan internode.UUID, took time.Duration, err error,
	) {
		n.Has = has(
			internodetest.Rows(tableA, header, random(2_000)),
			internodetest.Rows(tableA, header, random(2_000)),
		)
		playAsked(
			t,
			n,
			func(ctx context.Context, _ *testing.T, c *internode.Client, l *internode.Listener) {
				began := time.Now()
				var fetched internode.Fetched
				fetched, err = c.Fetch(ctx, nodeAddress, l, asked, internode.Discard)
				plan, took = fetched.Plan, time.Since(began)
			},
		)
		return plan, took, err
	})
}

// If the caller's context ends, at any step, the session ends at once. It also ends if the listener
// is closed.
func TestFetchEndsWithItsContext(t *testing.T) {
	for _, step := range internodetest.AskedSteps() {
		t.Run(string(step), func(t *testing.T) {
			n := internodetest.Node{
				At:   step,
				Harm: internodetest.Hang,
				Has:  has(broughtChunks(tableA), broughtWhole(tableA)),
			}
			playAsked(
				t,
				&n,
				func(
					ctx context.Context, t *testing.T, c *internode.Client, l *internode.Listener,
				) {
					inner, cancel := context.WithCancelCause(ctx)
					began := time.Now()
					time.AfterFunc(time.Second, func() { cancel(errWrong) })
					_, err := c.Fetch(inner, nodeAddress, l, asked, internode.Discard)
					require.Equal(t, internode.Canceled, internode.KindOf(err), "%v", err)
					require.ErrorIs(t, err, errWrong)
					require.LessOrEqual(t, time.Since(began), 1100*time.Millisecond)

					if step == internodetest.Accept {
						return // the listener is not used yet
					}
					began = time.Now()
					time.AfterFunc(time.Second, func() { _ = l.Close() })
					_, err = c.Fetch(ctx, nodeAddress, l, asked, internode.Discard)
					require.Equal(t, internode.Canceled, internode.KindOf(err), "%v", err)
					require.ErrorContains(t, err, "listener")
					require.LessOrEqual(t, time.Since(began), 1100*time.Millisecond)
					_, err = c.Fetch(ctx, nodeAddress, l, asked, internode.Discard)
					require.ErrorContains(t, err, "listener", "it is closed")
				},
			)
		})
	}
}

func TestAskedNodeThatSaysWhatItMustNot(t *testing.T) {
	one := func(m internode.Message, change func(h *internode.FileHead)) []byte {
		h := *m.(*internode.FileHead)
		change(&h)
		return internode.Append(nil, &h)
	}
	second := func(m internode.Message) bool {
		h, ok := m.(*internode.FileHead)
		return ok && h.Sequence == 1
	}
	for name, c := range map[string]struct {
		before func(m internode.Message, right []byte) []byte
		want   internode.Kind
		text   string
	}{
		"COMPLETE before the files": {func(m internode.Message, right []byte) []byte {
			if _, ok := m.(internode.PrepareSynAck); ok {
				return append(right, internode.Append(nil, internode.Complete)...)
			}
			if _, ok := m.(*internode.FileHead); ok {
				// On the bubble's clock this ends only after the client has handled COMPLETE.
				time.Sleep(time.Second)
			}
			return right
		}, internode.Protocol, "of the files of table"},
		"SYNACK twice": {func(m internode.Message, right []byte) []byte {
			if _, ok := m.(internode.PrepareSynAck); ok {
				return append(right, right...)
			}
			return right
		}, internode.Protocol, "out of its turn"},
		"a first file of another plan": {func(m internode.Message, right []byte) []byte {
			if _, ok := m.(*internode.FileHead); ok {
				return one(m, func(h *internode.FileHead) { h.Plan[0] ^= 1 })
			}
			return right
		}, internode.Unreached, "127.0.0.9:7099"},
		"a later file of another plan": {func(m internode.Message, right []byte) []byte {
			if second(m) {
				return one(m, func(h *internode.FileHead) { h.Plan[0] ^= 1 })
			}
			return right
		}, internode.Protocol, "was asked for one of"},
		"a file of another table": {func(m internode.Message, right []byte) []byte {
			if second(m) {
				return one(m, func(h *internode.FileHead) { h.Table = tableB })
			}
			return right
		}, internode.Protocol, "more files of table"},
		"a file that was not asked for": {func(m internode.Message, right []byte) []byte {
			if second(m) {
				return one(m, func(h *internode.FileHead) { h.Asked = false })
			}
			return right
		}, internode.Protocol, "was asked for one of"},
		"a file twice": {func(m internode.Message, right []byte) []byte {
			if second(m) {
				return one(m, func(h *internode.FileHead) { h.Sequence = 0 })
			}
			return right
		}, internode.Protocol, "twice"},
		"more bytes than announced": {func(m internode.Message, right []byte) []byte {
			if second(m) {
				return append([]byte{0}, right...)
			}
			return right
		}, internode.Protocol, "message 0"},
		"fewer bytes than announced": {func(m internode.Message, right []byte) []byte {
			if second(m) {
				return one(
					m, func(h *internode.FileHead) { h.Sections = []internode.Section{{To: 100}} },
				)
			}
			return right
		}, internode.Deadline, "in the midst of a file"},
		"another message for a file": {func(m internode.Message, right []byte) []byte {
			if second(m) {
				return internode.Append(nil, internode.Complete)
			}
			return right
		}, internode.Protocol, "out of its turn"},
		"an unknown version": {func(m internode.Message, right []byte) []byte {
			if m == nil && len(right) > 12 {
				return internode.AppendOffer(
					nil, internode.Offer{Use: 14, Min: 14, Max: 15, From: internodetest.Own},
				)
			}
			return right
		}, internode.Unreached, "versions 14 to 15"},
		"no handshake": {func(m internode.Message, right []byte) []byte {
			if m == nil && len(right) > 12 {
				return []byte("GET / HTTP/1.1\r\n\r\n")
			}
			return right
		}, internode.Unreached, "begins with 0x47455420"},
	} {
		t.Run(name, func(t *testing.T) {
			n := internodetest.Node{Before: c.before, Has: has(
				internodetest.Rows(
					tableA,
					header,
					[]byte("partition"),
				),
				internodetest.Rows(tableA, header, []byte("another")),
			)}
			playAsked(
				t,
				&n,
				func(
					ctx context.Context, t *testing.T, client *internode.Client,
					l *internode.Listener,
				) {
					_, err := client.Fetch(ctx, nodeAddress, l, asked, internode.Discard)
					require.Equal(t, c.want, internode.KindOf(err), "%v", err)
					require.ErrorContains(t, err, c.text)
				},
			)
		})
	}
}

func TestFilesThatAreNotWhatTheirHeadsSay(t *testing.T) {
	good := broughtWhole(tableA)
	for text, change := range map[string]func(*internodetest.Brought){
		"without Data.db": func(b *internodetest.Brought) {
			b.Head.Manifest = internode.Manifest{{Name: "Index.db", Size: 20}}
		},
		"Data.db twice": func(b *internodetest.Brought) {
			b.Head.Manifest = internode.Manifest{{Name: "Data.db", Size: 1}, {Name: "Data.db", Size: 19}}
		},
		"a block of": func(b *internodetest.Brought) {
			*b = internodetest.Rows(tableA, header, []byte("partition"))
			b.Payload[3] = 0xff
		},
		"compressed by LZ4": func(b *internodetest.Brought) {
			*b = internodetest.Rows(tableA, header, []byte("partition"))
			b.Payload[8] = 0xff
		},
	} {
		bad := good
		change(&bad)
		n := internodetest.Node{Has: has(bad)}
		playAsked(
			t,
			&n,
			func(
				ctx context.Context, t *testing.T, client *internode.Client, l *internode.Listener,
			) {
				_, err := client.Fetch(ctx, nodeAddress, l, asked, internode.Discard)
				require.Equal(t, internode.Protocol, internode.KindOf(err), "%v", err)
				require.ErrorContains(t, err, text)
			},
		)
	}
}

func TestReceiverThatDoesNotTakeAFile(t *testing.T) {
	n := internodetest.Node{Has: has(broughtWhole(tableA))}
	playAsked(
		t,
		&n,
		func(ctx context.Context, t *testing.T, client *internode.Client, l *internode.Listener) {
			_, err := client.Fetch(
				ctx,
				nodeAddress,
				l,
				asked,
				func(context.Context, *internode.Delivery) error { return errWrong },
			)
			require.Equal(t, internode.Sink, internode.KindOf(err), "%v", err)
			require.ErrorIs(t, err, errWrong)
			_, err = client.Fetch(
				ctx,
				nodeAddress,
				l,
				asked,
				func(_ context.Context, d *internode.Delivery) error {
					_, err := io.CopyN(io.Discard, d.Body, 4)
					return err
				},
			)
			require.Equal(t, internode.Sink, internode.KindOf(err), "%v", err)
			require.ErrorContains(t, err, "5 of 9 bytes of a file were not taken")
			require.Empty(t, n.Complete())
		},
	)
}

// A receiver may take its time. The file is acknowledged when the receiver has it, and no timeout
// ends the session.
func TestReceiverThatIsSlow(t *testing.T) {
	n := internodetest.Node{Has: has(broughtWhole(tableA))}
	playAsked(
		t,
		&n,
		func(ctx context.Context, t *testing.T, client *internode.Client, l *internode.Listener) {
			began := time.Now()
			_, err := client.Fetch(
				ctx,
				nodeAddress,
				l,
				asked,
				func(ctx context.Context, d *internode.Delivery) error {
					time.Sleep(time.Hour)
					return internode.Discard(ctx, d)
				},
			)
			require.NoError(t, err)
			require.Equal(t, time.Hour, time.Since(began))
		},
	)
}

func TestTwoSessionsOnOneListener(t *testing.T) {
	n := internodetest.Node{Connections: 2, Has: has(broughtChunks(tableA), broughtWhole(tableA))}
	playAsked(
		t,
		&n,
		func(ctx context.Context, t *testing.T, client *internode.Client, l *internode.Listener) {
			var wg sync.WaitGroup
			for range 5 {
				wg.Go(func() {
					fetched, err := client.Fetch(ctx, nodeAddress, l, asked, internode.Discard)
					if err == nil && (fetched.Files != 2 || fetched.Bytes != 30) {
						err = errors.New("not all files")
					}
					if err != nil {
						t.Error(err)
					}
				})
			}
			wg.Wait()
			require.Len(t, n.Complete(), 5)
		},
	)
}

func TestNodeThatCannotConnect(t *testing.T) {
	n := internodetest.Node{Has: has(broughtWhole(tableA))}
	n.Connect = func(context.Context, string, string) (net.Conn, error) { return nil, errWrong }
	playAsked(
		t,
		&n,
		func(ctx context.Context, t *testing.T, client *internode.Client, l *internode.Listener) {
			for _, err := range []error{client.CheckReach(ctx, nodeAddress, l), func() error {
				_, err := client.Fetch(ctx, nodeAddress, l, asked, internode.Discard)
				return err
			}()} {
				require.Equal(t, internode.Unreached, internode.KindOf(err), "%v", err)
				require.ErrorContains(t, err, "before it connected to 127.0.0.9:7099")
			}
		},
	)
}

func TestWhatCannotBeAskedFor(t *testing.T) {
	var n internodetest.Node
	playAsked(
		t,
		&n,
		func(ctx context.Context, t *testing.T, client *internode.Client, l *internode.Listener) {
			_, err := client.Fetch(ctx, waitedAt.String(), l, asked, internode.Discard)
			require.Equal(t, internode.Unreached, internode.KindOf(err), "%v", err)
			require.ErrorContains(t, err, "the node's own address")
			whole := asked.Ranges
			for text, bad := range map[string]internode.Request{
				"no range":         {Keyspace: "ks", Table: "t"},
				"that is empty":    {Keyspace: "ks", Table: "t", Ranges: make([]token.Range, 1)},
				`of the name ""`:   {Keyspace: "ks", Ranges: whole},
				`of the name "ä"`:  {Keyspace: "ä", Table: "t", Ranges: whole},
				`of the name "xxx`: {Keyspace: "ks", Table: string(bytes.Repeat([]byte("x"), 256)), Ranges: whole},
			} {
				_, err := client.Fetch(ctx, nodeAddress, l, bad, internode.Discard)
				require.Equal(t, internode.Source, internode.KindOf(err), "%v", err)
				require.ErrorContains(t, err, text)
				_, err = client.Estimate(ctx, nodeAddress, bad)
				require.ErrorContains(t, err, text)
			}
		},
	)
}

// If a node stops in the middle of a file, it sends everything when it is asked again, at the same
// listener.
func TestNodeAskedAfterItsEnd(t *testing.T) {
	n := internodetest.Node{Has: has(internodetest.Rows(tableA, header, random(200_000)))}
	ended := false
	n.Draw = func(step internodetest.Step) internodetest.Harm {
		if step != internodetest.MidBring || ended {
			return ""
		}
		ended = true
		return internodetest.Close
	}
	playAsked(
		t,
		&n,
		func(ctx context.Context, t *testing.T, client *internode.Client, l *internode.Listener) {
			_, err := client.Fetch(ctx, nodeAddress, l, asked, internode.Discard)
			require.Equal(t, internode.Lost, internode.KindOf(err), "%v", err)
			fetched, err := client.Fetch(ctx, nodeAddress, l, asked, internode.Discard)
			require.NoError(t, err)
			require.Equal(t, int64(200_000), fetched.Bytes)
		},
	)
}
