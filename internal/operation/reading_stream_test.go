package operation

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"net"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/internode"
	"github.com/cqlbulk/cqlbulk/internal/manifest"
	"github.com/cqlbulk/cqlbulk/internal/run"
	"github.com/cqlbulk/cqlbulk/internal/spec"
	"github.com/cqlbulk/cqlbulk/internal/test/internodetest"
	"github.com/cqlbulk/cqlbulk/internal/test/simcluster"
	"github.com/cqlbulk/cqlbulk/pkg/sstable/component"
)

// store is the shop with rows, which its nodes bring: each those that it is a replica of at that
// moment.
type store struct {
	*shop

	mu sync.Mutex
	// how often each node was asked for the table
	asked map[int]int
	// the table that each was asked for last
	last map[int]string
	// is called when a node is asked for the table
	meet func(node int)
	// what a node does instead of continuing
	harm func(node int, t string, at internodetest.Step) internodetest.Harm
	// of what a node brings
	change func(node int, b *internodetest.Brought)
	// in how many files it does, each with all rows; 0: in one
	files int
}

const storeRows = 100

func openStore(t *testing.T) *store {
	t.Helper()
	s := &store{asked: make(map[int]int), last: make(map[int]string)}
	s.shop = openShopOn(
		t,
		simcluster.Options{Cores: 1, Storage: func(node int, port *internodetest.Node) {
			bring := port.Has
			port.Has = func(r internode.Request) ([]internodetest.Brought, error) {
				s.meets(node, r.Table)
				list, err := bring(r)
				s.mu.Lock()
				defer s.mu.Unlock()
				for i := range list {
					if s.change != nil && r.Table == orders.Table {
						s.change(node, &list[i])
					}
				}
				if r.Table == orders.Table {
					list = slices.Repeat(list, max(s.files, 1))
				}
				return list, err
			}
			port.Connections = 2
			port.Draw = func(at internodetest.Step) internodetest.Harm {
				s.mu.Lock()
				defer s.mu.Unlock()
				if s.harm == nil {
					return ""
				}
				return s.harm(node, s.last[node], at)
			}
		}},
	)
	text := "customer,number,pieces\n"
	for i := range storeRows {
		text += fmt.Sprintf("%s,1,%d\n", customer(i), i)
	}
	loaded, err := s.runLoad(t, s.load(t, text))
	require.NoError(t, err)
	require.EqualValues(t, storeRows, loaded.Written)
	return s
}

// meets takes note that a node is asked for a table.
func (s *store) meets(node int, t string) {
	s.mu.Lock()
	meet := s.meet
	s.last[node] = t
	if t == orders.Table {
		s.asked[node]++
	} else {
		meet = nil
	}
	s.mu.Unlock()
	if meet != nil {
		meet(node)
	}
}

// let changes what the nodes do.
func (s *store) let(change func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change()
}

// askedOf is how often a node was asked for the table.
func (s *store) askedOf(node int) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asked[node]
}

// customer is the key of a row.
func customer(i int) string { return fmt.Sprintf("c%d", i) }

// spec is that of a scan by streaming into a file.
func (s *store) spec() *spec.Scan {
	settings := spec.NewScan()
	settings.Connection, settings.TableName, settings.Path, settings.Header, settings.RunDir = s.connection, orders, "out.csv", false, "run"
	settings.Format, settings.Via, settings.Listen = "csv", spec.ViaStream, "127.0.0.1:0"
	return settings
}

// scan runs a scan.
func (s *store) scan(t *testing.T, settings *spec.Scan) (ScanReport, error) {
	t.Helper()
	scan, err := PrepareScan(t.Context(), s.env, *settings)
	require.NoError(t, err)
	defer scan.Close()
	return scan.Run(t.Context())
}

// failButFirst has all nodes but the first fail while they bring the table.
func (s *store) failButFirst() {
	s.let(func() {
		s.harm = func(n int, t string, at internodetest.Step) internodetest.Harm {
			if n != 0 && at == internodetest.MidBring && t == orders.Table {
				return internodetest.Fail
			}
			return ""
		}
	})
}

// requireWhole requires that all rows are in the output.
func (s *store) requireWhole(t *testing.T, r ScanReport, err error) {
	t.Helper()
	require.NoError(t, err)
	require.Equal(t, run.Done, r.Outcome, "%v", r.Failed)
	text, err := os.ReadFile("out.csv")
	require.NoError(t, err)
	var want []string
	for i := range storeRows {
		want = append(want, fmt.Sprintf("%s,1,%d\n", customer(i), i))
	}
	require.ElementsMatch(t, want, slices.Collect(strings.Lines(string(text))))
}

// toldOnce requires one warning with a text.
func (s *store) toldOnce(t *testing.T, text string) {
	t.Helper()
	found := slices.DeleteFunc(
		slices.Clone(s.told),
		func(line string) bool { return !strings.Contains(line, text) },
	)
	require.Len(t, found, 1, "%q in %q", text, s.told)
}

// The level sets the number of replicas that send the rows, and the manifest records how.
func TestScanByStreaming(t *testing.T) {
	for _, level := range []string{"LOCAL_ONE", "QUORUM", "ALL"} {
		t.Run(level, func(t *testing.T) {
			s := openStore(t)
			settings := s.spec()
			settings.Consistency = level
			require.NoError(t, os.Mkdir("temp", 0o700))
			settings.TempDir = "temp"
			r, err := s.scan(t, settings)
			s.requireWhole(t, r, err)
			left, err := os.ReadDir("temp")
			require.NoError(t, err)
			require.Empty(t, left)
			m, err := manifest.Read(r.Manifest)
			require.NoError(t, err)
			require.Equal(t, spec.ViaStream, m.Reading.Via)
			require.Equal(t, level, m.Reading.Replicas)
			require.Nil(t, m.Reading.SSTables)
			require.WithinDuration(t, m.Started, *m.Reading.Now, time.Minute)
		})
	}
}

// A level that asks for more replicas than there are is refused.
func TestMoreReplicasThanThereAre(t *testing.T) {
	s := openStore(t)
	settings := s.spec()
	settings.Consistency = "THREE"
	_, err := PrepareScan(t.Context(), s.env, *settings)
	require.ErrorContains(t, err, "--consistency THREE: some rows have no more than 2 replicas")
	require.Zero(t, s.askedOf(0)+s.askedOf(1)+s.askedOf(2))
}

// onTable harms a node whenever it comes to a step with the table.
func onTable(
	node int,
	at internodetest.Step,
	harm internodetest.Harm,
) func(int, string, internodetest.Step) internodetest.Harm {
	return func(n int, t string, step internodetest.Step) internodetest.Harm {
		if n == node && step == at && t == orders.Table {
			return harm
		}
		return ""
	}
}

// Where a node fails in a session another replica is asked.
func TestNodeThatFailsInASession(t *testing.T) {
	for _, harm := range []internodetest.Harm{internodetest.Close, internodetest.Fail} {
		for _, at := range []internodetest.Step{
			internodetest.BringOpen,
			internodetest.BringHead,
			internodetest.MidBring,
			internodetest.Finish,
		} {
			t.Run(fmt.Sprint(harm, " at ", at), func(t *testing.T) {
				s := openStore(t)
				s.let(func() { s.harm = onTable(1, at, harm) })
				r, err := s.scan(t, s.spec())
				s.requireWhole(t, r, err)
				s.toldOnce(t, "asking another replica")
			})
		}
	}
}

// A node that does not answer at the start is asked last, and the others for its ranges.
func TestNodeThatFailsAtTheStart(t *testing.T) {
	s := openStore(t)
	s.let(func() {
		s.harm = func(n int, t string, at internodetest.Step) internodetest.Harm {
			if n == 2 && at == internodetest.Finish && t == "local" {
				return internodetest.Fail
			}
			return ""
		}
	})
	r, err := s.scan(t, s.spec())
	s.requireWhole(t, r, err)
	s.toldOnce(t, "it is asked where there is no other replica")
	require.Zero(t, s.askedOf(2))
}

// That nodes do not reach the listener is said before any is asked for the table, which would be
// flushed.
func TestListenerThatNodesDoNotReach(t *testing.T) {
	s := openStore(t)
	s.let(func() {
		s.harm = func(n int, _ string, at internodetest.Step) internodetest.Harm {
			if n == 1 && at == internodetest.BringOpen {
				return internodetest.Fail
			}
			return ""
		}
	})
	_, err := PrepareScan(t.Context(), s.env, *s.spec())
	require.ErrorContains(t, err, "the node failed the session before it connected to 127.0.0.1:")
	require.Zero(t, s.askedOf(0)+s.askedOf(1)+s.askedOf(2))
}

// A node that hangs in a session, and answers no question either, is not waited for any longer than
// there is patience with it.
func TestNodeThatIsSilentInASession(t *testing.T) {
	s := openStore(t)
	s.let(func() { s.harm = onTable(1, internodetest.MidBring, internodetest.Hang) })
	s.let(func() {
		s.meet = func(node int) {
			if node == 1 {
				s.cluster.Inject(
					simcluster.Rule{
						Fault: simcluster.Silence,
						Match: func(r simcluster.Request) bool { return r.Node == 1 },
					},
				)
			}
		}
	})
	settings := s.spec()
	settings.Patience, settings.Timeout = 200*time.Millisecond, time.Second
	r, err := s.scan(t, settings)
	s.requireWhole(t, r, err)
	s.toldOnce(t, "nothing was heard of the node for 200ms (--patience): asking another replica")
}

// A node that answers questions, and never brings a file, is given up, and another one is asked.
func TestNodeThatBringsNothing(t *testing.T) {
	s := openStore(t)
	s.let(func() { s.harm = onTable(1, internodetest.BringOpen, internodetest.Hang) })
	settings := s.spec()
	settings.Patience = time.Second
	r, err := s.scan(t, settings)
	s.requireWhole(t, r, err)
	s.toldOnce(
		t,
		"the node neither sent a file nor completed the session within 5s: asking another replica",
	)
}

// To listen at a node's own address is refused before any is asked for anything.
func TestListenerAtTheAddressOfANode(t *testing.T) {
	s := openStore(t)
	probed := false
	s.let(func() {
		s.harm = func(int, string, internodetest.Step) internodetest.Harm {
			probed = true
			return ""
		}
	})
	own := net.JoinHostPort(s.cluster.Hosts()[1], "7000")
	settings := s.spec()
	settings.Listen = own
	_, err := PrepareScan(t.Context(), s.env, *settings)
	require.EqualError(
		t,
		err,
		fmt.Sprintf(
			"--listen %s: files would be waited for at %[1]s, which is the node's own address and port: it would keep silent",
			own,
		),
	)
	require.False(t, probed)
}

// Ranges that no replica gave are listed, and are read by a retry.
func TestRangesThatNobodyGave(t *testing.T) {
	s := openStore(t)
	s.failButFirst()
	r, err := s.scan(t, s.spec())
	require.NoError(t, err)
	require.Equal(t, run.Partly, r.Outcome)
	require.NotEmpty(t, r.Failed)
	require.Positive(t, r.Ranges)
	require.ErrorContains(
		t,
		r.Failed[0].Err,
		"too few of its replicas could be asked: storage port 127.",
	)
	require.NoFileExists(t, "out.csv")
	s.let(func() { s.harm = nil })
	retry, err := PrepareRetry(t.Context(), s.env, spec.Resume{RunDir: r.Next.RunDir})
	require.NoError(t, err)
	defer retry.Scan.Close()
	r, err = retry.Scan.Run(t.Context())
	s.requireWhole(t, r, err)
}

// What a node sends that cannot be of an SSTable is asked of another one, and is not kept.
func TestNodeThatSendsNoSSTable(t *testing.T) {
	for name, change := range map[string]func(h *internode.FileHead){
		"a chunk of two gigabytes": func(h *internode.FileHead) {
			h.Compression = &internode.Compression{
				Chunks:        []internode.Chunk{{Length: 1<<31 - 1}},
				Compressor:    component.LZ4Compressor,
				ChunkLength:   1 << 14,
				MaxCompressed: 1 << 14,
			}
		},
		"chunks of two gigabytes": func(h *internode.FileHead) {
			h.Compression = &internode.Compression{
				Chunks:        []internode.Chunk{{Length: 10}},
				Compressor:    component.LZ4Compressor,
				ChunkLength:   1 << 30,
				MaxCompressed: 1<<31 - 1,
			}
		},
		"another version": func(h *internode.FileHead) { h.Version = "zz" },
	} {
		t.Run(name, func(t *testing.T) {
			s := openStore(t)
			s.let(func() {
				s.change = func(node int, b *internodetest.Brought) {
					if node == 0 {
						change(&b.Head)
					}
				}
			})
			r, err := s.scan(t, s.spec())
			s.requireWhole(t, r, err)
			s.toldOnce(t, "asking another replica")
		})
	}
}

// What is broken on a node's disk, which nodes do not look at, is asked of another one.
func TestNodeWhoseDiskIsBroken(t *testing.T) {
	for name, broken := range map[string]int{"no node": -1, "the first": 0} {
		t.Run(name, func(t *testing.T) {
			s := openStore(t)
			s.let(func() {
				s.change = func(node int, b *internodetest.Brought) {
					plain, err := io.ReadAll(
						internode.NewBlocks(bytes.NewReader(b.Payload), b.Head.Length()),
					)
					if err != nil {
						panic(err) // it is what was written
					}
					// These chunks are kept as they are.
					b.Head.Compression = &internode.Compression{
						Compressor:    component.LZ4Compressor,
						ChunkLength:   256,
						MaxCompressed: 1,
					}
					b.Payload = nil
					for chunk := range slices.Chunk(plain, 256) {
						b.Head.Compression.Chunks = append(
							b.Head.Compression.Chunks,
							internode.Chunk{Offset: int64(len(b.Payload)), Length: len(chunk)},
						)
						b.Payload = binary.BigEndian.AppendUint32(
							append(b.Payload, chunk...),
							crc32.ChecksumIEEE(chunk),
						)
					}
					if node == broken {
						b.Payload[len(b.Payload)-10] ^= 1
					}
				}
			})
			r, err := s.scan(t, s.spec())
			s.requireWhole(t, r, err)
			if broken >= 0 {
				s.toldOnce(t, "is broken: its checksum is another one: asking another replica")
			}
		})
	}
}

// When nodes move, come or go while rows are fetched, these are fetched again from where they are
// then.
func TestNodesThatMoveMeanwhile(t *testing.T) {
	for name, move := range map[string]func(c *simcluster.Cluster) error{
		"moves": func(c *simcluster.Cluster) error { return c.Move(1) },
		"comes": func(c *simcluster.Cluster) error {
			_, err := c.Join("", "")
			return err
		},
		"goes": func(c *simcluster.Cluster) error { return c.Leave(1) },
	} {
		t.Run(name, func(t *testing.T) {
			s := openStore(t)
			var once sync.Once
			var moved error
			s.let(func() { s.meet = func(int) { once.Do(func() { moved = move(s.cluster) }) } })
			r, err := s.scan(t, s.spec())
			require.NoError(t, moved)
			s.requireWhole(t, r, err)
			s.toldOnce(t, "what was fetched meanwhile is fetched again")
		})
	}
}

// Nodes that move on and on end the scan.
func TestNodesThatMoveOnAndOn(t *testing.T) {
	s := openStore(t)
	// an error would be one move less
	s.let(func() { s.meet = func(int) { _ = s.cluster.Move(1) } })
	r, err := s.scan(t, s.spec())
	require.ErrorContains(t, err, "4 times while the same rows were fetched")
	require.Equal(t, run.Failed, r.Outcome)
	require.NoFileExists(t, "out.csv")
}

// A table that is not what it was ends the scan for good.
func TestTableThatChangesMeanwhile(t *testing.T) {
	for name, c := range map[string]struct {
		change func(t *testing.T, s *store)
		says   string
	}{
		"dropped":   {func(t *testing.T, s *store) { require.NoError(t, s.cluster.Drop("shop.orders")) }, "the table was dropped meanwhile"},
		"truncated": {func(t *testing.T, s *store) { require.NoError(t, s.cluster.Truncate("shop.orders")) }, "the table was truncated at "},
		"created again": {func(t *testing.T, s *store) {
			columns := s.cluster.Columns("shop.orders")
			require.NoError(t, s.cluster.Drop("shop.orders"))
			require.NoError(t, s.cluster.Create(simcluster.Table{Keyspace: "shop", Name: "orders", Columns: columns}, 7))
		}, "the table was altered, or created again, meanwhile"},
	} {
		t.Run(name, func(t *testing.T) {
			s := openStore(t)
			var once sync.Once
			s.let(func() { s.meet = func(int) { once.Do(func() { c.change(t, s) }) } })
			r, err := s.scan(t, s.spec())
			require.ErrorContains(t, err, c.says)
			require.Equal(t, run.Failed, r.Outcome)
			require.Empty(t, r.Next.Command)
			require.NoFileExists(t, "out.csv")
		})
	}
}

// Nodes learn one after the other that a table is dropped: those that know fail, while others still
// say that it is there. When ranges have failed, it is asked for once more at the end.
func TestTableDroppedWhereNodesFailed(t *testing.T) {
	s := openStore(t)
	s.failButFirst()
	scan, err := PrepareScan(t.Context(), s.env, *s.spec())
	require.NoError(t, err)
	defer scan.Close()
	look := scan.t.Files.Unchanged
	scan.t.Files.Unchanged = func(ctx context.Context) error {
		require.NoError(t, s.cluster.Drop("shop.orders"))
		return look(ctx)
	}
	r, err := scan.Run(t.Context())
	require.ErrorContains(t, err, "the table was dropped meanwhile")
	require.Equal(t, run.Failed, r.Outcome)
	require.Empty(t, r.Next.Command)
	require.NoFileExists(t, "out.csv")
}

// A folder that takes nothing is an error of this side, which no other node would do better with.
func TestTempDirThatTakesNothing(t *testing.T) {
	s := openStore(t)
	settings := s.spec()
	settings.TempDir = "nowhere"
	_, err := PrepareScan(t.Context(), s.env, *settings)
	require.ErrorContains(
		t,
		err,
		"--temp-dir nowhere: open nowhere/.streamed-",
		"before anything is asked for",
	)

	require.NoError(t, os.Mkdir("nowhere", 0o700))
	scan, err := PrepareScan(t.Context(), s.env, *settings)
	require.NoError(t, err)
	defer scan.Close()
	require.NoError(t, os.Remove("nowhere"))
	r, err := scan.Run(t.Context())
	require.ErrorContains(t, err, "--temp-dir nowhere: open nowhere/.streamed-")
	require.Equal(t, run.Failed, r.Outcome)
	for _, line := range s.told {
		require.NotContains(t, line, "asking another replica")
	}
}

// A node that failed is asked last from then on. It is not asked again if others have all rows. If
// nodes moved, the rows that they have are fetched once more.
func TestNodeThatFailedIsAskedLast(t *testing.T) {
	s := openStore(t)
	scan, err := PrepareScan(t.Context(), s.env, *s.spec())
	require.NoError(t, err)
	defer scan.Close()
	prepared := []int{s.askedOf(0), s.askedOf(1)} // how much they have
	var once sync.Once
	var moved error
	s.let(func() {
		s.harm = onTable(1, internodetest.MidBring, internodetest.Fail)
		s.meet = func(int) { once.Do(func() { moved = s.cluster.Move(2) }) }
	})
	r, err := scan.Run(t.Context())
	require.NoError(t, moved)
	s.requireWhole(t, r, err)
	s.toldOnce(t, "what was fetched meanwhile is fetched again")
	require.Equal(t, prepared[1]+1, s.askedOf(1))
	require.Greater(t, s.askedOf(0), prepared[0]+1)
}
