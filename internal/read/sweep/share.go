package sweep

import (
	"errors"
	"time"

	"github.com/cqlbulk/cqlbulk/pkg/token"
)

const (
	// mostParts is the most parts that a piece is cut into at once: what is known of it comes from
	// its beginning, and its rows may all be there.
	mostParts = 16
	// fewParts is how many pieces' worth a worker reads alone.
	fewParts = 4
	// spanHosts is how many nodes may be asked for a piece over several vnode ranges.
	spanHosts = 3
)

// errLarge is the end of reading a wide piece whose pages show that it is large.
var errLarge = errors.New("the range is large")

// watch is what is known of a wide piece as its pages come.
type watch struct {
	bytes  int64     // that came
	begun  time.Time // when the first page was asked for
	at     int64     // bytes at which it is looked at next
	after  time.Duration
	blind  bool    // Options.Blind
	pieces float64 // that the rest is worth, if it is large
}

func newWatch(o *Options) watch {
	w := watch{begun: time.Now(), at: int64(o.PageBytes) / 2, after: probeTime, blind: o.Blind}
	if o.far() {
		w.at = 0
	}
	return w
}

// due reports whether it is time to look how large the piece is, with a page of so many bytes.
func (w *watch) due(page int64) bool {
	return w.bytes+page >= w.at || w.blind && time.Since(w.begun) >= w.after
}

// large reports whether the rest of the piece is worth several. If not, it is looked at again when
// twice as much has come.
func (w *worker) large(within token.Range) bool {
	last := w.consumer.Progress(within)
	came := token.Range{
		Start: within.Start,
		End:   last,
	}
	left := token.Range{
		Start: last,
		End:   within.End,
	}
	if !came.Start.Less(came.End) || !left.Start.Less(left.End) {
		return w.watch.later()
	}
	times := token.Width(left) / token.Width(came)
	w.watch.pieces = float64(w.watch.bytes) * times / float64(w.run.queue.table.piece)
	if w.watch.blind {
		w.watch.pieces = max(
			w.watch.pieces,
			time.Since(w.watch.begun).Seconds()*times/probeTime.Seconds(),
		)
	}
	if w.watch.pieces < fewParts || !w.run.queue.wide(left) {
		return w.watch.later()
	}
	return true
}

// later puts the next look off. It returns false.
func (w *watch) later() bool {
	w.at, w.after = 2*max(w.at, w.bytes), 2*max(w.after, time.Since(w.begun))
	return false
}

// share puts what is left of a piece back for all workers to read in parts, if it was large, or
// failed with err and can be cut. It reports whether it did.
func (w *worker) share(s part, left piece, err error) bool {
	width := token.Width(left.within)
	var cut *cutError
	switch silent := errors.As(err, new(*silentError)); {
	case errors.Is(err, errLarge):
		left.most = width / min(w.watch.pieces, mostParts)
	case silent && left.spans && !w.run.dead.all(w.run.options.Hosts(token.Several)): // other nodes are asked
	case silent:
		return false
	case errors.As(err, &cut) && left.wide:
		w.run.queue.dragged(width, time.Since(w.watch.begun))
		left.limit = cut.request.limit
		left.most = width / mostParts
	case left.spans:
		left.most = width / mostParts
	default:
		return false
	}
	left.alone = left.alone || left.most > 0 && left.most <= w.run.queue.finest
	left.failures = 0
	w.run.queue.giveBack(part{piece: left, set: s.set, times: s.times})
	return true
}

// hosts lists the nodes to ask for a piece: the replicas of its vnode range, in turn, or some nodes
// that live, other ones each time, where it lies in several.
func (w *worker) hosts(set int) []string {
	all := w.run.options.Hosts(set)
	if set != token.Several {
		return w.rotate(all)
	}
	var hosts []string
	from := int(w.run.asked.Add(1) % int64(max(len(all), 1)))
	for i := range all {
		if host := all[(from+i)%len(all)]; !w.run.dead.all([]string{host}) {
			if hosts = append(hosts, host); len(hosts) == spanHosts {
				break
			}
		}
	}
	return hosts
}
