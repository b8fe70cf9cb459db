package doctor

import (
	"fmt"
	"slices"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/human"
)

// Clock is what a node's clock is beside this host's.
type Clock struct {
	Node  string
	Ahead time.Duration // of this host's; negative: behind
	// by which that may be wrong, either way: half of the time that the question took
	Error time.Duration
}

// How far apart clocks may be. Rows of a load bear this host's time, those of applications the
// nodes' or their own; of two for one cell the later counts.
const (
	clockDiffers = time.Second
	clockIsWrong = 30 * time.Second
)

// HostTimes says what of a load has this host's time.
type HostTimes struct {
	Stamped  bool // rows are written with it
	Expiring bool // times to live are counted from it; servers count those of rows that come by CQL
}

// off returns the least possible difference of a clock.
func (c Clock) off() time.Duration { return max(c.Ahead.Abs()-c.Error, 0) }

// Clocks says how far the nodes' clocks are from this host's, and what that means for rows that
// have its time.
func Clocks(clocks []Clock, of HostTimes) Finding {
	if len(clocks) == 0 {
		return Warn("see whether the nodes hang", "no node reported its time")
	}
	worst := slices.MaxFunc(clocks, func(a, b Clock) int { return int(a.off() - b.off()) })
	if worst.off() <= clockDiffers {
		most := slices.MaxFunc(
			clocks,
			func(a, b Clock) int { return int(a.Ahead.Abs() + a.Error - b.Ahead.Abs() - b.Error) },
		)
		return Fine(
			"%s within %s of this host's",
			human.Of(len(clocks), "clock"),
			human.Latency(max(most.Ahead.Abs()+most.Error, time.Millisecond)),
		)
	}
	by := human.Roughly(worst.Ahead.Abs())
	differs := fmt.Sprintf("%s is %s %s this host", worst.Node, by, side(worst.Ahead))
	cure := "set the clock of " + worst.Node + " (NTP)"
	if ours(clocks) {
		differs = fmt.Sprintf("this host is %s %s the nodes", by, side(-worst.Ahead))
		cure = "set the clock of this host (NTP)"
	}
	meaning := ""
	if of.Stamped {
		cure += ", or give --timestamp"
		meaning = "; rows of a load bear this host's time: what others write in the next " + by + " loses against them"
		if worst.Ahead > 0 {
			meaning = "; rows of a load bear this host's time: they lose against what was written in the last " + by
		}
	}
	if of.Expiring {
		meaning += "; rows with a time to live expire " + by + " " + early(worst.Ahead)
	}
	f := Warn(cure, "%s%s", differs, meaning)
	if (of.Stamped || of.Expiring) && worst.off() > clockIsWrong {
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

// early says whether a node whose clock is ahead or behind takes a row for expired too early or too
// late.
func early(ahead time.Duration) string {
	if ahead < 0 {
		return "too late"
	}
	return "too early"
}

// side says on which side of another clock one is.
func side(ahead time.Duration) string {
	if ahead < 0 {
		return "behind"
	}
	return "ahead of"
}
