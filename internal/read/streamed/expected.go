package streamed

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

// Expected estimates how long reading a table takes. The time by CQL follows from the nodes'
// estimates of partitions and bytes. The time by streaming follows from their compressed bytes on
// the disk.
type Expected struct {
	ByCQL, Streamed time.Duration // 0: not known
	// most bytes per second that a node streams; 0: no limit, or not known
	NodeLimit int64
}

// What one core of a node reads through CQL, and what this host receives by streaming from nodes
// without a limit. The figures are the medians of deploy/bench-unload on two cores, on its dated
// page in docs.
const (
	partitionByCQL = 5 * time.Microsecond
	bytesByCQL     = 35 << 20 // a second
	bytesStreamed  = 140 << 20
)

// expected estimates how long it takes to read a table. The time by CQL follows from the nodes'
// estimate and the number of their cores. The time by streaming follows from the announced bytes
// and nodeLimit, in bytes per second. An argument of 0 means not known.
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

// ExpectedOf estimates how long it takes to read a table, from the cluster's estimate of its size
// and what the nodes report of their disks and limits. If cores, the number per node, is 0, the
// nodes are asked.
func ExpectedOf(
	ctx context.Context,
	t *table.Table,
	known driver.Estimate,
	cores int,
) Expected {
	return expected(known, coresRead(t, cores), storedBytes(ctx, t), streamLimit(ctx, t))
}

// clear is the ratio of the two times from which the shorter one counts as faster. Both are rough.
const clear = 2

// Faster returns "streaming" or "CQL", whichever is clearly faster. It is empty if a time is not
// known, if the slower way takes little time, or if both take about as long.
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

// shown is the expected time from which a run prints it.
const shown = 10 * time.Second

// expect fills in the announced part of the receipt, and warns how long the run may take.
func (s *reader) expect(ctx context.Context, a announcement) {
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

// storedBytes returns the bytes that the nodes would stream of the table, by what they have on the
// disk. They are 0 if no node answered.
func storedBytes(ctx context.Context, t *table.Table) (a announcement) {
	// a node that does not answer adds nothing
	have, _ := t.Session.Stored(ctx, t.Cluster.Nodes, t.Schema.Keyspace, t.Schema.Name)
	for i, share := range t.Plan.Shares() {
		if share.Holds > 0 {
			part := int64(float64(have[i]) * share.Reads / share.Holds)
			a.all, a.node = a.all+part, max(a.node, part)
		}
	}
	return a
}

// coresRead returns the number of cores of all nodes that are read from. If given, the number per
// node, is 0, the nodes are asked.
func coresRead(t *table.Table, given int) (all int) {
	cores := plan.Cores(t.Cluster, plan.Options{Cores: given})
	for i, n := range t.Cluster.Nodes {
		if n.DC == t.Cluster.LocalDC && n.Up {
			all += cores[i]
		}
	}
	return all
}

// streamSettings are the settings that limit what a node streams: first those of Cassandra 4.1 and
// later, then those of 4.0, in megabits (src/java/org/apache/cassandra/config/Config.java).
var streamSettings = []string{
	"stream_throughput_outbound",
	"inter_dc_stream_throughput_outbound",
	"entire_sstable_stream_throughput_outbound",
	"entire_sstable_inter_dc_stream_throughput_outbound",
	"stream_throughput_outbound_megabits_per_sec",
	"inter_dc_stream_throughput_outbound_megabits_per_sec",
}

// streamLimit returns the lowest limit of the nodes' streaming settings, in bytes per second. It is
// 0 if no node has a limit, or none answers. This host is in no data center, so the limits within
// and between data centers count alike.
func streamLimit(ctx context.Context, t *table.Table) (least int64) {
	var asked []topology.Node
	for _, n := range t.Cluster.Nodes {
		if n.Up {
			asked = append(asked, n)
		}
	}
	settings, _ := t.Session.SettingsOf(ctx, asked) // a node that does not answer limits nothing
	for _, of := range settings {
		for _, name := range streamSettings {
			if limit := rateOf(of[name]); limit > 0 && (least == 0 || limit < least) {
				least = limit
			}
		}
	}
	return least
}

// rateOf parses a rate such as "24MiB/s", or a plain number of megabits per second, and returns
// bytes per second. It returns 0 for anything else.
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
