package report

import (
	"fmt"
	"slices"

	"github.com/cqlbulk/cqlbulk/internal/human"
	"github.com/cqlbulk/cqlbulk/internal/progress"
)

// Lines returns what a terminal shows of a run's progress. It has at most six lines, and one more
// for each other target. The last line has the command that continues.
func (s *Status) Lines() []string {
	var t text
	l, c, now := s.Load, s.Scan, s.Now
	switch {
	case now != nil && l != nil:
		t.number(
			"rows",
			human.Count(now.Rows),
			say(
				"written so far",
				human.Count(now.Rejected)+" rejected",
				unless0(now.Retries, human.Noun(now.Retries, "retry")),
			),
		)
	case now != nil:
		t.number("rows", human.Count(now.Rows), say(
			"read so far",
			human.Size(now.Bytes)+" of text",
			unless0(
				now.Failed,
				human.Noun(now.Failed, "token range")+" failed",
			),
			unless0(now.Retries, human.Noun(now.Retries, "retry")),
		))
	case l != nil:
		more := s.unrecorded()
		rejected := l.Rejected
		if more != "" {
			rejected = l.RejectedRecorded
		}
		t.number(
			"rows",
			human.Count(l.Written),
			say("written", human.Count(l.Read)+" read", human.Count(rejected)+" rejected",
				unless0(l.InDoubt, "in doubt"), unless0(l.Existing, "there already"), more),
		)
	case c != nil:
		t.number(
			"rows",
			human.Count(c.Rows),
			say(
				"read, up to the last mark",
				human.Size(c.TextBytes)+" of text",
				unless0(int64(len(c.Failed)), human.Noun(len(c.Failed), "token range")+" failed"),
			),
		)
	}
	if now != nil && (now.Stage != nil || now.Receiving != nil) {
		t.words("doing", say(received(now.Receiving), staged(now.Stage)))
	}
	t.number("pace", s.rate(), say("rows/s", s.Pace.done(), s.left(), s.Pace.took()))
	switch {
	case s.Load != nil:
		of := ""
		if s.stopped() && s.Load.Acknowledged > s.Load.Written {
			of = "of the recorded rows"
		}
		t.words("checksum", say(s.Load.Checksum, of))
	case s.Scan != nil:
		t.words("checksum", s.Scan.Checksum)
	}
	t.words("state", s.StateText())
	if s.Scan != nil && s.Scan.StartOver {
		t.words("next", "run the command again: it was stopped before its output was begun")
	}
	for _, n := range s.Next {
		t.words("next", n.Words()+n.Caution())
	}
	return t.lines
}

// stopped says whether the run was stopped before its end.
func (s *Status) stopped() bool {
	return s.State == "killed" || s.State == "failed" || s.State == "interrupted"
}

// unrecorded says what a resume does with rows that are written or rejected and not recorded;
// empty: there are none.
func (s *Status) unrecorded() string {
	l := s.Load
	written, rejected := max(l.Acknowledged-l.Written, 0), max(l.Rejected-l.RejectedRecorded, 0)
	if !s.stopped() || written+rejected == 0 {
		return ""
	}
	atLeast := ""
	if s.State == "killed" { // a moment after it was last heard of
		atLeast = "at least "
	}
	resumed := ": a resume writes " + human.Verb(written, "it", "them") + " again"
	switch {
	case !slices.ContainsFunc(s.Next, func(n Next) bool { return n.Command == "resume" }):
		resumed = ""
	case l.CountsTwice:
		resumed = ": " + toInDoubt
	case written == 0:
		resumed = ": a resume reads " + human.Verb(rejected, "it", "them") + " again"
	case rejected > 0:
		resumed = ": a resume reads and writes them again"
	}
	more := say(moreWere(written, "written"), moreWere(rejected, "rejected"))
	return fmt.Sprintf("as recorded; %s%s%s", atLeast, more, resumed)
}

// moreWere says that another number of rows was written, or rejected; empty if rows is 0.
func moreWere(rows int64, what string) string {
	if rows == 0 {
		return ""
	}
	return human.Count(rows) + " more " + human.Verb(rows, "was ", "were ") + what
}

// StateText says how a run stands.
func (s *Status) StateText() string {
	switch s.State {
	case "running":
		if s.PID == 0 {
			return "under way in another process"
		}
		return fmt.Sprintf("under way in process %d on %s", s.PID, s.Host)
	case "killed":
		return "stopped unexpectedly: the process was killed, the machine went down, or the disk was full"
	case "failed":
		if s.Refused {
			return "failed for good: " + s.Error
		}
		return "failed: " + s.Error
	case "partly":
		if s.Load != nil && len(s.Load.Retried) > 0 && len(s.Load.Lost)+len(s.Next) == 0 {
			if len(s.Load.Edited) > 0 {
				return "done: what the files of rejects held was loaded since; rows had been added to them or removed"
			}
			return "done: what failed was loaded since"
		}
		return "done, but for what failed"
	default:
		return s.State
	}
}

// rate is the number of rows a second; a dash where it is not known.
func (p Pace) rate() string {
	if p.RowsPerSecond == 0 {
		return "-"
	}
	return human.Count(int64(p.RowsPerSecond))
}

// done is how much of the work is done; empty where that is not known.
func (p Pace) done() string {
	if p.Share == nil {
		return ""
	}
	return human.Percent(*p.Share) + " done"
}

// took is how long the processes of a resumed run took; empty for a run of one process.
func (p Pace) took() string {
	if p.EarlierSeconds == 0 {
		return ""
	}
	return fmt.Sprintf(
		"in %s, after %s of earlier processes",
		human.Elapsed(duration(p.Seconds)),
		human.Elapsed(duration(p.EarlierSeconds)),
	)
}

// left is how long the run still takes, or what it does now; empty where there is no guess.
func (s *Status) left() string {
	seconds, of := s.LeftSeconds, ""
	if s.Now != nil {
		seconds, of = s.Now.LeftOf()
	}
	switch {
	case seconds == 0:
		return ""
	case of != "":
		return human.Elapsed(duration(seconds)) + " to " + of
	default:
		return human.Elapsed(duration(seconds)) + " left"
	}
}

// received is what a run was streamed by nodes so far.
func received(in *progress.Receiving) string {
	switch {
	case in == nil:
		return ""
	case in.All || in.Announced == 0:
		return "received " + human.Size(in.Received)
	default:
		return "received " + human.Size(in.Received) + " of " + human.Size(in.Announced)
	}
}

// staged is how far the stage of a run by streaming is.
func staged(s *progress.Staged) string {
	if s == nil {
		return ""
	}
	name, share := progress.StageTitle(s.Name), ""
	if s.Share != nil {
		share = " " + human.Percent(*s.Share)
	}
	switch {
	case name == progress.StageReading:
		return say(name+share, human.Of(s.Done, "row"))
	case s.Waiting:
		return say(name+share, human.Size(s.Done), "waiting for the nodes")
	case s.PerSecond >= 1:
		return say(
			name+share,
			human.Size(s.Done)+" of "+human.Size(s.Total),
			human.Size(int64(s.PerSecond))+"/s",
		)
	default:
		return say(name+share, human.Size(s.Done)+" of "+human.Size(s.Total))
	}
}
