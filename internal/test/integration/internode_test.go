//go:build integration

package integration

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/driver"
	"github.com/cqlbulk/cqlbulk/internal/internode"
	"github.com/cqlbulk/cqlbulk/pkg/cqlwire"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// streamedBody is the table of what these tests send through the storage port.
const streamedBody = "(k int, c int, v text, PRIMARY KEY (k, c))"

// streamedAt is the timestamp of what they send, in microseconds.
const streamedAt = 1700000000000000

// classOf is how a serialization header names a type.
func classOf(name string) []byte {
	class := "org.apache.cassandra.db.marshal." + name
	return append(cqlwire.AppendUvint(nil, uint64(len(class))), class...)
}

// streamedHeader is the serialization header of that table, with its minimum timestamp.
func streamedHeader(t *testing.T) []byte {
	minima, err := hex.DecodeString("fce9d96a43c0000000")
	require.NoError(t, err)
	return slices.Concat(
		minima,
		classOf("Int32Type"),
		[]byte{1},
		classOf("Int32Type"),
		[]byte{0, 1, 1, 'v'},
		classOf("UTF8Type"),
	)
}

// streamedPartition is a partition of one row, without deletions.
func streamedPartition(k, c int32, v string) []byte {
	row := []byte{0x24, 0}
	row = binary.BigEndian.AppendUint32(row, uint32(c))
	// previous size; timestamp; cell
	body := append([]byte{18, 0, 8}, cqlwire.AppendUvint(nil, uint64(len(v)))...)
	body = append(body, v...)
	row = append(append(row, cqlwire.AppendUvint(nil, uint64(len(body)))...), body...)
	return slices.Concat(partitionHead(k), row, []byte{1})
}

func partitionHead(k int32) []byte {
	head := binary.BigEndian.AppendUint32([]byte{0, 4}, uint32(k))
	return append(head, 0x7f, 0xff, 0xff, 0xff, 0x80, 0, 0, 0, 0, 0, 0, 0)
}

// streamed makes a file of that table's.
func streamed(
	t *testing.T,
	on *driver.Session,
	name string,
	keys int,
	plain []byte,
) internode.File {
	t.Helper()
	return internode.File{
		Table: tableID(
			t,
			on,
			name,
		),
		Keys:   int64(keys),
		Header: streamedHeader(t),
		Length: int64(len(plain)),
		Open:   func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(plain)), nil },
	}
}

func tableID(t *testing.T, on *driver.Session, name string) internode.UUID {
	t.Helper()
	keyspace, table, _ := strings.Cut(name, ".")
	described, err := on.Table(t.Context(), keyspace, table)
	require.NoError(t, err)
	id, err := internode.ParseUUID(described.ID)
	require.NoError(t, err)
	return id
}

// storageAddresses returns the addresses of all nodes; each node gets the same files.
func storageAddresses(t *testing.T) (all []string) {
	t.Helper()
	byID, err := session.StorageAddresses(t.Context())
	require.NoError(t, err)
	for _, address := range byID {
		all = append(all, address)
	}
	require.NotEmpty(t, all)
	slices.Sort(all)
	return all
}

// streamedLines is what CQL reads of such a table, sorted: keys, value, and when that was written.
func streamedLines(t *testing.T, name string) []string {
	t.Helper()
	out := ok(t, "scan", name, "--columns", "k,c,v,writetime(v)", "--header=false").out
	lines := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
	slices.Sort(lines)
	return lines
}

// complaints are the lines of the nodes' logs that warn of a session.
func complaints(t *testing.T, plan internode.UUID) (found []string) {
	t.Helper()
	logs, err := filepath.Glob(clusterFolder() + "/node*/logs/system.log")
	require.NoError(t, err)
	require.NotEmpty(t, logs)
	known := false
	for _, log := range logs {
		for line := range strings.Lines(read(t, log)) {
			if !strings.Contains(line, plan.String()) {
				continue
			}
			known = true
			if !strings.HasPrefix(line, "INFO") {
				found = append(found, line)
			}
		}
	}
	require.True(t, known, "no log knows plan %s", plan)
	return found
}

// wideStream is partitions in the order of their tokens, in files that share none, and what CQL
// reads of them.
func wideStream(t *testing.T, name string, rows, files int) (all []internode.File, lines []string) {
	type key struct {
		at token.Token
		k  int32
	}
	keys := make([]key, rows)
	for i := range keys {
		keys[i] = key{token.Murmur3.Hash(binary.BigEndian.AppendUint32(nil, uint32(i))), int32(i)}
	}
	slices.SortFunc(keys, func(a, b key) int { return a.at.Compare(b.at) })
	for n := range files {
		share := keys[n*rows/files : (n+1)*rows/files]
		var plain []byte
		for _, k := range share {
			v := fmt.Sprintf("value %d %s", k.k, strings.Repeat("x", int(k.k)%300))
			plain = append(plain, streamedPartition(k.k, -k.k, v)...)
			lines = append(lines, fmt.Sprintf("%d,%d,%s,%d", k.k, -k.k, v, streamedAt))
		}
		all = append(all, streamed(t, session, name, len(share), plain))
	}
	slices.Sort(lines)
	return all, lines
}

func TestPartitionStreamedInByHand(t *testing.T) {
	t.Parallel()
	table(t, "it3.streamed", streamedBody)
	rows, err := hex.DecodeString("24000000000206120008026869040000000003040d83e80101")
	require.NoError(t, err)
	plain := append(partitionHead(1), rows...)
	require.Len(t, plain, 43)
	var client internode.Client
	for _, node := range storageAddresses(t) {
		plan, err := client.Stream(
			t.Context(),
			node,
			[]internode.File{streamed(t, session, "it3.streamed", 1, plain)},
			internode.Watch{},
		)
		require.NoError(t, err)
		require.Empty(t, complaints(t, plan))
	}
	require.Equal(t, []string{"1,2,hi,1700000000000000", "1,3,,"}, streamedLines(t, "it3.streamed"))
}

func TestManyPartitionsStreamedInOnSeveralConnections(t *testing.T) {
	lengthy(t)
	t.Parallel()
	table(t, "it3.streamed_many", streamedBody)
	files, want := wideStream(t, "it3.streamed_many", testRows(t, 20_000), 5)
	client := internode.Client{Connections: 3}
	for _, node := range storageAddresses(t) {
		received := make([]time.Duration, len(files))
		_, err := client.Stream(
			t.Context(),
			node,
			files,
			internode.Watch{Received: func(file int, took time.Duration) { received[file] = took }},
		)
		require.NoError(t, err)
		for file, took := range received {
			require.Positive(t, took, "file %d", file)
		}
	}
	got := streamedLines(t, "it3.streamed_many")
	require.Len(t, got, len(want))
	for i, line := range want {
		require.Equal(t, line, got[i])
	}
}

// A session that the node fails leaves nothing, and its error says where the reason is. The node
// has the reason in a table, too.
func TestStreamIntoATableThatIsNone(t *testing.T) {
	t.Parallel()
	table(t, "it3.streamed_none", streamedBody)
	file := streamed(t, session, "it3.streamed_none", 1, streamedPartition(1, 1, "v"))
	file.Table[0] ^= 0xff
	var client internode.Client
	node := storageAddresses(t)[0]
	plan, err := client.Stream(t.Context(), node, []internode.File{file}, internode.Watch{})
	require.Equal(t, internode.Failed, internode.KindOf(err), "%v", err)
	require.ErrorContains(t, err, "storage port "+node)
	require.ErrorContains(t, err, plan.String())
	cluster, err := session.Topology(t.Context())
	require.NoError(t, err)
	for _, n := range cluster.Nodes {
		if strings.HasPrefix(n.Version, "4.0.") ||
			strings.Split(n.Address, ":")[0] != strings.Split(node, ":")[0] {
			continue // 4.0 keeps no such account
		}
		require.Eventually(
			t,
			func() bool { return session.StreamFailure(t.Context(), n.ID, plan).Why != "" },
			time.Minute,
			100*time.Millisecond,
		)
		require.NotContains(t, session.StreamFailure(t.Context(), n.ID, plan).Why, ".java:")
	}
}

func TestStorageProbed(t *testing.T) {
	t.Parallel()
	var client internode.Client
	for _, node := range storageAddresses(t) {
		probed, err := client.Probe(t.Context(), node)
		require.NoError(t, err)
		require.Equal(t, internode.Probed{Version: 12}, probed)
	}
	_, err := client.Probe(t.Context(), strings.Split(testHosts(), ",")[0]+":9042")
	require.Contains(
		t,
		[]internode.Kind{internode.Version, internode.Deadline},
		internode.KindOf(err),
		"%v",
		err,
	)
}

// A session that ends in mid-file, by the client, is repeated: everything is there once.
func TestStreamCutOffAndRepeated(t *testing.T) {
	t.Parallel()
	table(t, "it3.streamed_again", streamedBody)
	files, want := wideStream(t, "it3.streamed_again", testRows(t, 20_000), 2)
	open := files[1].Open
	client := internode.Client{Connections: 2}
	for _, node := range storageAddresses(t) {
		ctx, cancel := context.WithCancel(t.Context())
		files[1].Open = func() (io.ReadCloser, error) {
			r, err := open()
			return &stopping{Reader: r, left: int(files[1].Length / 2), halt: cancel}, err
		}
		_, err := client.Stream(ctx, node, files, internode.Watch{})
		require.Equal(t, internode.Canceled, internode.KindOf(err), "%v", err)
		files[1].Open = open
		_, err = client.Stream(t.Context(), node, files, internode.Watch{})
		require.NoError(t, err)
	}
	require.Equal(t, want, streamedLines(t, "it3.streamed_again"))
}

// stopping is a reader that calls halt when it has given some of its bytes.
type stopping struct {
	io.Reader
	halt func()
	left int
}

func (r *stopping) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	if r.left > 0 {
		if r.left -= n; r.left <= 0 {
			r.halt()
		}
	}
	return n, err
}

func (r *stopping) Close() error { return nil }

// A node that is stopped inside a session, and does not continue in time, is given up. One that
// continues completes the session.
func TestNodesOneStoppedInsideASession(t *testing.T) {
	node := servers(t)[0]
	address := strings.Split(testHosts(), ",")[0] + ":7000"
	table(t, "it3.streamed_halt", streamedBody)
	files, want := wideStream(t, "it3.streamed_halt", testRows(t, 20_000), 1)
	open := files[0].Open
	halt := func(then func()) {
		files[0].Open = func() (io.ReadCloser, error) {
			r, err := open()
			return &stopping{Reader: r, left: int(files[0].Length / 2), halt: func() {
				node.signal(t, syscall.SIGSTOP)
				then()
			}}, err
		}
	}
	halt(func() {})
	impatient := internode.Client{
		Timeouts: internode.Timeouts{
			Connect:  time.Second,
			Stall:    time.Second,
			Received: time.Second,
		},
	}
	_, err := impatient.Stream(t.Context(), address, files, internode.Watch{})
	require.Equal(t, internode.Deadline, internode.KindOf(err), "%v", err)
	_, err = impatient.Probe(t.Context(), address)
	require.Equal(t, internode.Deadline, internode.KindOf(err), "%v", err)
	node.signal(t, syscall.SIGCONT)

	halt(func() {
		time.AfterFunc(
			either(5*time.Second, 25*time.Second),
			func() { node.signal(t, syscall.SIGCONT) },
		)
	})
	patient := internode.Client{KeepAlive: time.Second}
	_, err = patient.Stream(t.Context(), address, files, internode.Watch{})
	require.NoError(t, err)
	require.Equal(t, want, streamedLines(t, "it3.streamed_halt"))
}
