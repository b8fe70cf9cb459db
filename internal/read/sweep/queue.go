package sweep

import (
	"context"
	"sync"
	"time"

	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// queue holds the pieces to read: first the splits, then what workers gave back. With
// Options.Borders a piece is as wide as is worth one request, by what is known of the table. If it
// is wider, take cuts it and leaves the rest to other workers. If a split is narrower, take joins
// it with the splits that follow it on the ring. It is safe for concurrent use.
type queue struct {
	borders *token.Placement // nil: pieces are read as they are
	finest  float64          // tokens of the narrowest piece that is cut off for the table's size
	widest  float64          // tokens of the widest piece that splits are joined to
	probing bool             // Options.Blind

	mu     sync.Mutex
	wake   *sync.Cond
	splits splits
	pieces []placedPiece // given back; those before index first are taken
	first  int
	active int // pieces that workers have taken and may still give back parts of
	idle   int // workers that wait
	ended  int // pieces that were read or given up
	table  density
}

// pieceBytes is the size of a piece that is worth cutting off, if nodes are near. The pages of a
// piece are read one after another, and each takes a round trip. So if nodes are far away, a piece
// is half a page: nearly all such pieces come in one page.
const pieceBytes = 1 << 20

// density returns the initial density. If nodes are far away, few rows are enough to judge the
// table, since until then few requests are in flight.
func (o *Options) density() density {
	if o.far() {
		return density{pieceBytes: int64(o.PageBytes) / 2, enough: int64(o.PageBytes) / 64}
	}
	return density{pieceBytes: pieceBytes, enough: int64(o.PageBytes) / 2}
}

// far reports whether nodes are far away.
func (o *Options) far() bool { return o.MaxRequests > o.Workers }

// fewestJoined is the smallest number of pieces that the splits of a ring are joined to. Many nodes
// and workers then share the work.
const fewestJoined = 64

// newQueue makes the queue of the splits.
func newQueue(all []token.Split, o Options) *queue {
	q := &queue{
		borders: o.Borders, probing: o.Blind, splits: newSplits(all), table: o.density(),
	}
	q.wake = sync.NewCond(&q.mu)
	if q.borders != nil {
		ring := token.Range{
			Start: q.borders.Range(0).Start,
			End:   q.borders.Range(q.borders.Len() - 1).End,
		}
		q.finest = token.Width(ring) / float64(max(o.MaxPieces, 1))
		q.widest = token.Width(ring) / fewestJoined
	}
	return q
}

// empty reports whether there is no piece to take now.
func (q *queue) empty() bool { return q.splits.left == 0 && q.first == len(q.pieces) }

// take waits for a piece. It returns false once there is none, and no worker could give back a part
// of one. others reports whether there are pieces that no worker waits for. The caller must call
// endPiece for each piece taken.
func (q *queue) take(ctx context.Context) (p placedPiece, others, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.idle++
	for ctx.Err() == nil && (q.empty() && q.active > 0 && q.borders != nil || q.probesFull()) {
		q.wake.Wait()
	}
	q.idle--
	if q.empty() {
		return placedPiece{}, false, false
	}
	p = q.next()
	q.active++
	if q.borders != nil {
		p = q.cutToRequest(p)
	}
	return p, q.idle == 0 && !q.empty(), true
}

// next takes the next split, or the next piece once no split is left.
func (q *queue) next() (p placedPiece) {
	if q.splits.left > 0 {
		s := q.splits.take()
		if q.borders != nil {
			s.Range = q.splits.join(s.Range, min(q.table.joinTokens(q.finest), q.widest))
		}
		return placedPiece{piece: piece{within: s.Range}, set: s.Set}
	}
	p = q.pieces[q.first]
	q.pieces[q.first] = placedPiece{}
	q.first++
	return p
}

// probesFull reports whether more requests would be too many for what is known of the table.
func (q *queue) probesFull() bool {
	return q.probing && !q.empty() && q.active > probeGrowth*q.ended
}

// cutToRequest cuts a piece to the width that is worth a request, and puts the rest at the end of
// the queue.
func (q *queue) cutToRequest(p placedPiece) placedPiece {
	most := q.table.pieceTokens(q.finest)
	if q.probing {
		most = min(most, q.table.probeTokens(q.finest))
	}
	if p.maxWidth > 0 {
		most = min(most, p.maxWidth)
	}
	if q.isCuttable(p.within) {
		first, rest, cut := q.borders.CutFirst(p.within, most, p.oneVnode)
		if cut {
			left := p
			left.within = rest
			q.put(left)
		}
		p.within = first
	}
	p.set = q.borders.SetOf(p.within)
	p.spansVnodes = p.set == token.Several
	p.cuttable = q.isCuttable(p.within)
	return p
}

// isCuttable reports whether a range may be cut for its size.
func (q *queue) isCuttable(within token.Range) bool {
	return token.Width(within) > cuttableWidths*q.finest || q.borders.SetOf(within) == token.Several
}

// cuttableWidths is the least width of a piece that may be cut for its size, in widths of the
// narrowest piece.
const cuttableWidths = 1.5

// put adds a piece.
func (q *queue) put(p placedPiece) {
	if q.first > len(q.pieces)/2 {
		q.pieces = q.pieces[:copy(q.pieces, q.pieces[q.first:])]
		q.first = 0
	}
	q.pieces = append(q.pieces, p)
	q.wake.Signal()
}

// giveBack adds the rest of a piece that was taken.
func (q *queue) giveBack(p placedPiece) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.put(p)
}

// endPiece records that a piece was read or given up, except for the parts given back.
func (q *queue) endPiece() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.active--
	q.ended++
	if q.probing || q.active == 0 {
		q.wake.Broadcast()
	}
}

// wakeWorkers wakes all waiting workers, so that they notice that the sweep was canceled.
func (q *queue) wakeWorkers() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.wake.Broadcast()
}

// addRead records the bytes of a page, and by how many tokens the rows of its piece have advanced.
func (q *queue) addRead(bytes int64, tokens float64) {
	if q.borders == nil {
		return
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.table.addRead(bytes, tokens)
}

// addDuration records how long the requests for a piece of that many tokens took.
func (q *queue) addDuration(tokens float64, took time.Duration) {
	if q.borders == nil {
		return
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.table.addDuration(tokens, took)
}

// addTimeout records that a piece of that many tokens could not be read within a time.
func (q *queue) addTimeout(tokens float64, took time.Duration) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.table.addTimeout(tokens, took)
}

// density is the estimate of the table's bytes per token, and of the read time per token.
type density struct {
	pieceBytes int64 // bytes of a piece that is worth a request
	enough     int64 // bytes of a table that is not small
	bytes      int64
	tokens     float64 // tokens that these bytes lie on

	read            float64       // tokens of the pieces that were read to their end
	secondsPerToken float64       // read time of those pieces
	quickest        time.Duration // read time of the quickest piece
}

func (d *density) addRead(bytes int64, tokens float64) {
	d.bytes += bytes
	d.tokens += tokens
}

// pieceTokens returns the width of a piece that is worth a request, in tokens, at least finest.
// While the table may be small, it is more than the ring.
func (d *density) pieceTokens(finest float64) float64 {
	if d.bytes < d.enough {
		return anyWidth
	}
	return max(float64(d.pieceBytes)*d.tokens/float64(d.bytes), finest)
}

// anyWidth is more tokens than a ring has.
const anyWidth = 0x1p130

const (
	// probeTime is how long the requests for a piece should take, if nothing else shows how large
	// it is.
	probeTime = 250 * time.Millisecond
	// probeGrowth is how many times the tokens read so far may be requested at once.
	probeGrowth = 8
)

// addTimeout records that a piece of that many tokens could not be read within a time.
func (d *density) addTimeout(tokens float64, took time.Duration) {
	d.secondsPerToken = max(d.secondsPerToken, took.Seconds()/tokens)
}

// addDuration records how long a piece took. Long times count at once, short ones gradually. A part
// of the time does not depend on the range: twice the shortest time, or a quarter of probeTime.
func (d *density) addDuration(tokens float64, took time.Duration) {
	if d.read == 0 || took < d.quickest {
		d.quickest = took
	}
	d.read += tokens
	pace := max(took-max(2*d.quickest, probeTime/4), 0).Seconds() / tokens
	if pace < d.secondsPerToken {
		pace = (3*d.secondsPerToken + pace) / 4
	}
	d.secondsPerToken = pace
}

// joinTokens returns the width that splits are joined to, in tokens. That is worth a request, and
// is read in about probeTime. If even the quickest piece took that long, splits are not joined: the
// servers may read many rows for the few that come.
func (d *density) joinTokens(finest float64) float64 {
	if d.quickest >= probeTime {
		return 0
	}
	return min(d.pieceTokens(finest), d.probeTokens(finest))
}

// probeTokens returns the number of tokens that are read in about probeTime. It is at least finest,
// and at most probeGrowth times those read before.
func (d *density) probeTokens(finest float64) float64 {
	most := probeGrowth * d.read
	if d.secondsPerToken > 0 {
		most = min(most, probeTime.Seconds()/d.secondsPerToken)
	}
	return max(most, finest)
}
