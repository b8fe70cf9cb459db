package report

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/doctor"
	"github.com/cqlbulk/cqlbulk/internal/inspect"
	"github.com/cqlbulk/cqlbulk/internal/operation"
	"github.com/cqlbulk/cqlbulk/internal/progress"
	"github.com/cqlbulk/cqlbulk/internal/run"
	"github.com/cqlbulk/cqlbulk/internal/run/advice"
	"github.com/cqlbulk/cqlbulk/internal/run/notes"
	"github.com/cqlbulk/cqlbulk/internal/run/status"
	"github.com/cqlbulk/cqlbulk/internal/table"
	"github.com/cqlbulk/cqlbulk/internal/version"
	"github.com/cqlbulk/cqlbulk/internal/write/stream"
)

// ofARun is a report of much.
func ofARun(outcome run.Outcome) operation.Report {
	return operation.Report{
		Table:    "warehouse.measurements",
		Outcome:  outcome,
		Started:  time.Unix(1700000000, 0).UTC(),
		Duration: 36_000 * time.Second,
		Rows:     1_234_567_890,
		Earlier:  100_000_000,
		Bytes:    3 << 40,
		Before:   1 << 40,
		Retries:  12_345,
		Reasons:  []progress.Reason{{Node: "10.0.0.1", Text: "too late", Times: 12_345}},
		Latency: progress.Latency{
			Requests: 12_345_678,
			P50:      1230 * time.Microsecond,
			P99:      45600 * time.Microsecond,
		},
		Consistency: "LOCAL_QUORUM",
		Replicated:  true,
	}
}

// said requires at most six lines of at most 100 characters.
func said(t *testing.T, d Document) string {
	t.Helper()
	d.Ended(
		"load",
		version.Info{Version: "1.0"},
		map[string]int{"done": 0, "partly": 2, "interrupted": 130}[d.Outcome],
		"",
	)
	lines := d.Lines()
	require.LessOrEqual(t, len(lines), 6)
	for _, line := range lines {
		require.LessOrEqual(t, utf8.RuneCountInString(line), 100, line)
	}
	return strings.Join(lines, "\n") + "\n"
}

// A number of one has the singular.
func TestLinesOfOne(t *testing.T) {
	r := operation.LoadReport{
		Report: operation.Report{
			Table:   "ks.t",
			Outcome: run.Partly,
			Rows:    1,
			Earlier: 1,
			Retries: 1,
		},
		Streamed: true,
	}
	r.Read, r.ParseErrors, r.Stream = 2, 1, operation.StreamStats{
		Partitions: 1,
		Bytes:      5,
		Files:      1,
		Whole:      true,
		Nodes:      []stream.NodeStats{{Node: "a"}},
	}
	text := said(t, OfLoad(r))
	for _, line := range []string{"1 row into ks.t,", "1 row before\n", "5 B 1 partition, 1 entire SSTable, on 1 node\n", "done, but 1 row was rejected"} {
		require.Contains(t, text, line)
	}
	r.Stream.Whole, r.ParseErrors, r.InDoubt = false, 0, 1
	require.Contains(t, said(t, OfLoad(r)), "1 file of rows, on 1 node\n")
	require.Contains(t, said(t, OfLoad(r)), "done, but 1 row is in doubt")
	r.Streamed = false
	require.Contains(t, said(t, OfLoad(r)), ", 1 retry\n")
}

func TestLinesOfALoad(t *testing.T) {
	r := operation.LoadReport{
		Report: ofARun(run.Partly),
		Next:   advice.Step{Command: "retry", RunDir: "cqlbulk-load-run"},
	}
	r.Read, r.ParseErrors, r.InsertErrors = 1_234_580_234, 12_300, 44
	require.Equal(
		t,
		`loaded    1,234,567,890 rows into warehouse.measurements, 1,234,580,234 read, 12,344 rejected
in              10h0m0s 31,515 rows/s, 58.3 MiB/s, 3.0 TiB read, 100,000,000 rows before
requests     12,345,678 of 91.9 rows, 12,345 retries, p50 1.23ms, p99 45.6ms, LOCAL_QUORUM
checksum   00000000000000000000000000000000
end        done, but 12,344 rows were rejected: cqlbulk retry cqlbulk-load-run
`,
		said(t, OfLoad(r)),
	)

	r.ParseErrors, r.InsertErrors, r.InDoubt, r.Next.RepeatInDoubt = 0, 0, 3, true
	require.Contains(t, said(t, OfLoad(r)), ", 0 rejected, 3 in doubt\n")
	require.Contains(
		t,
		said(t, OfLoad(r)),
		"\nend        done, but 3 rows are in doubt: cqlbulk retry --repeat-in-doubt cqlbulk-load-run\n",
	)

	r = operation.LoadReport{Report: ofARun(run.Done), IfNotExists: true, Conditional: true}
	require.Contains(t, said(t, OfLoad(r)), ", 0 rejected, 0 were there already\n")
	r.IfNotExists, r.Statement, r.Existing = false, "UPDATE", 2
	text := said(t, OfLoad(r))
	require.Contains(t, text, "ran       1,234,567,890 UPDATEs on warehouse.measurements,")
	require.Contains(t, text, ", 0 rejected, 2 not applied\n")
	require.NotContains(t, text, "checksum", "the values are not those of rows")
	require.Contains(t, said(t, OfLoad(r)), "\nend        done\n")

	r.Statement, r.Delete, r.Existing = "DELETE", true, 0
	text = said(t, OfLoad(r))
	require.Contains(t, text, "deleted   1,234,567,890 keys from warehouse.measurements,")
	require.NotContains(t, text, "checksum")

	r = operation.LoadReport{
		Report: ofARun(run.Interrupted),
		DryRun: true,
		Next:   advice.Step{Command: "resume", RunDir: "it's"},
	}
	require.Contains(
		t,
		said(t, OfLoad(r)),
		"would send   12,345,678 requests of 100.0 rows\nend        interrupted; continue with: cqlbulk resume 'it'\\''s'\n",
	)
}

func TestLinesOfALoadPastCQL(t *testing.T) {
	r := operation.LoadReport{Report: ofARun(run.Done), Streamed: true}
	r.Stream = operation.StreamStats{Partitions: 7, Bytes: 3 << 30, Files: 24, Whole: true}
	require.Contains(
		t,
		said(t, OfLoad(r)),
		"\nstreamed        3.0 GiB 7 partitions, 24 entire SSTables\n",
	)
	r.Stream.Slices = 3
	require.Contains(
		t,
		said(t, OfLoad(r)),
		" 7 partitions (counted per slice), 24 entire SSTables\n",
		"some may be in several slices",
	)
	clone := operation.CloneReport{Report: ofARun(run.Done), Stream: r.Stream}
	require.Contains(
		t,
		said(t, OfClone(clone)),
		" 7 partitions, 24 entire SSTables\n",
		"its slices are token ranges",
	)
	r.Files = &operation.KeptFiles{
		Dir:    "out",
		Import: "out/import.txt",
		Nodes:  3,
		Tables: 12,
		Ringed: true,
	}
	require.Contains(
		t,
		said(t, OfLoad(r)),
		"\nkept            3.0 GiB 7 partitions, 12 SSTables for 3 nodes\n",
	)
	r.Outcome, r.Files.Imports = run.Partly, []operation.Imported{
		{Node: "a", Tables: 4, Err: errors.New("away"), Command: "nodetool import"},
	}
	d := OfLoad(r)
	require.Contains(
		t,
		said(t, d),
		"\nend        done, but not all nodes have imported their SSTables\n",
	)
	require.Equal(
		t,
		[]Import{{Node: "a", SSTables: 4, Error: "away", Command: "nodetool import"}},
		d.Load.Stream.Imports,
	)
}

// What was not measured is absent from the document.
func TestNoLatencyOfWhatWasNotSent(t *testing.T) {
	r := operation.LoadReport{
		Report: operation.Report{Table: "ks.t", Latency: progress.Latency{Requests: 7}},
		DryRun: true,
	}
	text, err := json.Marshal(OfLoad(r))
	require.NoError(t, err)
	require.NotContains(t, string(text), "p50_seconds")
	require.Contains(t, string(text), `"would_send":7`)
}

// The status of a run by streaming has its stage, and what the stage has done apart from what is
// done.
func TestStatusOfStages(t *testing.T) {
	part := func(share float64) *float64 { return &share }
	lines := func(now progress.Reading) string {
		r := status.Report{
			Command: "load",
			Live:    true,
			Load:    &status.Load{},
			Pace:    notes.Pace{Share: now.Share, RowsPerSecond: now.RowsPerSecond, Now: &now},
		}
		return strings.Join(OfStatus(r).Status.Lines(), "\n")
	}
	text := lines(
		progress.Reading{
			Share:         part(0),
			RowsPerSecond: 252_000,
			Stage: &progress.Staged{
				Name:      "reading",
				Share:     part(0.45),
				Done:      1_260_000,
				PerSecond: 252_000,
				Left:      12,
			},
		},
	)
	require.Contains(
		t,
		text,
		"\ndoing      reading 45.0%, 1,260,000 rows\npace            252,000 rows/s, 0.0% done, 12.0s to read\n",
	)
	text = lines(
		progress.Reading{
			Share: part(0.16),
			Left:  9,
			Stage: &progress.Staged{
				Name:      "sending",
				Share:     part(0.16),
				Done:      156 << 20,
				Total:     973 << 20,
				PerSecond: 98 << 20,
			},
		},
	)
	require.Contains(
		t,
		text,
		"\ndoing      sending 16.0%, 156.0 MiB of 973.0 MiB, 98.0 MiB/s\npace                  - rows/s, 16.0% done, 9.0s left\n",
	)
	text = lines(
		progress.Reading{
			Share:     part(0.31),
			Left:      30,
			Receiving: &progress.Receiving{Received: 412 << 20, Announced: 958 << 20},
		},
	)
	require.Contains(t, text, "\ndoing      received 412.0 MiB of 958.0 MiB\n")
}

func TestLinesOfAScan(t *testing.T) {
	r := operation.ScanReport{Report: ofARun(run.Done), Ranges: 240_000, Seed: 18446744073709551615}
	require.Equal(t, `scanned   1,234,567,890 rows of warehouse.measurements
in              10h0m0s 31,515 rows/s, 58.3 MiB/s, 3.0 TiB written, 100,000,000 rows before
ranges          240,000 read, 12,345 retries, p50 1.23ms, p99 45.6ms, LOCAL_QUORUM
checksum   00000000000000000000000000000000, seed 18446744073709551615
end        done
`, said(t, OfScan(r)))
	r.Outcome, r.Next = run.Partly, advice.Step{Command: "retry", RunDir: "run"}
	r.Failed = []operation.FailedRange{
		{Tokens: &table.TokenRange{Start: "1", End: "2"}, Err: errors.New("away")},
		{Err: errors.New("gone")},
	}
	d := OfScan(r)
	require.Contains(t, said(t, d), " read, 2 failed, 12,345 retries, ")
	require.Contains(
		t,
		said(t, d),
		"\nend        done, but 2 token ranges failed: cqlbulk retry run\n",
	)
	require.Equal(t, []FailedRange{{"1", "2", "away"}, {"", "", "gone"}}, d.Scan.Failed)
}

func TestLinesOfACount(t *testing.T) {
	r := operation.CountReport{Report: ofARun(run.Partly), Ranges: 5}
	r.Retries, r.Latency = 0, progress.Latency{}
	r.Report.SSTables, r.Snapshots = 1200, []string{"a", "b"}
	r.Failed = []operation.FailedRange{{Err: errors.New("away")}}
	text := said(t, OfCount(r))
	require.Contains(t, text, ", SSTables: 1,200 of snapshot a, b\n")
	require.Contains(t, text, "\nend        done, but 1 token range failed: there is no number\n")
}

func TestLinesOfADoctor(t *testing.T) {
	r := operation.DoctorReport{
		Table:    "shop.orders",
		Duration: 1200 * time.Millisecond,
		Findings: []doctor.Finding{
			doctor.Fine("well"),
			doctor.Warn("mend", "odd"),
			doctor.Fine("well"),
		},
	}
	require.Equal(
		t,
		"checked      3 findings in 1.2s, 2 ok, 1 warning, 0 failures\nend        done\n",
		said(t, OfDoctor(r)),
	)
	r.Findings = append(r.Findings, doctor.Fail("", "broken"), doctor.Fail("", "broken"))
	r.Outcome = run.Partly
	d := OfDoctor(r)
	require.Contains(t, said(t, d), "\nend        2 failures to be fixed first\n")
	require.Equal(
		t,
		Finding{Check: "", State: "warning", Found: "odd", Do: "mend"},
		d.Doctor.Findings[1],
	)
}

// A command that did nothing has no summary, and its document says so.
func TestDocumentOfWhatDidNothing(t *testing.T) {
	for exit, want := range map[int]string{0: "done", 1: Refused, 2: "failed", 4: "failed", 130: "interrupted"} {
		var d Document
		d.Ended("load", version.Info{Version: "1.0"}, exit, "broken")
		require.Empty(t, d.Lines())
		require.Equal(
			t,
			Document{
				Version: 1,
				Command: "load",
				Program: "1.0",
				Build:   version.Info{Version: "1.0"},
				Outcome: want,
				Exit:    exit,
				Error:   "broken",
			},
			d,
		)
	}
	d := OfLoad(operation.LoadReport{Report: ofARun(run.Failed)})
	d.Ended("load", version.Info{Version: "1.0"}, 1, "no such column")
	require.Empty(t, d.Lines())
	require.Equal(t, Refused, d.Outcome)
}

// No list is null.
func TestListsOfDocuments(t *testing.T) {
	for _, d := range []Document{
		OfLoad(operation.LoadReport{}),
		OfScan(operation.ScanReport{}),
		OfCount(operation.CountReport{}),
		OfClone(operation.CloneReport{}),
		OfPlan(operation.PlanReport{Replication: map[string]string{}}),
		OfStatus(status.Report{Load: &status.Load{}}),
		OfStatus(status.Report{Scan: &status.Scan{}}),
		OfVerify(operation.VerifyReport{}),
		OfInspect(inspect.Report{}),
		OfDoctor(operation.DoctorReport{}),
	} {
		text, err := json.Marshal(d)
		require.NoError(t, err)
		require.NotContains(t, string(text), "null")
	}
}

// The status of a load that is stopped says what a resume does with rows that are not recorded.
// Rows that would count twice it does not write again.
func TestUnrecordedRows(t *testing.T) {
	s := Status{
		State: "interrupted",
		Next:  []Next{{Command: "resume"}},
		Load: &LoadStatus{
			Read:             10,
			Written:          8,
			Rejected:         5,
			RejectedRecorded: 2,
			Acknowledged:     12,
			Checksum:         "77",
		},
	}
	rows := func() string { return s.Lines()[0] }
	require.Equal(
		t,
		"rows                  8 written, 10 read, 2 rejected, as recorded; 4 more were written, 3 more were rejected: a resume reads and writes them again",
		rows(),
	)
	require.Equal(t, "checksum   77, of the recorded rows", s.Lines()[2])
	s.Load.Rejected = 2
	require.Contains(t, rows(), "as recorded; 4 more were written: a resume writes them again")
	s.State = "killed"
	require.Contains(
		t,
		rows(),
		"as recorded; at least 4 more were written: a resume writes them again",
	)
	s.Load.CountsTwice = true
	require.Contains(
		t,
		rows(),
		"4 more were written: a resume lists all rows that were under way in in-doubt.csv",
	)
	s.Next = nil
	require.Regexp(t, "as recorded; at least 4 more were written$", rows())
	s.Load.Acknowledged = 8
	require.Equal(t, "rows                  8 written, 10 read, 2 rejected", rows())
	require.Equal(t, "checksum   77", s.Lines()[2])
}
