package printer

import (
	"fmt"
	"strings"

	"github.com/cqlbulk/cqlbulk/internal/amount"
	"github.com/cqlbulk/cqlbulk/internal/progress"
)

// addStage completes the parts of a run by streaming: what it receives, its stage with its own speed,
// and no speed of rows or text beside it.
func addStage(parts *[partKinds]part, r progress.Reading) {
	if in := r.Receiving; in != nil {
		parts[partReceiving] = moved("received", in.Received, in.Announced, in.PerSecond)
		if in.All { // and nothing is received any more
			parts[partReceiving] = part{"received " + amount.Size(in.Received), brief(in.Received) + " in", plain}
		}
		if in.NodeLimit > 0 {
			parts[partLimited].long = fmt.Sprintf("limited by the nodes: %s/s each (nodetool setstreamthroughput)", amount.Size(in.NodeLimit))
			parts[partLimited].brief = "limited by nodes"
		}
	}
	s := r.Stage
	if s == nil {
		return
	}
	switch s.Name {
	case progress.StageReading:
		parts[partStage] = readPart(s)
	case progress.StageSorting, progress.StageMaking:
		name := s.Name
		if name == progress.StageMaking {
			name = "making SSTables"
		}
		parts[partStage] = moved(name, s.Done, s.Total, s.PerSecond)
		if s.Share != nil {
			parts[partStage] = part{fmt.Sprintf("%s %6s, %12s", name, amount.Percent(*s.Share), speedOf(s.PerSecond)), fmt.Sprintf("%s %4s", s.Name, wholePercent(*s.Share)), plain}
		}
	case progress.StageSending, progress.StageWriting:
		parts[partStage] = moved(s.Name, s.Done, s.Total, s.PerSecond)
		if s.Waiting {
			did := "sent"
			if s.Name == progress.StageWriting {
				did = "wrote"
			}
			parts[partStage].long = fmt.Sprintf("%s %s, waiting for the nodes", did, amount.Size(s.Done))
			parts[partStage].brief = "waiting for nodes"
			break
		}
		parts[partStage].brief = s.Name + " " + strings.TrimSpace(parts[partStage].brief)
	}
	parts[partRate], parts[partBytes], parts[partSent] = part{}, part{}, part{}
}

// readPart says how many rows were read, and how fast.
func readPart(s *progress.Staged) part {
	long, short := "", ""
	if s.Share != nil {
		long, short = fmt.Sprintf(" %6s,", amount.Percent(*s.Share)), fmt.Sprintf(" %4s,", wholePercent(*s.Share))
	}
	rate := int64(s.PerSecond)
	return part{
		long:  fmt.Sprintf("%s%s %18s, %17s", s.Name, long, amount.Of(s.Done, "row"), amount.Count(rate)+" rows/s"),
		brief: fmt.Sprintf("%s%s %7s/s", s.Name, short, amount.Briefly(rate)),
	}
}

// brief is a size without a blank.
func brief(bytes int64) string { return strings.ReplaceAll(amount.Size(bytes), " ", "") }

// speedOf is a number of bytes a second; a dash where nothing moves now, or it is not known how fast.
func speedOf(perSecond float64) string {
	if speed := int64(perSecond); speed > 0 {
		return amount.Size(speed) + "/s"
	}
	return "-"
}

// moved says how many bytes of how many were received, sent or written, and how fast. The numbers
// have columns of their own.
func moved(what string, done, total int64, perSecond float64) part {
	of, slash := "", ""
	if total > 0 {
		of, slash = " of "+amount.Size(total), "/"+brief(total)
	}
	speed := speedOf(perSecond)
	return part{
		long:  fmt.Sprintf("%s %10s%s, %12s", what, amount.Size(done), of, speed),
		brief: fmt.Sprintf("%9s%s %11s", brief(done), slash, strings.ReplaceAll(speed, " ", "")),
	}
}
