package doctor

import (
	"fmt"
	"slices"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/amount"
)

// Clock is what a node's clock is beside this host's.
type Clock struct {
	Node  string
	Ahead time.Duration // of this host's; negative: behind
	Error time.Duration // by which that may be wrong, either way: half of the time that the question took
}

// How far apart clocks may be. Rows of a load bear this host's time, those of applications the nodes'
// or their own; of two for one cell the later counts.
const (
	clockDiffers = time.Second
	clockIsWrong = 30 * time.Second
)

// off is by how much a clock differs at the least.
func (c Clock) off() time.Duration { return max(c.Ahead.Abs()-c.Error, 0) }

// Clocks says how far the nodes' clocks are from this host's. stamped: rows are written with the time
// of this host.
func Clocks(clocks []Clock, stamped bool) Finding {
	if len(clocks) == 0 {
		return Warn("see whether the nodes hang", "no node told its time")
	}
	worst := slices.MaxFunc(clocks, func(a, b Clock) int { return int(a.off() - b.off()) })
	if worst.off() <= clockDiffers {
		most := slices.MaxFunc(clocks, func(a, b Clock) int { return int(a.Ahead.Abs() + a.Error - b.Ahead.Abs() - b.Error) })
		return Fine("%s within %s of this host's", amount.Of(len(clocks), "clock"), amount.Latency(max(most.Ahead.Abs()+most.Error, time.Millisecond)))
	}
	by := amount.Roughly(worst.Ahead.Abs())
	differs, cure := fmt.Sprintf("%s is %s %s this host", worst.Node, by, side(worst.Ahead)), "set the clock of "+worst.Node+" (NTP)"
	if ours(clocks) {
		differs, cure = fmt.Sprintf("this host is %s %s the nodes", by, side(-worst.Ahead)), "set the clock of this host (NTP)"
	}
	meaning := ""
	if stamped {
		cure += ", or give --timestamp"
		meaning = "; rows of a load bear this host's time: what others write in the next " + by + " loses against them"
		if worst.Ahead > 0 {
			meaning = "; rows of a load bear this host's time: they lose against what was written in the last " + by
		}
	}
	f := Warn(cure, "%s%s", differs, meaning)
	if stamped && worst.off() > clockIsWrong {
		f.State = Failure
	}
	return f
}

// ours says whether the nodes agree among themselves, so that it is this host that is wrong.
func ours(clocks []Clock) bool {
	if len(clocks) < 2 {
		return false
	}
	byTime := func(a, b Clock) int { return int(a.Ahead - b.Ahead) }
	first, last := slices.MinFunc(clocks, byTime), slices.MaxFunc(clocks, byTime)
	return last.Ahead-first.Ahead <= clockDiffers+first.Error+last.Error
}

// side says on which side of another clock one is.
func side(ahead time.Duration) string {
	if ahead < 0 {
		return "behind"
	}
	return "ahead of"
}
