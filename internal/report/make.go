package report

import (
	"math"
	"strings"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/operation"
	"github.com/cqlbulk/cqlbulk/internal/progress"
	"github.com/cqlbulk/cqlbulk/internal/run"
	"github.com/cqlbulk/cqlbulk/internal/run/advice"
	"github.com/cqlbulk/cqlbulk/internal/run/recorded"
	"github.com/cqlbulk/cqlbulk/internal/run/status"
	"github.com/cqlbulk/cqlbulk/internal/spec/setting"
	"github.com/cqlbulk/cqlbulk/internal/version"
)

// outcomes are what documents call outcomes.
var outcomes = map[run.Outcome]string{
	run.Done: "done", run.Partly: "partly", run.Interrupted: "interrupted", run.Failed: "failed",
}

// The exit statuses of a command that ended without a report.
const (
	exitUsage       = 1 // nothing was done
	exitInterrupted = 130
)

// LeaveInDoubt notes that a retry left rows in doubt of its first run alone. If the retry has not
// failed, it also notes how they are written again.
func (d *Document) LeaveInDoubt(rows int, retry advice.Step, failed bool) {
	if d.Load == nil {
		return
	}
	d.Load.LeftInDoubt = int64(rows)
	if !failed {
		d.Outcome, d.Next = outcomes[run.Partly], nextOf(retry)
	}
}

// Outcomes of commands that did nothing.
const (
	Refused = "refused" // something was wrong before it began
	DryRun  = "dry run" // it only said what it would do
)

// nextOf says what to do next; nil: nothing.
func nextOf(n advice.Step) *Next {
	if n.Command == "" {
		return nil
	}
	return &Next{n.Command, n.RunDir, CommandLine(n), n.Edit}
}

// CommandLine is what to do next, as one types it.
func CommandLine(n advice.Step) string {
	if n.StartOver != nil {
		return n.StartOver.Line()
	}
	line := "cqlbulk " + n.Command
	if n.Piped {
		line = "... | " + line
	}
	if n.RepeatInDoubt {
		line += " --repeat-in-doubt"
	}
	line += " " + setting.ShellQuote(n.RunDir)
	for _, s := range n.Settings {
		line += " " + strings.Join(s.Words(), " ")
	}
	if n.KeepLoaded {
		line += " --keep-loaded"
	}
	return line
}

func runOf(r operation.Report) Run {
	seconds := r.Duration.Seconds()
	return Run{
		Target:         targetOf(r),
		Table:          r.Table,
		Started:        r.Started,
		Seconds:        seconds,
		EarlierSeconds: r.TookBefore.Seconds(),
		Rows:           r.Rows,
		EarlierRows:    r.Earlier,
		RowsPerSecond:  r.RowsPerSecond(),
		Bytes:          r.Bytes,
		EarlierBytes:   r.Before,
		BytesPerSecond: r.BytesPerSecond(),
		Retries:        r.Retries,
		RetryReasons:   list(r.Reasons),
		Warnings: each(r.Warnings, func(w operation.ServerWarning) ServerWarning {
			return ServerWarning(w)
		}),
		Requests:    r.Latency.Requests,
		P50Seconds:  r.Latency.P50.Seconds(),
		P99Seconds:  r.Latency.P99.Seconds(),
		Consistency: r.Consistency,
		Frames:      r.FrameCompression,
		Replicated:  r.Replicated,
		SSTables:    r.SSTables,
		Snapshots:   list(r.Snapshots),
	}
}

func targetOf(r operation.Report) *Target {
	if r.Target == 0 {
		return nil
	}
	k := r.Kept
	return &Target{
		P99Seconds:  r.Target.Seconds(),
		IdleSeconds: k.Idle.Seconds(),
		Seconds:     k.Seconds,
		Above:       k.Above,
		ShareAbove: float64(
			k.Above,
		) / float64(
			max(k.Seconds, 1),
		),
		WorstSeconds: k.Worst.Seconds(),
		WorstAt:      k.WorstAt,
	}
}

// list is never null as JSON.
func list[T any](of []T) []T {
	if of == nil {
		return []T{}
	}
	return of
}

// each makes a list of another one.
func each[F, T any](from []F, of func(F) T) []T {
	to := make([]T, len(from))
	for i, f := range from {
		to[i] = of(f)
	}
	return to
}

// OfLoad makes the document of a load.
func OfLoad(r operation.LoadReport) Document {
	l := &Load{
		Run: runOf(
			r.Report,
		),
		Recorded:    r.Recorded,
		Read:        r.Read,
		Rejected:    r.Rejected(),
		ParseErrors: r.ParseErrors,
		DatesApart:  r.Rejects.Dates,
		OtherUnits:  r.OtherUnits,
		InDoubt:     r.InDoubt,
		Existing:    r.Existing,
		Checksum:    r.Sum.String(),
		DryRun:      r.DryRun,
		IfNotExists: r.IfNotExists,
		Statement:   r.Statement,
		Delete:      r.Delete,
		Conditional: r.Conditional,
		CountsTwice: r.CountsTwice,
		RejectFiles: list(r.Rejects.Files),
		NotApplied:  r.Rejects.NotApplied,
		ReasonsFile: r.Rejects.Reasons,
		RunDir:      r.RunDir,
		StartOver:   r.StartOver,
		Causes:      []Cause{},
		Changed:     each(r.Changed, changeOf),
	}
	if r.Statement != "" {
		l.Checksum = "" // the markers' values are not what the table has then
	}
	for _, c := range r.Rejects.Causes {
		l.Causes = append(
			l.Causes,
			Cause{
				c.Rows,
				c.First.File,
				c.First.Line,
				c.First.Column,
				c.First.Value,
				c.First.Reason,
			},
		)
	}
	l.Explained = explainedOf(r.Explained)
	if r.Limit != nil {
		l.Limit = string(r.Limit.Stage)
	}
	if r.Streamed || r.Files != nil {
		l.Stream = streamOf(r.Stream, r.Files, r.Compaction)
	}
	if r.DryRun {
		l.WouldLoad, l.WouldReject, l.WouldSend = l.Rows, l.Rejected, l.Requests
		l.WouldStream = l.Stream
		l.Rows, l.Rejected, l.ParseErrors, l.Requests = 0, 0, 0, 0
		l.Stream, l.Checksum = nil, ""
	}
	return Document{Outcome: outcomeOf(r.Outcome, r.DryRun), Next: nextOf(r.Next), Load: l}
}

// outcomeOf is what a document calls an outcome. One that came to no end is called the same in a
// dry run.
func outcomeOf(outcome run.Outcome, dryRun bool) string {
	if dryRun && (outcome == run.Done || outcome == run.Partly) {
		return DryRun
	}
	return outcomes[outcome]
}

func explainedOf(e *operation.Explained) *Explained {
	if e == nil {
		return nil
	}
	out := &Explained{
		Inputs: []ExplainedInput{},
		Others: e.Others,
		Way:    e.Way,
		Nulls:  list(e.Nulls),
		Delete: e.NullDeletes,
	}
	for _, in := range e.Inputs {
		uses := []FieldUse{}
		for _, f := range in.Fields {
			use := FieldUse{Field: f.Field}
			if f.Loaded != "" {
				use.Column, use.Kind = f.Loaded, f.Column.Kind.String()
				use.Type = f.Column.Type.String()
			}
			uses = append(uses, use)
		}
		out.Inputs = append(out.Inputs, ExplainedInput{in.Name, in.Like, uses, list(in.Missing)})
	}
	return out
}

func changeOf(c recorded.Change) Change { return Change{c.Name, c.Was, list(c.Now)} }

func streamOf(s operation.StreamStats, kept *operation.KeptFiles, c *operation.Compaction) *Stream {
	out := &Stream{
		Partitions: s.Partitions,
		Bytes:      s.Bytes,
		Files:      s.Files,
		Slices:     s.Slices,
		Whole:      s.Whole,
		Nodes:      len(s.Nodes),
	}
	if c != nil {
		out.Compaction = &CompactionLeft{c.Told, c.Active, c.Pending, c.Left}
	}
	if kept == nil {
		return out
	}
	out.Files, out.Whole, out.Dir, out.Import = int64(kept.Tables), true, kept.Dir, kept.Import
	if out.Nodes = 0; kept.Ringed {
		out.Nodes = kept.Nodes
	}
	for _, i := range kept.Imports {
		one := Import{Node: i.Node, SSTables: i.Tables}
		if i.Err != nil {
			one.Error, one.Command = i.Err.Error(), i.Command
		}
		out.Imports = append(out.Imports, one)
	}
	return out
}

func failedOf(failed []operation.FailedRange) []FailedRange {
	return each(failed, func(f operation.FailedRange) FailedRange {
		out := FailedRange{Error: f.Err.Error()}
		if f.Tokens != nil {
			out.Start, out.End = f.Tokens.Start, f.Tokens.End
		}
		return out
	})
}

// OfScan makes the document of a scan.
func OfScan(r operation.ScanReport) Document {
	s := &Scan{
		Run: runOf(
			r.Report,
		),
		Ranges:     r.Ranges,
		Failed:     failedOf(r.Failed),
		Seed:       r.Seed,
		Checksum:   r.Sum.String(),
		Whole:      r.Whole && !r.Limited,
		Limited:    r.Limited,
		Output:     r.Output,
		Unfinished: list(r.Unfinished),
		Manifest:   r.Manifest,
		RunDir:     r.RunDir,
		Files:      make([]File, 0, len(r.Files)),
	}
	for _, f := range r.Files {
		if f.Name != "" {
			s.Files = append(s.Files, File{f.Name, f.Rows, f.Bytes, f.Sum})
		}
	}
	if k := r.Keys; k != nil {
		s.Keys = &Keys{
			Keys:        k.Keys,
			Redundant:   k.Redundant,
			Rejected:    k.Rejected,
			Missing:     k.Missing,
			NotRead:     k.NotRead,
			MissingFile: k.MissingFile,
			RejectFiles: list(k.Rejects.Files),
			ReasonsFile: k.Rejects.Reasons,
		}
	}
	return Document{Outcome: outcomes[r.Outcome], Next: nextOf(r.Next), Scan: s}
}

// OfCount makes the document of a count.
func OfCount(r operation.CountReport) Document {
	c := &Count{Run: runOf(r.Report), Ranges: r.Ranges, Failed: failedOf(r.Failed)}
	c.Hosts = each(
		r.Hosts,
		func(h operation.HostRows) HostRows { return HostRows{h.Address, h.Rows} },
	)
	c.Vnodes = each(r.Vnodes, func(v operation.RangeRows) RangeRows {
		if v.Tokens == nil {
			return RangeRows{Rows: v.Rows}
		}
		return RangeRows{v.Tokens.Start, v.Tokens.End, v.Rows}
	})
	c.Partitions = each(r.Partitions, func(p operation.PartitionRows) PartitionRows {
		return PartitionRows{each(p.Key, func(text []byte) string { return string(text) }), p.Rows}
	})
	return Document{Outcome: outcomes[r.Outcome], Count: c}
}

// OfClone makes the document of a clone.
func OfClone(r operation.CloneReport) Document {
	c := &Clone{
		Run: runOf(
			r.Report,
		),
		Ranges: r.Ranges,
		Failed: failedOf(r.Failed),
		DryRun: r.DryRun,
		Stream: streamOf(r.Stream, r.Files, r.Compaction),
	}
	if r.DryRun {
		c.WouldClone, c.WouldStream, c.Rows, c.Stream = c.Rows, c.Stream, 0, nil
	}
	return Document{Outcome: outcomeOf(r.Outcome, r.DryRun), Clone: c}
}

// OfPlan makes the document of a plan.
func OfPlan(r operation.PlanReport) Document {
	return Document{Outcome: outcomes[run.Done], Plan: &Plan{
		Table:       r.Table,
		Statement:   r.Statement,
		Cluster:     r.Cluster,
		Partitioner: r.Partitioner,
		DC:          r.DC,
		DCs:         list(r.DCs),
		Replication: r.Replication,
		Serial:      r.Serial,
		Parallel:    r.Parallel,
		Asked:       r.Asked,
		Smudge:      r.Smudge,
		SavedRing:   r.SavedRing,
		Splits:      r.Splits,
		Finest:      r.Finest,
		Vnodes:      r.Vnodes,
		Seed:        r.Seed,
		Partitions:  r.Partitions,
		Bytes:       r.Bytes,
		ByCQL:       r.Expected.ByCQL.Seconds(),
		Streamed:    r.Expected.Streamed.Seconds(),
		Faster:      r.Expected.Faster(),
		NodeLimit:   r.Expected.NodeLimit,
		Nodes: each(r.Nodes, func(n operation.PlanNode) PlanNode {
			return PlanNode{
				n.Address,
				n.DC,
				n.Rack,
				n.Version,
				n.Up,
				n.Cores,
				n.Tokens,
				n.Holds,
				n.Reads,
				n.Bytes,
			}
		}),
	}}
}

// OfStatus makes the document of a run's status.
func OfStatus(r status.Report) Document {
	s := &Status{
		RunDir:  r.RunDir,
		Command: r.Command,
		Table:   r.Table,
		Cluster: r.Target.Cluster,
		Hosts:   r.Target.Hosts,
		Program: r.Tool,
		Started: r.Started,
		State:   "killed",
		Pace:    paceOf(r.Seen, r.Share(), r.Pace.RowsPerSecond, r.Pace.Left),
	}
	s.Seconds, s.EarlierSeconds = r.Pace.Took.Seconds(), r.Pace.Earlier.Seconds()
	switch {
	case r.Live:
		s.State, s.PID, s.Host, s.Now = "running", r.Holder.PID, r.Holder.Host, r.Pace.Now
	case r.End != nil:
		s.State, s.Error, s.Refused = outcomes[r.End.Outcome], r.End.Error, r.End.Refused
	}
	if l := r.Load; l != nil {
		s.Load = &LoadStatus{
			Inputs:           l.Inputs,
			Acknowledged:     r.Pace.Rows,
			Stored:           l.Stored,
			Piped:            l.Piped,
			Settled:          l.Settled,
			Pieces:           l.Pieces,
			Read:             l.Tally.Read,
			Written:          l.Tally.Written,
			Rejected:         l.Rejected,
			RejectedRecorded: l.Tally.Rejected(),
			CountsTwice:      l.CountsTwice,
			InDoubt:          l.Tally.InDoubt,
			Existing:         l.Tally.Existing,
			Checksum:         l.Tally.Sum.String(),
			Retried:          list(l.Retried),
			Edited:           l.Edited,
			Lost:             list(l.Lost),
			Changed:          each(l.Changed, changeOf),
			Reread:           each(l.Reread, changeOf),
			Begun: each(
				l.Begun,
				func(p status.OpenPiece) OpenPiece { return OpenPiece{p.Path, p.From, p.To} },
			),
			Streams: append([]progress.Streamed{}, l.Streams...),
		}
	}
	if r.Scan != nil {
		s.Scan = &ScanStatus{
			Share:     r.Scan.Share,
			Rows:      r.Scan.Rows,
			TextBytes: r.Scan.TextBytes,
			Checksum:  r.Scan.Sum.String(),
			Failed:    []StatusRange{},
			StartOver: r.Scan.StartOver,
		}
		if r.End != nil {
			for _, f := range r.End.Failed {
				s.Scan.Failed = append(s.Scan.Failed, StatusRange{f.Range, f.Reason})
			}
		}
	}
	s.Next = nextsOf(r.Next())
	return Document{Outcome: outcomes[run.Done], Status: s}
}

func nextsOf(all []advice.Step) []Next {
	return each(all, func(n advice.Step) Next { return *nextOf(n) })
}

// OfRuns makes the document of the runs of a folder.
func OfRuns(folder string, runs []status.Run, hidden int) Document {
	listed := each(runs, func(r status.Run) ListedRun {
		one := ListedRun{
			Path:    r.Path,
			Command: r.Command,
			Table:   r.Table,
			Cluster: r.Target.Cluster,
			Hosts:   r.Target.Hosts,
			State:   string(r.State),
			Started: r.Started.UTC(),
			Rows:    r.Rows,
			Failed:  r.Failed,
			Next:    nextsOf(r.Next),
			Pace:    paceOf(r.Seen, r.Share, r.RowsPerSecond, r.Left),
		}
		if r.Err != nil {
			one.Error = r.Err.Error()
		}
		return one
	})
	return Document{Outcome: outcomes[run.Done], Runs: &Runs{folder, listed, hidden}}
}

// OfPrune makes the document of what was pruned.
func OfPrune(folder string, p status.Pruned, dryRun bool) Document {
	d := Document{
		Outcome: outcomeOf(run.Done, dryRun),
		Prune:   &Prune{Folder: folder, DryRun: dryRun},
	}
	if dryRun {
		d.Prune.WouldRemove = PruneList{p.Past, list(p.Runs)}
	} else {
		d.Prune.Removed = PruneList{p.Past, list(p.Runs)}
	}
	d.Prune.Removed.RunDirs, d.Prune.WouldRemove.RunDirs = list(
		d.Prune.Removed.RunDirs,
	), list(
		d.Prune.WouldRemove.RunDirs,
	)
	return d
}

func paceOf(seen time.Time, share *float64, rate float64, left time.Duration) Pace {
	return Pace{
		Seen:          seen.UTC(),
		Share:         share,
		RowsPerSecond: math.Round(10*rate) / 10,
		LeftSeconds:   left.Seconds(),
	}
}

// OfVerify makes the document of a verification.
func OfVerify(r operation.VerifyReport) Document {
	v := &Verify{
		Started:  r.Started,
		Seconds:  r.Duration.Seconds(),
		Files:    r.Files,
		Bytes:    r.Bytes,
		NoHash:   r.NoHash,
		Verdict:  r.Verdict.String(),
		Findings: list(r.Findings),
		Notes:    list(r.Notes),
		Sets:     []VerifySet{},
	}
	for _, s := range r.Sets {
		one := VerifySet{Name: s.Name, Rows: s.Rows, Shards: s.Shards, Given: s.Given}
		if s.Summed {
			one.Checksum = s.Sum.String()
		}
		v.Sets = append(v.Sets, one)
	}
	return Document{Outcome: outcomes[r.Outcome], Verify: v}
}

// OfDoctor makes the document of what a doctor found.
func OfDoctor(r operation.DoctorReport) Document {
	d := &Doctor{
		Table:    r.Table,
		Started:  r.Started,
		Seconds:  r.Duration.Seconds(),
		Findings: []Finding{},
	}
	for _, f := range r.Findings {
		one := Finding{f.Name, string(f.State), f.Found, f.Do}
		d.Findings = append(d.Findings, one)
		switch one.State {
		case "failure":
			d.Failures++
		case "warning":
			d.Warnings++
		default:
			d.OK++
		}
	}
	return Document{Outcome: outcomes[r.Outcome], Doctor: d}
}

// Ended fills in what every document has: the command, the program, the exit
// status, and the error that it ended with, if any.
func (d *Document) Ended(command string, program version.Info, exit int, err string) {
	d.Version, d.Command, d.Program, d.Build = Version, command, program.Version, program
	d.Exit, d.Error = exit, err
	switch {
	case exit == exitUsage:
		d.Outcome = Refused
	case d.Outcome != "":
	case exit == 0:
		d.Outcome = outcomes[run.Done]
	case exit == exitInterrupted:
		d.Outcome = outcomes[run.Interrupted]
	default:
		d.Outcome = outcomes[run.Failed]
	}
}
