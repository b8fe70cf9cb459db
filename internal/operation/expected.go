package operation

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/driver"
	"github.com/cqlbulk/cqlbulk/internal/human"
	"github.com/cqlbulk/cqlbulk/internal/plan"
	"github.com/cqlbulk/cqlbulk/internal/table"
	"github.com/cqlbulk/cqlbulk/internal/topology"
)

// Expected is how long reading a table may take: a guess. By CQL it goes by the partitions and
// bytes that the nodes estimate, and by streaming by the bytes that they have on the disk, which
// are compressed.
type Expected struct {
	ByCQL, Streamed time.Duration // 0: not known
	// bytes a second that each node streams at most; 0: no limit, or not known
	NodeLimit int64
}

// What a core of a node reads through CQL, and this host takes in by streaming where the nodes have
// no limit, measured by deploy/bench-unload: the medians of its dated page in docs, on two cores.
const (
	partitionByCQL = 5 * time.Microsecond
	bytesByCQL     = 35 << 20 // a second
	bytesStreamed  = 140 << 20
)

// expected guesses how long it takes to read a table: by CQL from the estimate and the number of
// cores, by streaming from the bytes that the nodes send and from nodeLimit, in bytes a second. An
// argument that is 0 is not known.
func expected(known driver.Estimate, cores int, sent announcement, nodeLimit int64) Expected {
	e := Expected{NodeLimit: nodeLimit}
	if known.Bytes > 0 && cores > 0 {
		work := time.Duration(
			known.Partitions,
		)*partitionByCQL + time.Duration(
			float64(known.Bytes)/bytesByCQL*float64(time.Second),
		)
		e.ByCQL = work / time.Duration(cores)
	}
	if sent.node > 0 {
		seconds := float64(sent.all) / bytesStreamed
		if nodeLimit > 0 {
			seconds = max(seconds, float64(sent.node)/float64(nodeLimit))
		}
		e.Streamed = time.Duration(seconds * float64(time.Second))
	}
	return e
}

// clear is by how much one way must be faster to be named so, given how rough both guesses are.
const clear = 2

// Faster names the faster of the two, "streaming" or "CQL"; empty if one is not known, the slower
// takes little time, or they are about the same.
func (e Expected) Faster() string {
	slow, fast := max(e.ByCQL, e.Streamed), min(e.ByCQL, e.Streamed)
	switch {
	case fast == 0 || slow < shown || slow < clear*fast:
		return ""
	case e.Streamed <= e.ByCQL:
		return "streaming"
	default:
		return "CQL"
	}
}

// Limit returns the nodes' limit in words; empty if there is none.
func (e Expected) Limit() string {
	if e.NodeLimit == 0 {
		return ""
	}
	return fmt.Sprintf(
		"the nodes send at most %s/s each (nodetool setstreamthroughput)",
		human.Size(e.NodeLimit),
	)
}

// shown is the time of a run from which it is worth a line what it may take.
const shown = 10 * time.Second

// expect starts the receipt of a run that nodes stream to, and warns how long it may take.
func (s *streamReader) expect(ctx context.Context, a announcement) {
	limit := streamLimit(ctx, s.t.Table)
	receipt := s.receipt
	receipt.Announced.Store(a.all)
	receipt.Nodes.Store(int64(a.nodes))
	receipt.Limit.Store(limit)
	e := expected(s.t.Estimate(), coresRead(s.t.Table, 0), a, limit)
	if e.Streamed < shown {
		return
	}
	text := fmt.Sprintf(
		"%s from %s may take %s",
		human.Size(a.all),
		human.Of(a.nodes, "node"),
		human.Roughly(e.Streamed),
	)
	if by := e.Limit(); by != "" {
		text += ": " + by
	}
	if faster := e.Faster(); faster != "" {
		text += fmt.Sprintf(
			"; by CQL it may take %s, so %s is likely faster",
			human.Roughly(e.ByCQL),
			faster,
		)
	} else if e.ByCQL > 0 {
		text += fmt.Sprintf("; by CQL it may take about as long, %s", human.Roughly(e.ByCQL))
	}
	s.env.Warn("%s", text)
}

// storedBytes returns what the nodes would stream of the table, from what they have on the disk; 0:
// no node answered.
func storedBytes(ctx context.Context, t *table.Table) (a announcement) {
	// what nodes do not tell is not known
	have, _ := t.Session.Stored(ctx, t.Cluster.Nodes, t.Schema.Keyspace, t.Schema.Name)
	for i, share := range t.Plan.Shares() {
		if share.Holds > 0 {
			part := int64(float64(have[i]) * share.Reads / share.Holds)
			a.all, a.node = a.all+part, max(a.node, part)
		}
	}
	return a
}

// coresRead is how many cores the nodes have that are read from; given is that of each, 0: as they
// tell.
func coresRead(t *table.Table, given int) (all int) {
	cores := plan.Cores(t.Cluster, plan.Options{Cores: given})
	for i, n := range t.Cluster.Nodes {
		if n.DC == t.Cluster.LocalDC && n.Up {
			all += cores[i]
		}
	}
	return all
}

// streamSettings are the names of the settings that limit what a node streams, in Cassandra 4.1 and
// later, and in 4.0, which has megabits (src/java/org/apache/cassandra/config/Config.java).
var streamSettings = []string{
	"stream_throughput_outbound",
	"inter_dc_stream_throughput_outbound",
	"entire_sstable_stream_throughput_outbound",
	"entire_sstable_inter_dc_stream_throughput_outbound",
	"stream_throughput_outbound_megabits_per_sec",
	"inter_dc_stream_throughput_outbound_megabits_per_sec",
}

// streamLimit is how many bytes a second the slowest node streams at most, by the settings that the
// nodes tell; 0: no limit, or none tells. This host is in no data center, so either limit may hold.
func streamLimit(ctx context.Context, t *table.Table) (least int64) {
	var asked []topology.Node
	for _, n := range t.Cluster.Nodes {
		if n.Up {
			asked = append(asked, n)
		}
	}
	settings, _ := t.Session.SettingsOf(ctx, asked) // what nodes do not tell is not known
	for _, of := range settings {
		for _, name := range streamSettings {
			if limit := rateOf(of[name]); limit > 0 && (least == 0 || limit < least) {
				least = limit
			}
		}
	}
	return least
}

// rateOf reads a rate such as "24MiB/s", or a number of megabits a second, in bytes a second; 0:
// none.
func rateOf(text string) int64 {
	unit := 1_000_000 / 8.0
	for _, u := range []struct {
		suffix string
		bytes  float64
	}{{"MiB/s", 1 << 20}, {"KiB/s", 1 << 10}, {"B/s", 1}} {
		if number, found := strings.CutSuffix(text, u.suffix); found {
			text, unit = number, u.bytes
			break
		}
	}
	number, err := strconv.ParseFloat(text, 64)
	if err != nil || number <= 0 {
		return 0
	}
	return int64(number * unit)
}
