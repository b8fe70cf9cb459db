package printer

import (
	"fmt"
	"strings"

	"github.com/cqlbulk/cqlbulk/internal/human"
	"github.com/cqlbulk/cqlbulk/internal/progress"
)

// addStage completes the parts of a streaming run: what it receives, and its stage with its own
// speed. It removes the speeds of rows and text.
func addStage(parts *[partKinds]part, r progress.Reading) {
	if in := r.Receiving; in != nil {
		// one speed of bytes is enough
		parts[partReceiving], parts[partBytes] = received(in), part{}
		if in.NodeLimit > 0 {
			parts[partLimited].long = fmt.Sprintf(
				"limited by the nodes: %s/s each (nodetool setstreamthroughput)",
				human.Size(in.NodeLimit),
			)
			parts[partLimited].brief = "limited by nodes"
		}
	}
	if s := r.Stage; s != nil {
		long, brief := staged(s)
		parts[partStage] = part{
			fmt.Sprintf("%-*s", stageWidths.long, long),
			fmt.Sprintf("%-*s", stageWidths.brief, brief),
			plain,
		}
		parts[partRate], parts[partBytes], parts[partSent] = part{}, part{}, part{}
	}
}

// stageWidths are the widths of stages. What stands behind a stage stays in place when another one
// begins.
var stageWidths = struct{ long, brief int }{
	len("reading 100.0%, 1,234,567,890 rows, 1,234,567 rows/s"), len("reading 100%  1023.9MiB/s"),
}

// staged shows how far a stage is, and its speed.
func staged(s *progress.Staged) (long, short string) {
	name := progress.StageTitle(s.Name)
	percent, whole := "", "    "
	if s.Share != nil {
		percent, whole = fmt.Sprintf(
			" %6s,",
			human.Percent(*s.Share),
		), fmt.Sprintf(
			"%4s",
			wholePercent(*s.Share),
		)
	}
	speed := speedOf(s.PerSecond)
	short = fmt.Sprintf("%s %s %12s", s.Name, whole, strings.ReplaceAll(speed, " ", ""))
	last := s.Name == progress.StageSending || s.Name == progress.StageWriting
	switch {
	case s.Name == progress.StageReading:
		rate := int64(s.PerSecond)
		return fmt.Sprintf(
				"%s%s %18s, %16s",
				name,
				percent,
				human.Of(s.Done, "row"),
				human.Count(rate)+" rows/s",
			),
			fmt.Sprintf(
				"%s %s %12s",
				name,
				whole,
				human.Briefly(rate)+"/s",
			)
	case s.Waiting && s.Name == progress.StageWriting:
		return "wrote " + human.Size(s.Done) + ", waiting for the nodes", "waiting for nodes"
	case s.Waiting:
		return "sent " + human.Size(s.Done) + ", waiting for the nodes", "waiting for nodes"
	case s.Total > 0 && (last || percent == ""): // the share of the last stage comes before
		return fmt.Sprintf(
			"%s %10s of %s, %12s",
			name,
			human.Size(s.Done),
			human.Size(s.Total),
			speed,
		), short
	case percent == "":
		return fmt.Sprintf("%s %10s, %12s", name, human.Size(s.Done), speed), short
	default:
		return fmt.Sprintf("%s%s %12s", name, percent, speed), short
	}
}

// received shows how many bytes of the total were received, and the speed. The numbers have columns
// of their own.
func received(in *progress.Receiving) part {
	of, share := "", brief(in.Received)
	if in.Announced > 0 {
		of = " of " + human.Size(in.Announced)
	}
	if in.Share != nil {
		share = fmt.Sprintf("%4s", wholePercent(*in.Share))
	}
	speed := speedOf(in.PerSecond)
	return part{
		long:  fmt.Sprintf("received %10s%s, %12s", human.Size(in.Received), of, speed),
		brief: fmt.Sprintf("received %s %12s", share, strings.ReplaceAll(speed, " ", "")),
	}
}

// brief returns a size without a blank.
func brief(bytes int64) string { return strings.ReplaceAll(human.Size(bytes), " ", "") }

// speedOf returns a number of bytes per second; a dash if nothing moves now, or the speed is
// unknown.
func speedOf(perSecond float64) string {
	if speed := int64(perSecond); speed > 0 {
		return human.Size(speed) + "/s"
	}
	return "-"
}
