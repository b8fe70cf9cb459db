package report

import (
	"cmp"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/human"
)

// Lines returns what a terminal shows at the end of a command: at most six lines. The last one says
// how the command ended and which command continues. The result is empty for a command that did
// nothing, and for status, whose answer is lines itself.
func (d *Document) Lines() []string {
	var t text
	switch {
	case d.Outcome == Refused:
		return nil
	case d.Load != nil:
		t.load(d)
	case d.Scan != nil:
		t.scan(d.Scan)
	case d.Count != nil:
		t.number(
			"counted",
			human.Count(d.Count.Rows),
			human.Noun(d.Count.Rows, "row")+" of "+d.Count.Table,
		)
		t.pace(d.Count.Run, "")
		t.ranges(d.Count.Run, d.Count.Ranges, d.Count.Failed, "counted")
	case d.Clone != nil:
		t.clone(d.Clone)
	case d.Doctor != nil:
		t.doctor(d.Doctor)
	case d.Plan != nil:
		t.plan(d.Plan)
	case d.Inspect != nil:
		t.inspect(d.Inspect)
	case d.Verify != nil:
		t.verify(d.Verify)
	case d.Report != nil:
		t.report(d.Report)
	case d.Settings != nil:
		t.settings(d.Settings)
	default:
		return nil
	}
	t.words("end", d.end())
	return t.lines
}

// text is lines of a name, and a number or words.
type text struct{ lines []string }

// numbersEnd is the column in which numbers end.
const numbersEnd = 23

// number adds a line with a number, which ends in the same column as those of other lines.
func (t *text) number(name, number, rest string) {
	t.lines = append(
		t.lines,
		fmt.Sprintf("%s%*s %s", name, max(numbersEnd-len(name), len(number)+1), number, rest),
	)
}

func (t *text) words(name, words string) {
	t.lines = append(t.lines, fmt.Sprintf("%-10s %s", name, words))
}

// say joins what there is to be said.
func say(parts ...string) string {
	var said []string
	for _, p := range parts {
		if p != "" {
			said = append(said, p)
		}
	}
	return strings.Join(said, ", ")
}

// unless0 is a number with what it is of, and nothing when it is 0.
func unless0(n int64, of string) string {
	if n == 0 {
		return ""
	}
	return human.Count(n) + " " + of
}

// duration is a number of seconds, as documents have them.
func duration(
	seconds float64,
) time.Duration {
	return time.Duration(seconds * float64(time.Second))
}

func (t *text) load(d *Document) {
	l := d.Load
	if l.DryRun {
		t.dryLoad(l)
		return
	}
	did, _, what := did(l, l.Rows)
	t.number(
		did,
		human.Count(l.Rows),
		say(
			what,
			human.Count(l.Read)+" read",
			human.Count(l.Rejected)+" rejected",
			unless0(l.InDoubt, "in doubt"),
			existing(l),
			d.unwritten(),
			d.recorded(),
		),
	)
	// what was read and sent so far is no speed of the load
	if l.Stream != nil && l.Read > 0 && l.Rows == 0 {
		t.number("in", human.Elapsed(duration(l.Seconds)), "no row landed")
		t.words("checksum", l.Checksum)
		return
	}
	text := "read"
	if d.stopped() {
		text = "completed" // of what was read and is not written it is not
	}
	t.pace(l.Run, text)
	switch {
	case l.Stream != nil:
		t.stream(l.Stream, false, true)
	default:
		t.number(
			"requests",
			human.Count(l.Requests),
			say(
				"of "+rowsEach(l.Rows-l.EarlierRows+l.Existing, l.Requests),
				unless0(l.Retries, human.Noun(l.Retries, "retry")),
				l.warned(),
				latency(l.Run),
				l.level(),
				l.frames(),
			),
		)
	}
	if l.Statement == "" {
		t.words("checksum", say(l.Checksum, d.summed()))
	}
}

// did returns what a load of some rows did, what it would do, and with what.
func did(l *Load, rows int64) (did, would, what string) {
	switch {
	case l.Delete:
		return "deleted", "would delete", human.Noun(rows, "key") + " from " + l.Table
	case l.Statement != "":
		return "ran", "would run", human.Noun(rows, l.Statement) + " on " + l.Table
	default:
		return "loaded", "would load", human.Noun(rows, "row") + " into " + l.Table
	}
}

// stopped reports whether the command left a load that a resume continues.
func (d *Document) stopped() bool { return d.Next != nil && d.Next.Command == "resume" }

// unwritten says how many rows of a load that is stopped were read, and neither written nor
// rejected; empty: none.
func (d *Document) unwritten() string {
	l := d.Load
	n := l.Read - l.Rows - l.Existing - l.Rejected - l.InDoubt
	if !d.stopped() || n <= 0 {
		return ""
	}
	return human.Count(n) + " not written yet"
}

// summed returns which rows the checksum is of, if the load's status has another one; otherwise
// empty.
func (d *Document) summed() string {
	if d.recorded() == "" {
		return ""
	}
	return "of the " + human.Of(d.Load.Rows, "row") + " loaded"
}

// dryLoad adds what a load would do.
func (t *text) dryLoad(l *Load) {
	_, would, what := did(l, l.WouldLoad)
	t.number(
		would,
		human.Count(l.WouldLoad),
		say(
			what,
			human.Count(l.Read)+" read",
			human.Count(l.WouldReject)+" would be rejected",
		),
	)
	t.pace(l.Run, "read")
	if l.WouldStream != nil {
		t.stream(l.WouldStream, true, true)
		return
	}
	t.number(
		"would send",
		human.Count(l.WouldSend),
		human.Noun(l.WouldSend, "request")+" of "+rowsEach(l.WouldLoad, l.WouldSend),
	)
}

// clone adds what a clone did, or would do.
func (t *text) clone(c *Clone) {
	name, rows, verb, stream := "cloned", c.Rows, "cloned", c.Stream
	if c.DryRun {
		name, rows, verb, stream = "would clone", c.WouldClone, "read", c.WouldStream
	}
	t.number(name, human.Count(rows), human.Noun(rows, "row")+" of "+c.Table)
	t.pace(c.Run, "")
	t.ranges(c.Run, c.Ranges, c.Failed, verb)
	t.stream(stream, c.DryRun, false)
}

// recorded says what a resume does with rows of a load that is stopped; empty: it is not, or all of
// them are recorded.
func (d *Document) recorded() string {
	switch {
	case !d.stopped() || d.Load.Recorded >= d.Load.Rows:
		return ""
	case d.Load.CountsTwice:
		return human.Count(d.Load.Recorded) + " recorded: " + toInDoubt
	}
	rest := human.Count(d.Load.Rows - d.Load.Recorded)
	if d.Load.Recorded == 0 {
		return "none recorded: a resume writes all " + rest + " again"
	}
	return human.Count(d.Load.Recorded) + " recorded: a resume writes the other " + rest + " again"
}

// toInDoubt says what a resume does with rows under way that would count twice.
const toInDoubt = "a resume lists all rows that were under way in in-doubt.csv"

func existing(l *Load) string {
	switch {
	case !l.Conditional:
		return ""
	case !l.IfNotExists:
		return human.Count(l.Existing) + " not applied"
	}
	return human.Count(l.Existing) + " " + human.Verb(l.Existing, "was", "were") + " there already"
}

// rowsEach is how many rows a request had.
func rowsEach(rows, requests int64) string {
	return fmt.Sprintf("%.1f rows", float64(rows)/float64(max(requests, 1)))
}

// warned says how many warnings the nodes sent.
func (r Run) warned() string {
	var n int64
	for _, w := range r.Warnings {
		n += w.Times
	}
	return unless0(n, human.Noun(n, "server warning"))
}

func latency(r Run) string {
	if r.Requests == 0 {
		return ""
	}
	of := func(seconds float64) string { return human.Latency(duration(seconds)) }
	return fmt.Sprintf("p50 %s, p99 %s", of(r.P50Seconds), of(r.P99Seconds))
}

// level is the consistency level, where there are replicas to agree with.
func (r Run) level() string {
	if !r.Replicated {
		return ""
	}
	return r.Consistency
}

// frames returns a note that the frames of requests were compressed. It is empty if they were not,
// or if there were no requests.
func (r Run) frames() string {
	if r.Requests == 0 || r.Frames == "" || r.Frames == "none" {
		return ""
	}
	return "frames by " + r.Frames
}

// before is what earlier processes of the run did, and how long they took; empty: there were none.
func (r Run) before() string {
	text := unless0(r.EarlierRows, human.Noun(r.EarlierRows, "row")+" before")
	if r.EarlierSeconds == 0 {
		return text
	}
	took := human.Elapsed(duration(r.EarlierSeconds))
	if text == "" {
		return took + " before"
	}
	return text + " in " + took
}

// pace adds how fast a run was, and how a target was kept. what happened to the text; empty: there
// is none.
func (t *text) pace(r Run, what string) {
	volume, speed := "", ""
	if what != "" && r.Bytes > 0 {
		volume, speed = human.Size(r.Bytes)+" "+what, human.Size(int64(r.BytesPerSecond))+"/s"
	}
	t.number("in", human.Elapsed(duration(r.Seconds)),
		say(human.Count(int64(r.RowsPerSecond))+" rows/s", speed, volume, r.before()))
	t.target(r)
}

// target adds how a target was kept.
func (t *text) target(r Run) {
	if r.Target == nil {
		return
	}
	of := func(seconds float64) string { return human.Latency(duration(seconds)) }
	g := r.Target
	kept := fmt.Sprintf(
		"p99 of small reads %s or less in all of %s",
		of(g.P99Seconds),
		human.Of(g.Seconds, "second"),
	)
	switch {
	case g.Seconds == 0:
		kept = fmt.Sprintf(
			"p99 of small reads was not compared with %s: no full second was measured",
			of(g.P99Seconds),
		)
	case g.Above > 0:
		kept = fmt.Sprintf(
			"p99 of small reads ABOVE %s in %s of %s (%.0f %%)",
			of(g.P99Seconds),
			human.Count(g.Above),
			human.Of(g.Seconds, "second"),
			100*g.ShareAbove,
		)
	}
	t.words("target", say(kept, worst(g, of), "before the run "+of(g.IdleSeconds)))
}

func worst(g *Target, of func(float64) string) string {
	if g.Seconds == 0 {
		return ""
	}
	return "worst second " + of(g.WorstSeconds)
}

// ranges adds how many token ranges were dealt with, and how.
func (t *text) ranges(r Run, read int, failed []FailedRange, verb string) {
	from := r.level()
	if r.SSTables > 0 {
		from = "SSTables: " + human.Count(r.SSTables)
		if len(r.Snapshots) > 0 {
			from += " of snapshot " + strings.Join(r.Snapshots, ", ")
		}
	}
	t.number(
		"ranges",
		human.Count(read),
		say(
			verb,
			unless0(int64(len(failed)), "failed"),
			unless0(r.Retries, human.Noun(r.Retries, "retry")),
			r.warned(),
			latency(r),
			from,
			r.frames(),
		),
	)
}

func (t *text) scan(s *Scan) {
	t.number("scanned", human.Count(s.Rows), human.Noun(s.Rows, "row")+" of "+s.Table)
	if k := s.Keys; k != nil {
		t.number("keys", human.Count(k.Keys-k.NotRead), say(
			"read",
			human.Count(k.Missing)+" without a row",
			unless0(k.NotRead, "not read"),
			unless0(k.Redundant, "listed again"),
			unless0(k.Rejected, "rejected"),
		))
	}
	t.pace(s.Run, "written")
	if s.Keys != nil {
		t.number("requests", human.Count(s.Requests), say(
			unless0(s.Retries, human.Noun(s.Retries, "retry")),
			s.warned(),
			latency(s.Run),
			s.level(),
			s.frames(),
		))
	} else {
		t.ranges(s.Run, s.Ranges, s.Failed, "read")
	}
	t.words("checksum", fmt.Sprintf("%s, seed %d", s.Checksum, s.Seed))
}

// stream adds the SSTables and rows that were streamed to the nodes or written to a folder, or
// would be.
func (t *text) stream(s *Stream, dryRun, ofLoad bool) {
	if s.Dir != "" {
		nodes := "all nodes"
		if s.Nodes > 0 {
			nodes = human.Of(s.Nodes, "node")
		}
		t.number(
			"kept",
			human.Size(s.Bytes),
			say(
				human.Of(s.Partitions, "partition"),
				fmt.Sprintf("%s for %s", human.Of(s.Files, "SSTable"), nodes),
			),
		)
		return
	}
	files := human.Of(s.Files, "file") + " of rows"
	if s.Whole {
		files = human.Of(s.Files, "entire SSTable")
	}
	nodes := ""
	if s.Nodes > 0 {
		nodes = "on " + human.Of(s.Nodes, "node")
	}
	name := "streamed"
	if dryRun {
		name, nodes = "would make", strings.Replace(nodes, "on ", "for ", 1)
	}
	plain := ""
	if dryRun && !s.Whole {
		plain = "before compression"
	}
	t.number(name, human.Size(s.Bytes), say(partitions(s, ofLoad), files, nodes, plain))
}

// partitions says how many there are. Slices of a load may have rows of the same ones, and those of
// a clone do not.
func partitions(s *Stream, ofLoad bool) string {
	text := human.Of(s.Partitions, "partition")
	if s.Slices > 1 && ofLoad {
		text += " (counted per slice)"
	}
	return text
}

// doctor adds how the findings of a doctor came out.
func (t *text) doctor(d *Doctor) {
	t.number(
		"checked",
		human.Of(len(d.Findings), "finding"),
		say(
			"in "+human.Elapsed(duration(d.Seconds)),
			fmt.Sprintf(
				"%d ok",
				d.OK,
			),
			human.Of(d.Warnings, "warning"),
			human.Of(d.Failures, "failure"),
		),
	)
}

// end returns how a run ended, and the command that resumes it.
func (d *Document) end() string {
	switch {
	case d.Outcome == DryRun && d.Load != nil && d.Load.WouldReject > 0:
		return "dry run: " + human.Of(
			d.Load.WouldReject,
			"row",
		) + " would be rejected" + d.Load.datesApart() + d.Load.otherUnits() + "; nothing was written"
	case d.Outcome == DryRun && d.Clone != nil && len(d.Clone.Failed) > 0:
		return "dry run: " + human.Of(
			len(d.Clone.Failed),
			"token range",
		) + " failed; nothing was written"
	case d.Outcome == DryRun && d.Load != nil && d.Load.OtherUnits > 0:
		return "dry run" + d.Load.otherUnits() + "; nothing was written"
	case d.Outcome == DryRun:
		return "dry run: nothing was written"
	case d.Outcome == "partly" && d.Doctor != nil:
		return human.Of(d.Doctor.Failures, "failure") + " to be fixed first"
	case d.Outcome == "partly" && d.Verify != nil:
		return "done, but " + d.Verify.unlike()
	case d.Outcome == "partly" && d.Inspect != nil:
		return fmt.Sprintf(
			"done, but %s could not be read: copy again, or scrub with nodetool, what is listed",
			human.Of(len(d.Inspect.Failures), "SSTable"),
		)
	case d.Outcome == "partly":
		return "done, but " + d.left() + d.onward(": ")
	case d.WentWell():
		return "done" + d.output() + d.Load.otherUnits()
	case d.Load != nil && d.Load.StartOver:
		return d.Outcome + "; nothing was written: run the same command again"
	case d.Load != nil && d.Load.Limit != "":
		return "stopped by a limit on errors" + d.onward("; continue with: ")
	default:
		return d.Outcome + d.onward("; continue with: ")
	}
}

// WentWell says whether a command has done all, so that nothing need be said of it.
func (d *Document) WentWell() bool {
	return d.Outcome == "done" || d.Outcome == DryRun && d.Exit == 0
}

// onward is the next command behind a few words; empty: there is none.
func (d *Document) onward(words string) string {
	if d.Next == nil {
		return ""
	}
	if d.Next.Command == commandLoad {
		words = strings.TrimSuffix(words, "continue with: ")
	}
	return words + d.Next.Words()
}

// commandLoad is the command that loads from the start.
const commandLoad = "load"

// Caution is what to know before the command is run, as a comment of the shell; empty: nothing.
func (n *Next) Caution() string {
	if strings.Contains(n.Line, " --repeat-in-doubt ") {
		return "   # counters: rows that were applied count twice"
	}
	return ""
}

// Words are the command, behind what is to be done before it.
func (n *Next) Words() string {
	switch {
	case n.Command == commandLoad:
		return "start over: " + n.Line
	case len(n.Edit) == 0:
		return n.Line
	}
	files := n.Edit[0]
	if more := len(n.Edit) - 1; more > 0 {
		files += " and " + human.Of(more, "more file")
	}
	return fmt.Sprintf("edit %s, then: %s", files, n.Line)
}

// datesApart says that dates are not all in one order; empty: that is not known.
func (l *Load) datesApart() string {
	if l.DatesApart == 0 {
		return ""
	}
	of := human.Count(l.DatesApart) + " of them "
	switch rejected := max(l.Rejected, l.WouldReject); {
	case rejected == 1:
		of = ""
	case rejected == l.DatesApart:
		of = "all "
	}
	if l.Rows == 0 && l.WouldLoad == 0 {
		return ", " + of + "for dates in another order than that of the pattern"
	}
	return ", " + of + "for dates in another order than those that were loaded, which may be wrong"
}

// otherUnits says that timestamps are of several units; empty: that is not known.
func (l *Load) otherUnits() string {
	if l == nil || l.OtherUnits == 0 {
		return ""
	}
	return fmt.Sprintf(
		", but %s %s of another unit than others of the column, and %s read as other times",
		human.Of(l.OtherUnits, "timestamp"),
		human.Verb(
			l.OtherUnits,
			"seems to be",
			"seem to be",
		),
		human.Verb(l.OtherUnits, "is", "are"),
	)
}

// areInDoubt says of a number of rows that they are in doubt.
func areInDoubt(rows int64) string { return human.Verb(rows, " is", " are") + " in doubt" }

// besidesInDoubt counts the rows in doubt of a load with rejected rows; empty: there are none.
func (l *Load) besidesInDoubt() string {
	rows := l.InDoubt + l.LeftInDoubt
	if rows == 0 {
		return ""
	}
	return " and " + human.Count(rows) + areInDoubt(rows)
}

// left is what a run that is done could not do.
func (d *Document) left() string {
	switch {
	case d.Load != nil && d.Load.Rejected > 0:
		return human.Of(
			d.Load.Rejected,
			"row",
		) + human.Verb(
			d.Load.Rejected,
			" was",
			" were",
		) + " rejected" + d.Load.datesApart() + d.Load.otherUnits() + d.Load.besidesInDoubt()
	case d.Load != nil && d.Load.InDoubt > 0:
		return human.Of(d.Load.InDoubt, "row") + areInDoubt(d.Load.InDoubt)
	case d.Load != nil && d.Load.LeftInDoubt > 0:
		return human.Of(
			d.Load.LeftInDoubt,
			"row",
		) + " in doubt" + human.Verb(
			d.Load.LeftInDoubt,
			" was",
			" were",
		) + " not retried"
	case d.Load != nil:
		return "not all nodes have imported their SSTables"
	case d.Scan != nil && d.Scan.Keys != nil && len(d.Scan.Failed) == 0:
		return human.Of(d.Scan.Keys.Rejected, "line") +
			human.Verb(d.Scan.Keys.Rejected, " of the keys was", " of the keys were") + " rejected"
	case d.Scan != nil:
		return human.Of(len(d.Scan.Failed), "token range") + " failed"
	case d.Count != nil:
		return human.Of(len(d.Count.Failed), "token range") + " failed: there is no number"
	case len(d.Clone.Failed) > 0:
		return human.Of(len(d.Clone.Failed), "token range") + " failed"
	default:
		return "not all nodes have imported their SSTables"
	}
}

// output is where what was made is: a scan's output, or another file.
func (d *Document) output() string {
	switch {
	case d.Plan != nil && d.Plan.SavedRing != "":
		return ": " + d.Plan.SavedRing
	case d.Report != nil && d.Report.File != "":
		return ": " + d.Report.File
	case d.Scan == nil:
		return ""
	}
	switch files := d.Scan.Files; {
	case len(files) == 0:
		return ""
	case len(files) == 1 && (d.Scan.Output == "" || filepath.Base(d.Scan.Output) == files[0].Name):
		return ": " + cmp.Or(d.Scan.Output, files[0].Name)
	case len(files) == 1:
		return ": " + filepath.Join(d.Scan.Output, files[0].Name)
	case d.Scan.Manifest != "":
		return fmt.Sprintf(": %s, %s", human.Of(len(files), "file"), d.Scan.Manifest)
	default:
		return ": " + human.Of(len(files), "file")
	}
}
