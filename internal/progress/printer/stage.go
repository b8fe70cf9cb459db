package printer

import (
	"fmt"
	"math"
	"strings"

	"github.com/cqlbulk/cqlbulk/internal/amount"
	"github.com/cqlbulk/cqlbulk/internal/progress"
)

// addStage completes the parts of a run by streaming: what it receives, its stage, and no speed of
// rows or text where the stage reads neither.
func addStage(parts *[partKinds]part, r progress.Reading) {
	if in := r.Receiving; in != nil {
		parts[partReceiving] = moved("received", in.Received, in.Announced, in.PerSecond)
		if in.NodeLimit > 0 {
			parts[partLimited].long = fmt.Sprintf("limited by the nodes: %s/s each (nodetool setstreamthroughput)", amount.Size(in.NodeLimit))
			parts[partLimited].brief = "limited by nodes"
		}
	}
	s := r.Stage
	switch {
	case s == nil:
		return
	case s.Name == "reading":
		parts[partStage].long = "reading " + amount.Of(s.Done, "row")
		parts[partStage].brief = "reading " + amount.Briefly(s.Done)
		parts[partBytes] = part{} // text counts when its rows are loaded
		return
	case s.Name == "sorting":
		share := math.Floor(100 * float64(s.Done) / float64(max(s.Total, 1)))
		parts[partStage].long = fmt.Sprintf("sorting %.0f%%", share)
		parts[partStage].brief = parts[partStage].long
	default:
		parts[partStage] = moved(s.Name, s.Done, s.Total, s.PerSecond)
	}
	parts[partRate], parts[partBytes], parts[partSent] = part{}, part{}, part{}
}

// moved says how many bytes of how many were received, sent or written, and how fast. The numbers
// have columns of their own.
func moved(what string, done, total int64, perSecond float64) part {
	brief := func(bytes int64) string { return strings.ReplaceAll(amount.Size(bytes), " ", "") }
	long, short := "-", "-" // nothing moves now, or it is not known yet how fast
	if speed := int64(perSecond); speed > 0 {
		long, short = amount.Size(speed)+"/s", brief(speed)+"/s"
	}
	of, slash := "", ""
	if total > 0 {
		of, slash = " of "+amount.Size(total), "/"+brief(total)
	}
	return part{
		long:  fmt.Sprintf("%s %10s%s, %12s", what, amount.Size(done), of, long),
		brief: fmt.Sprintf("%9s%s %11s", brief(done), slash, short),
	}
}
