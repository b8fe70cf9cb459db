//go:build integration

package integration

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"net"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/internode"
	"github.com/cqlbulk/cqlbulk/pkg/sstable"
	"github.com/cqlbulk/cqlbulk/pkg/sstable/component"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// wholeRing is all there is of a table.
var wholeRing = []token.Range{token.Whole(token.Murmur3)}

// listener is one for files, at a free port of this machine.
func listener(t *testing.T) *internode.Listener {
	t.Helper()
	l, err := internode.Listen(":0", nil)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, l.Close()) })
	return l
}

func request(name string, ranges []token.Range) internode.Request {
	keyspace, table, _ := strings.Cut(name, ".")
	return internode.Request{Keyspace: keyspace, Table: table, Ranges: ranges}
}

// fetchedRows are the rows of (k, c, v) that came in files, each with its latest value, as CQL
// would give them.
type fetchedRows struct {
	mu       sync.Mutex
	values   map[[2]int32]string
	written  map[[2]int32]int64
	contents map[internode.Content]int
	stored   map[string]int // files by their compressor
}

func newFetchedRows() *fetchedRows {
	return &fetchedRows{
		values:   map[[2]int32]string{},
		written:  map[[2]int32]int64{},
		contents: map[internode.Content]int{},
		stored:   map[string]int{},
	}
}

func (f *fetchedRows) receive(_ context.Context, d *internode.Delivery) error {
	b, err := io.ReadAll(d.Body)
	if err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.contents[d.Content]++
	compressor := "none"
	if d.Compression != nil {
		compressor = d.Compression.Compressor
	}
	f.stored[compressor]++
	plain, err := uncompressed(d, b)
	if err != nil {
		return err
	}
	return f.decode(d, plain)
}

// uncompressed gives the partitions of a file's sections.
func uncompressed(d *internode.Delivery, stored []byte) (plain []byte, err error) {
	if d.Compression == nil {
		return stored, nil
	}
	chunks := map[int64][]byte{}
	next := d.Compression.Chunks
	for _, s := range d.Sections {
		length := int64(d.Compression.ChunkLength)
		for i := s.From / length; i*length < s.To; i++ {
			if chunks[i] == nil {
				n := next[0].Length
				if crc32.ChecksumIEEE(stored[:n]) != binary.BigEndian.Uint32(stored[n:]) {
					return nil, fmt.Errorf("chunk %d is broken", i)
				}
				if chunks[i], err = chunk(d.Compression, stored[:n]); err != nil {
					return nil, err
				}
				stored, next = stored[n+4:], next[1:]
			}
			plain = append(plain, chunks[i][max(s.From-i*length, 0):min(s.To-i*length, length)]...)
		}
	}
	return plain, nil
}

// chunk undoes the compression of one chunk.
func chunk(c *internode.Compression, stored []byte) ([]byte, error) {
	switch {
	case len(stored) >= c.MaxCompressed:
		return stored, nil
	case c.Compressor == component.LZ4Compressor:
		plain := make([]byte, binary.LittleEndian.Uint32(stored))
		_, err := lz4.UncompressBlock(stored[4:], plain)
		return plain, err
	case c.Compressor == component.ZstdCompressor:
		decoder, err := zstd.NewReader(nil)
		if err != nil {
			return nil, err
		}
		defer decoder.Close()
		return decoder.DecodeAll(stored, nil)
	default:
		return nil, fmt.Errorf("compressor %s", c.Compressor)
	}
}

// decode takes the rows of partitions.
func (f *fetchedRows) decode(d *internode.Delivery, plain []byte) error {
	table, minima, err := sstable.DecodeHeader(d.Header)
	if err != nil {
		return err
	}
	schema, err := sstable.Plan(table)
	if err != nil {
		return err
	}
	version, err := component.ParseVersion(d.Version)
	if err != nil {
		return err
	}
	codec, err := sstable.NewCodec(schema, version, minima)
	if err != nil {
		return err
	}
	decoder := sstable.NewDecoder(codec, bytes.NewReader(plain), sstable.MaxRowBytes)
	for {
		item, err := decoder.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if item != sstable.RegularRow {
			continue
		}
		row := decoder.Row()
		key := [2]int32{
			int32(binary.BigEndian.Uint32(decoder.Key())),
			int32(binary.BigEndian.Uint32(row.Clustering[0])),
		}
		for _, cell := range row.Cells {
			if cell.Timestamp >= f.written[key] {
				f.values[key], f.written[key] = string(cell.Value), cell.Timestamp
			}
		}
	}
}

// lines are the rows as streamedLines gives them.
func (f *fetchedRows) lines() (all []string) {
	for key, value := range f.values {
		all = append(all, fmt.Sprintf("%d,%d,%s,%d", key[0], key[1], value, f.written[key]))
	}
	slices.Sort(all)
	return all
}

// within keeps the lines whose partitions lie in ranges.
func within(lines []string, ranges []token.Range) (kept []string) {
	for _, line := range lines {
		var k int32
		_, _ = fmt.Sscanf(line, "%d,", &k)
		at := token.Murmur3.Hash(binary.BigEndian.AppendUint32(nil, uint32(k)))
		if slices.ContainsFunc(ranges, func(r token.Range) bool { return r.Contains(at) }) {
			kept = append(kept, line)
		}
	}
	return kept
}

// fill loads rows whose values have the round.
func fill(t *testing.T, name string, rows int, round string) {
	t.Helper()
	ok(t, "load", name, askedInput(t, rows, round))
}

func askedInput(t *testing.T, rows int, round string) (path string) {
	t.Helper()
	var text strings.Builder
	text.WriteString("k,c,v\n")
	for i := range rows {
		fmt.Fprintf(&text, "%d,%d,%s %d %s\n", i/3, i%3, round, i, strings.Repeat("x", i%200))
	}
	return file(t, "in.csv", text.String())
}

// What nodes send of a table is what CQL reads of it. The test asks for the whole ring and for
// parts of it, at rest, and after more was written.
func TestTablesAskedFor(t *testing.T) {
	t.Parallel()
	thirds := []token.Range{
		{Start: token.Token{Lo: 1 << 61}, End: token.Token{Lo: 3 << 61}},
		{Start: token.Token{Lo: 1<<63 + 12345}, End: token.Token{Lo: 1<<63 + 1<<62}},
	}
	for name, options := range map[string]string{
		"asked_lz4":  "{'class': 'LZ4Compressor', 'chunk_length_in_kb': 4}",
		"asked_none": "{'enabled': false}",
		"asked_zstd": "{'class': 'ZstdCompressor'}",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rows := testRows(t, 3_000)
			name := "it3." + name
			table(t, name, streamedBody+" WITH compression = "+options)
			l := listener(t)
			var client internode.Client
			for _, node := range storageAddresses(t) {
				require.NoError(t, client.CheckReach(t.Context(), node, l))
				fetched, err := client.Fetch(
					t.Context(),
					node,
					l,
					request(name, wholeRing),
					internode.Discard,
				)
				require.NoError(t, err)
				require.Zero(t, fetched.Files, "the table is empty")
			}
			var last internode.UUID
			for _, round := range []string{"first", "second"} {
				fill(t, name, rows, round)
				want := streamedLines(t, name)
				require.Len(t, want, rows)
				for _, node := range storageAddresses(t) {
					all := newFetchedRows()
					fetched, err := client.Fetch(
						t.Context(),
						node,
						l,
						request(name, wholeRing),
						all.receive,
					)
					require.NoError(t, err)
					require.Equal(t, want, all.lines())
					require.Equal(
						t,
						fetched.Files,
						all.contents[internode.WholeData],
						"%v",
						all.contents,
					)
					require.Empty(t, complaints(t, fetched.Plan))

					part := newFetchedRows()
					fetched, err = client.Fetch(
						t.Context(),
						node,
						l,
						request(name, thirds),
						part.receive,
					)
					require.NoError(t, err)
					require.Equal(t, within(want, thirds), part.lines())
					require.Zero(t, part.contents[internode.WholeData], "%v", part.contents)
					require.Empty(t, complaints(t, fetched.Plan))

					last = fetched.Plan

					size, err := client.Estimate(t.Context(), node, request(name, thirds))
					require.NoError(t, err)
					require.Positive(t, size)
				}
			}
			require.NotContains(t, administer(t, "nodetool", "netstats"), last.String())
			if !strings.Contains(options, "Zstd") {
				return
			}
			// What is flushed is compressed by LZ4 (flush_compression); only a compaction does as
			// the table says.
			administer(t, "nodetool", "compact", "it3", strings.TrimPrefix(name, "it3."))
			got := newFetchedRows()
			_, err := client.Fetch(
				t.Context(),
				storageAddresses(t)[0],
				l,
				request(name, wholeRing),
				got.receive,
			)
			require.NoError(t, err)
			require.Equal(t, map[string]int{component.ZstdCompressor: 1}, got.stored)
			require.Equal(t, streamedLines(t, name), got.lines())
		})
	}
}

// All that was acknowledged before the request is in what comes, whatever is written meanwhile.
func TestTableAskedForWhileItIsWritten(t *testing.T) {
	lengthy(t)
	t.Parallel()
	const name = "it3.asked_busy"
	rows := testRows(t, 9_000)
	table(t, name, streamedBody)
	fill(t, name, rows, "round 0")
	l := listener(t)
	client := internode.Client{KeepAlive: 100 * time.Millisecond}
	more := askedInput(t, rows/3, "later")
	halt, ended := make(chan struct{}), make(chan int)
	go func() {
		loads := 0
		for {
			select {
			case <-halt:
				ended <- loads
				return
			default:
			}
			if r := cqlbulk(t, "load", name, more); r.code != 0 {
				t.Error(r.report)
			}
			loads++
		}
	}()
	for range either(3, 10) {
		for _, node := range storageAddresses(t) {
			got := newFetchedRows()
			fetched, err := client.Fetch(
				t.Context(),
				node,
				l,
				request(name, wholeRing),
				got.receive,
			)
			require.NoError(t, err)
			require.Len(t, got.values, rows)
			require.Empty(t, complaints(t, fetched.Plan))
		}
	}
	close(halt)
	require.Positive(t, <-ended)
}

// misplaced is a listener that says it is elsewhere.
type misplaced struct {
	net.Listener
	at netip.AddrPort
}

func (m misplaced) Addr() net.Addr { return net.TCPAddrFromAddrPort(m.at) }

// What a node does not send is reported as such.
func TestWhatNodesDoNotBring(t *testing.T) {
	t.Parallel()
	const name = "it3.asked_refused"
	table(t, name, streamedBody)
	fill(t, name, 300, "only")
	l := listener(t)
	node := storageAddresses(t)[0]
	client := internode.Client{}
	_, err := client.Fetch(
		t.Context(),
		node,
		l,
		request("it3.asked_for_none", wholeRing),
		internode.Discard,
	)
	require.Equal(t, internode.Failed, internode.KindOf(err), "%v", err)
	_, err = client.Estimate(t.Context(), node, request("it3.asked_for_none", wholeRing))
	require.Equal(t, internode.Failed, internode.KindOf(err), "%v", err)

	// No process listens at the port that the client names as its own.
	inner, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	elsewhere, err := internode.NewListener(
		misplaced{inner, netip.MustParseAddrPort("127.0.0.1:9")},
		nil,
	)
	require.NoError(t, err)
	defer func() { require.NoError(t, elsewhere.Close()) }()
	err = client.CheckReach(t.Context(), node, elsewhere)
	require.Equal(t, internode.Unreached, internode.KindOf(err), "%v", err)
	require.ErrorContains(t, err, "127.0.0.1:9")

	// A session that ends in mid-file, by the client, does no harm to the next.
	ctx, cancel := context.WithCancel(t.Context())
	_, err = client.Fetch(
		ctx,
		node,
		l,
		request(name, wholeRing),
		func(_ context.Context, d *internode.Delivery) error {
			cancel()
			_, err := io.Copy(io.Discard, d.Body)
			return err
		},
	)
	require.Equal(t, internode.Canceled, internode.KindOf(err), "%v", err)
	got := newFetchedRows()
	_, err = client.Fetch(t.Context(), node, l, request(name, wholeRing), got.receive)
	require.NoError(t, err)
	require.Len(t, got.values, 300)
}
