package report

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/inspect"
	"github.com/cqlbulk/cqlbulk/internal/operation"
	"github.com/cqlbulk/cqlbulk/internal/read/streamed"
	"github.com/cqlbulk/cqlbulk/internal/run"
	"github.com/cqlbulk/cqlbulk/internal/verify"
	"github.com/cqlbulk/cqlbulk/pkg/rowsum"
	"github.com/cqlbulk/cqlbulk/pkg/sstable"
	"github.com/cqlbulk/cqlbulk/pkg/sstable/component"
)

func TestLinesOfAPlan(t *testing.T) {
	r := operation.PlanReport{
		Table:      "warehouse.measurements",
		DC:         "dc1",
		Parallel:   1800,
		Splits:     180_000,
		Vnodes:     76_800,
		Seed:       18446744073709551615,
		Partitions: 123_456_789_012,
		Bytes:      3 << 40,
		Expected: streamed.Expected{
			ByCQL:     3 * time.Hour,
			Streamed:  40 * time.Minute,
			NodeLimit: 24 << 20,
		},
		Nodes: []operation.PlanNode{{DC: "dc1", Up: true}, {DC: "dc1"}, {DC: "dc2"}},
	}
	require.Equal(
		t,
		`planned         180,000 token ranges of warehouse.measurements, of 76,800 vnode ranges
requests          1,800 at a time, at most, seed 18446744073709551615
nodes                 2 of data center dc1, 1 down
estimate        3.0 TiB 123,456,789,012 partitions, as the nodes estimate
time       3 hours by CQL, 40 minutes by streaming (24.0 MiB/s a node): streaming is likely faster
end        done
`,
		said(t, OfPlan(r)),
	)

	r = operation.PlanReport{
		Table:     "shop.orders",
		DC:        "dc1",
		Serial:    "the partitioner has no tokens",
		Parallel:  1,
		Splits:    1,
		SavedRing: "ring.json",
		Nodes:     []operation.PlanNode{{DC: "dc1", Up: true}},
	}
	require.Equal(t, `planned               1 token range of shop.orders, the table is read as one
requests              1 at a time, at most, seed 0
nodes                 1 of data center dc1
estimate            0 B 0 partitions, as the nodes estimate
time       not known: the nodes have no estimate of the table yet
end        done: ring.json
`, said(t, OfPlan(r)))
}

func TestLinesOfAnInspection(t *testing.T) {
	one := func(rows, bytes int64) inspect.Table {
		return inspect.Table{
			Columns: new(
				sstable.Table,
			),
			Partitions: 2,
			Bytes:      bytes,
			DataBytes:  bytes / 2,
			FileBytes:  bytes,
			Descriptor: component.Descriptor{
				Version: component.NB,
				ID:      "1",
			},
			Statistics: &component.Statistics{Stats: &component.Stats{Rows: rows}},
		}
	}
	r := inspect.Report{Tables: []inspect.Table{one(3, 1<<30), one(1_000_000, 2<<30)}}
	require.Equal(t, `inspected             2 SSTables
rows          1,000,003 in 4 partitions, deleted ones among them
data            3.0 GiB uncompressed, 1.5 GiB as stored, 3.0 GiB with all components
end        done
`, said(t, OfInspect(r)))

	r.Outcome, r.Failures = run.Partly, []inspect.Failure{{Path: "a", Err: errors.New("torn")}}
	d := OfInspect(r)
	require.Contains(t, said(t, d), " 2 SSTables, 1 could not be read\n")
	require.Contains(
		t,
		said(t, d),
		"\nend        done, but 1 SSTable could not be read: copy again, or scrub with nodetool, what is listed\n",
	)
	require.Equal(t, []SSTableFailure{{"a", "torn"}}, d.Inspect.Failures)
	require.Equal(
		t,
		"end        done\n",
		said(t, OfInspect(inspect.Report{})),
		"its rows were written, and no more is known",
	)
}

func TestLinesOfAVerification(t *testing.T) {
	r := operation.VerifyReport{Duration: 1200 * time.Millisecond}
	r.Files, r.Bytes = 7, 1<<30
	r.Sets = []verify.Set{
		{Name: "a.csv.manifest.json", Rows: 1_234_567_890, Summed: true, Sum: rowsum.Sum{}},
	}
	require.Equal(t, `verified              7 files, 1.0 GiB read, in 1.2s
rows      1,234,567,890 in a.csv.manifest.json
checksum   00000000000000000000000000000000
end        done
`, said(t, OfVerify(r)))

	r.NoHash, r.Verdict = true, verify.Same
	r.Sets = append(r.Sets, verify.Set{}, verify.Set{})
	require.Contains(t, said(t, OfVerify(r)), " 7 files, of sizes alone, in 1.2s\n")
	require.Contains(t, said(t, OfVerify(r)), " in a.csv.manifest.json, the same in 2 others\n")

	r.Outcome, r.Verdict, r.Findings = run.Partly, verify.Different, []string{"b", "c"}
	require.Equal(t, `verified              7 files, of sizes alone, in 1.2s
rows       different rows in 3 scans
end        done, but different rows, 2 findings in all: scan again what should be the same
`, said(t, OfVerify(r)))
	r.Verdict = verify.Unknown
	require.Contains(
		t,
		said(t, OfVerify(r)),
		"\nrows       not compared in 3 scans\nend        done, but 2 findings not as stated: fetch or scan again what is listed\n",
	)
}

func TestLinesOfAReport(t *testing.T) {
	d := Document{
		Report: &Page{
			Run:     "run",
			Command: "load",
			Table:   "shop.orders",
			State:   "interrupted",
			File:    "report.html",
			Bytes:   34567,
		},
	}
	d.Outcome = outcomes[run.Done]
	require.Equal(t, `page           33.8 KiB of the load of shop.orders
state      interrupted
end        done: report.html
`, said(t, d))
	d.Report.File = ""
	require.Contains(t, said(t, d), "\nend        done\n")
}

func TestLinesOfSettings(t *testing.T) {
	d := Document{
		Outcome:  outcomes[run.Done],
		Settings: []Setting{{From: "default"}, {From: "flag"}, {From: "file"}, {From: "file"}},
	}
	require.Equal(t, `settings              4 in force, 1 by flag, 2 by file, 1 by default
end        done
`, said(t, d))
}
