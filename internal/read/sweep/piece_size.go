package sweep

import (
	"errors"
	"time"

	"github.com/cqlbulk/cqlbulk/pkg/token"
)

const (
	// mostParts is the largest number of parts that a piece is cut into at once. Its size is
	// estimated from its beginning, where all of its rows may be.
	mostParts = 16
	// largePieces is the number of pieces that the rest of a piece must be worth before it is
	// shared.
	largePieces = 4
	// spanNodes is the number of nodes that may be asked for a piece over several vnode ranges.
	spanNodes = 3
)

// errLarge ends the reading of a cuttable piece whose pages show that it is large.
var errLarge = errors.New("the range is large")

// pieceSize estimates the size of a cuttable piece while its pages come.
type pieceSize struct {
	bytes      int64     // received
	begun      time.Time // when the first page was requested
	checkBytes int64     // bytes at which the size is checked next
	checkTime  time.Duration
	blind      bool    // Options.Blind
	pieces     float64 // number of pieces that the rest is worth, if it is large
}

func newPieceSize(o *Options) pieceSize {
	w := pieceSize{
		begun:      time.Now(),
		checkBytes: int64(o.PageBytes) / 2,
		checkTime:  probeTime,
		blind:      o.Blind,
	}
	if o.far() {
		w.checkBytes = 0
	}
	return w
}

// due reports whether it is time to check the size of the piece, with a page of that many bytes.
func (w *pieceSize) due(page int64) bool {
	return w.bytes+page >= w.checkBytes || w.blind && time.Since(w.begun) >= w.checkTime
}

// isLarge reports whether the rest of the piece is worth several pieces. If not, it is checked
// again when twice as much has come.
func (w *worker) isLarge(within token.Range) bool {
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
		return w.size.postpone()
	}
	times := token.Width(left) / token.Width(came)
	w.size.pieces = float64(w.size.bytes) * times / float64(w.run.queue.table.pieceBytes)
	if w.size.blind {
		w.size.pieces = max(
			w.size.pieces,
			time.Since(w.size.begun).Seconds()*times/probeTime.Seconds(),
		)
	}
	if w.size.pieces < largePieces || !w.run.queue.isCuttable(left) {
		return w.size.postpone()
	}
	return true
}

// postpone sets when the size is checked next. It returns false.
func (w *pieceSize) postpone() bool {
	w.checkBytes, w.checkTime = 2*max(
		w.checkBytes,
		w.bytes,
	), 2*max(
		w.checkTime,
		time.Since(w.begun),
	)
	return false
}

// giveBack puts the rest of a piece back into the queue, for all workers to read in parts. It does
// so if the piece was large, or failed with err and can be cut. It reports whether it did.
func (w *worker) giveBack(s placedPiece, left piece, err error) bool {
	width := token.Width(left.within)
	var cut *cutError
	switch silent := errors.As(err, new(*silentError)); {
	case errors.Is(err, errLarge):
		left.maxWidth = width / min(w.size.pieces, mostParts)
	// other nodes may answer
	case silent && left.spansVnodes && !w.run.dead.allDead(w.run.options.Hosts(token.Several)):
	case silent:
		return false
	case errors.As(err, &cut) && left.cuttable:
		w.run.queue.addTimeout(width, time.Since(w.size.begun))
		left.maxRows = cut.request.maxRows
		left.maxWidth = width / mostParts
	case left.spansVnodes:
		left.maxWidth = width / mostParts
	default:
		return false
	}
	left.oneVnode = left.oneVnode || left.maxWidth > 0 && left.maxWidth <= w.run.queue.finest
	left.failures = 0
	w.run.queue.giveBack(placedPiece{piece: left, set: s.set, deferrals: s.deferrals})
	return true
}

// nodesFor lists the nodes to ask for a piece. Those are the replicas of its vnode range, in turn.
// For a piece over several vnode ranges they are some live nodes, different ones each time.
func (w *worker) nodesFor(set int) []string {
	all := w.run.options.Hosts(set)
	if set != token.Several {
		return w.rotate(all)
	}
	var hosts []string
	from := int(w.run.asked.Add(1) % int64(max(len(all), 1)))
	for i := range all {
		if host := all[(from+i)%len(all)]; !w.run.dead.allDead([]string{host}) {
			if hosts = append(hosts, host); len(hosts) == spanNodes {
				break
			}
		}
	}
	return hosts
}
