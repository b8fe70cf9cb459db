// Package runview shows what run directories and manifests have of runs: a table of many, the facts
// of one as lines, and the page of its report.
package runview

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/human"
	"github.com/cqlbulk/cqlbulk/internal/progress/board"
	"github.com/cqlbulk/cqlbulk/internal/report"
	"github.com/cqlbulk/cqlbulk/internal/run"
	"github.com/cqlbulk/cqlbulk/internal/run/status"
	"github.com/cqlbulk/cqlbulk/internal/web"
)

// Page makes the report of what is left of a run. made says by what and when.
func Page(r *status.Record, made string) web.Report {
	out := web.Report{Made: made + " of " + r.Path}
	if r.Page != nil {
		out.State = *r.Page
	}
	if r.Manifest != nil {
		ofManifest(&out, r)
	} else {
		ofRun(&out, r)
	}
	if len(r.Rejects) > 0 {
		out.State.Rejects = r.Rejects // of all runs in the directory; the page had those of one
	}
	if len(out.State.Ring) == 0 && out.State.Phase != board.Done {
		out.State.Ring = r.Ring
	}
	if p := r.Plan; p != nil {
		out.State.About.Cluster = p.Cluster
		out.Sections = append(out.Sections, web.Section{Title: "Plan", Facts: []web.Fact{
			{
				Name:  "partitioner",
				Value: p.Partitioner,
			},
			{Name: "token ranges", Value: human.Count(p.Splits)},
			{Name: "seed of their order", Value: fmt.Sprint(p.Seed)},
			{Name: "hash", Value: p.Hash},
		}})
	}
	out.Sections = append(out.Sections, settingsSection(r))
	return out
}

// StateText returns how a run stands, in the words of status.
func StateText(r *status.Record) string {
	switch {
	case r.Status != nil:
		return report.OfStatus(*r.Status).Status.StateText()
	case r.Manifest.Ranges.Failed > 0:
		return "done, but for token ranges that failed"
	default:
		return "done"
	}
}

// ofManifest reports a scan that has an output.
func ofManifest(out *web.Report, r *status.Record) {
	m, s := r.Manifest, &out.State
	s.Command, s.Table, s.Phase, s.Tool = m.Command, m.Keyspace+"."+m.Table, board.Done, m.ToolVersion
	if m.Ranges.Failed > 0 {
		s.Phase = board.Partly
	}
	var text, stored int64
	for _, f := range m.Files {
		out.Files = append(
			out.Files,
			web.File{Name: f.Name, Rows: f.Rows, Bytes: f.Bytes, Sum: f.Sum.String()},
		)
		text, stored = text+f.TextBytes, stored+f.Bytes
	}
	for _, lost := range m.Ranges.Lost {
		out.Failed = append(
			out.Failed,
			web.FailedRange{Range: "(" + lost.Start + ", " + lost.End + "]", Reason: lost.Error},
		)
	}
	took := m.Finished.Sub(m.Started).Seconds()
	s.Began, s.Elapsed, s.Rows, s.Bytes, s.FailedRanges = m.Started, took, m.Rows, text, int64(
		m.Ranges.Failed,
	)
	if p := m.Pace; p != nil {
		s.Elapsed, s.EarlierSeconds = p.Seconds, p.EarlierSeconds
		s.RowsPerSecond, s.BytesPerSecond = p.RowsPerSecond, p.BytesPerSecond
	}
	s.About.Work = m.Command
	if m.Reading != nil {
		s.About.Via = m.Reading.Via
		if m.Reading.Via == "cql" {
			s.About.Consistency = m.Reading.Replicas
		}
	}
	var facts []web.Fact
	if stored != text {
		facts = append(facts, web.Fact{Name: "stored", Value: human.Size(stored)})
	}
	facts = append(
		facts,
		web.Fact{Name: "token ranges", Value: human.Count(m.Ranges.Done) + " read"},
	)
	if m.Checksum != nil {
		facts = append(facts, web.Fact{Name: "checksum", Value: m.Checksum.Value})
	}
	if m.Shard != "" {
		facts = append(facts, web.Fact{Name: "shard", Value: m.Shard})
	}
	var columns []web.Fact
	for _, c := range m.Columns {
		columns = append(
			columns,
			web.Fact{
				Name:  c.Name,
				Value: c.Type + " (" + strings.ReplaceAll(c.Kind, "_", " ") + ")",
			},
		)
	}
	out.Sections = append(
		out.Sections,
		web.Section{Title: "Output", Facts: facts},
		web.Section{Title: "Columns", Facts: columns},
	)
}

// phases are the ends of runs as pages show them.
var phases = map[run.Outcome]board.Phase{
	run.Done:        board.Done,
	run.Partly:      board.Partly,
	run.Interrupted: board.Interrupted,
	run.Failed:      board.Failed,
}

// ofRun reports a run directory.
func ofRun(out *web.Report, r *status.Record) {
	st, s := r.Status, &out.State
	s.Command, s.Table, s.Phase, s.Error = st.Command, st.Table, board.Done, ""
	s.About.Work, s.Tool = st.Command, strings.TrimPrefix(st.Tool, "cqlbulk ")
	switch {
	case st.Live:
		s.Phase = board.Running
	case st.End == nil:
		s.Phase, out.Note = board.Failed, StateText(r)
	case st.End.Outcome != run.Done:
		s.Phase, s.Error = phases[st.End.Outcome], st.End.Error
	}
	s.Began, s.Share = st.Started, st.Share()
	if r.Page == nil {
		s.Elapsed = max(st.Seen.Sub(st.Started).Seconds(), 0)
		s.RowsPerSecond = st.Pace.RowsPerSecond
		if len(r.Args) > 1 {
			s.About.SetInputs(r.Args[1:])
		}
	}
	ofPace(s, st)
	section := web.Section{Title: "Rows"}
	add := func(name, format string, args ...any) {
		section.Facts = append(
			section.Facts,
			web.Fact{Name: name, Value: fmt.Sprintf(format, args...)},
		)
	}
	some := func(name string, n int64) {
		if n > 0 {
			add(name, "%s", human.Count(n))
		}
	}
	if l := st.Load; l != nil {
		t := l.Tally
		// the page also had rows of pieces that the journal does not have as complete
		s.Rows, s.RejectedRows = max(s.Rows, t.Written), l.Rejected
		add("inputs", "%s", inputsText(l))
		if l.Pieces > 0 {
			printPieces(l, add)
		}
		some("read", t.Read)
		some("written", t.Written)
		some("rejected", t.Rejected())
		some("in doubt", t.InDoubt)
		some("there already", t.Existing)
		if t.Written+t.Existing > 0 {
			add("checksum", "%s", t.Sum)
		}
		for _, change := range l.Changed {
			add("changed", "%s", ChangeText(change))
		}
	}
	if scan := st.Scan; scan != nil {
		s.Rows, s.Bytes = max(s.Rows, scan.Rows), max(s.Bytes, scan.TextBytes)
		add("read", "%.1f %% of the tokens, up to the last mark", 100*scan.Share)
		add("checksum", "%s", scan.Sum)
	}
	s.Next, s.Edit = "", nil
	for i, n := range st.Next() {
		n = n.FromAnywhere()
		line := report.CommandLine(n)
		if i == 0 {
			s.Next, s.Edit = line, n.Edit
		} else {
			add("or", "%s", line)
		}
	}
	if st.End != nil {
		for _, f := range st.End.Failed {
			out.Failed = append(out.Failed, web.FailedRange{Range: f.Range, Reason: f.Reason})
		}
		s.FailedRanges = int64(len(st.End.Failed))
	}
	add("last heard", "%s", st.Seen.UTC().Format(time.RFC3339))
	out.Sections = append(out.Sections, section)
}

// settingsSection lists the settings of a run, without those that change nothing.
func settingsSection(r *status.Record) web.Section {
	section := web.Section{Title: "Settings"}
	add := func(name string, value string) {
		switch value {
		case "", "0", "false", "[]", "<nil>":
		default:
			section.Facts = append(section.Facts, web.Fact{Name: name, Value: value})
		}
	}
	if r.Manifest != nil {
		for _, name := range slices.Sorted(maps.Keys(r.Manifest.Options)) {
			add(name, fmt.Sprint(r.Manifest.Options[name]))
		}
		return section
	}
	for _, name := range slices.Sorted(maps.Keys(r.Settings)) {
		add(name, strings.Join(r.Settings[name], ", "))
	}
	return section
}

// ofPace fills in what the last process of a run noted. A page that an earlier process kept has
// other figures: what only a page has is left out then.
func ofPace(s *board.State, st *status.Report) {
	p := st.Pace
	if p.Took == 0 {
		return
	}
	if p.Earlier > 0 && s.EarlierSeconds < p.Earlier.Seconds()-pageTime.Seconds() {
		s.History, s.Nodes, s.P50, s.P99, s.BytesPerSecond = nil, nil, 0, 0, 0
	}
	if p.Earlier > 0 {
		s.Began = st.Seen.Add(-p.Took) // of the process that the time is of
	}
	s.Elapsed, s.EarlierSeconds = p.Took.Seconds(), p.Earlier.Seconds()
	s.EarlierRows = p.EarlierRows
	if !st.Live {
		s.RowsPerSecond = p.RowsPerSecond
	}
}

// pageTime is by how much times of a page are rounded, at most.
const pageTime = time.Second
