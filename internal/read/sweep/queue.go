package sweep

import (
	"context"
	"sync"
	"time"

	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// queue holds the pieces that are still to be read: the splits, and then what workers gave back.
// With Options.Borders a piece is as wide as is worth one request by what is known of the table. If
// it is wider, take cuts it and leaves the rest for other workers. If a split is narrower, take
// joins it with the splits that follow it on the ring. It is safe for concurrent use.
type queue struct {
	borders *token.Placement // nil: pieces are read as they are
	finest  float64          // tokens of the narrowest piece that is cut off for the table's size
	widest  float64          // tokens of the widest piece that splits are joined to
	probing bool             // Options.Blind

	mu     sync.Mutex
	wake   *sync.Cond
	splits splits
	pieces []placedPiece // that were given back, from first on
	first  int
	active int // pieces that workers have taken and may still give back parts of
	idle   int // workers that wait
	ended  int // pieces that were dealt with
	table  density
}

// pieceBytes is the size of a piece that is worth cutting off, if nodes are near. The pages of a
// piece are read one after another, and each takes a round trip. So a piece of nodes that are far
// away is half a page: nearly all such pieces come in one.
const pieceBytes = 1 << 20

// density returns what is known of the table at first. From far away it is judged by few rows,
// since until then few requests are on the line.
func (o *Options) density() density {
	if o.far() {
		return density{pieceBytes: int64(o.PageBytes) / 2, enough: int64(o.PageBytes) / 64}
	}
	return density{pieceBytes: pieceBytes, enough: int64(o.PageBytes) / 2}
}

// far reports whether nodes are far away.
func (o *Options) far() bool { return o.MaxRequests > o.Workers }

// fewestJoined is the least number of pieces that the splits of a ring are joined to. Many nodes
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

// take waits for a piece. It returns false once there is none, and no worker that could give back a
// part of one. If others is true, there are pieces which no worker waits for. Each piece that was
// taken must be followed by end.
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

// probesFull reports whether more requests would be too many for the little that is known of the table.
func (q *queue) probesFull() bool {
	return q.probing && !q.empty() && q.active > probeGrowth*q.ended
}

// cutToRequest cuts a piece to the width that is worth a request, and puts the rest at the end of the
// queue.
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

// cuttableWidths is how many times wider than the narrowest a piece is that may be cut for its size.
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

// giveBack adds what is left of a piece that was taken.
func (q *queue) giveBack(p placedPiece) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.put(p)
}

// endPiece notes that a piece was dealt with, but for the parts of it that were given back.
func (q *queue) endPiece() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.active--
	q.ended++
	if q.probing || q.active == 0 {
		q.wake.Broadcast()
	}
}

// wakeWorkers has the workers that wait see that the sweep was canceled.
func (q *queue) wakeWorkers() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.wake.Broadcast()
}

// addRead takes in the bytes of a page, and the tokens that the rows of its piece have come further by.
func (q *queue) addRead(bytes int64, tokens float64) {
	if q.borders == nil {
		return
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.table.addRead(bytes, tokens)
}

// addDuration takes in how long the requests for a part of the ring took.
func (q *queue) addDuration(tokens float64, took time.Duration) {
	if q.borders == nil {
		return
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.table.addDuration(tokens, took)
}

// addTimeout takes in that a part of the ring could not be read in a time.
func (q *queue) addTimeout(tokens float64, took time.Duration) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.table.addTimeout(tokens, took)
}

// density is what is known of how much of the table lies on how much of the ring.
type density struct {
	pieceBytes int64 // bytes that are worth a piece
	enough     int64 // bytes before which the table may be a small one
	bytes      int64
	tokens     float64 // that these bytes lie on

	read            float64       // tokens of the pieces that were read to their end
	secondsPerToken float64       // seconds a token that they took
	quickest        time.Duration // the shortest time that one took
}

func (d *density) addRead(bytes int64, tokens float64) {
	d.bytes += bytes
	d.tokens += tokens
}

// pieceTokens returns how many tokens are worth a piece, at least finest: all there are while the table
// may be a small one.
func (d *density) pieceTokens(finest float64) float64 {
	if d.bytes < d.enough {
		return anyWidth
	}
	return max(float64(d.pieceBytes)*d.tokens/float64(d.bytes), finest)
}

// anyWidth is more tokens than a ring has.
const anyWidth = 0x1p130

const (
	// probeTime is how long the requests for a piece should take, where nothing else tells how
	// large it is.
	probeTime = 250 * time.Millisecond
	// probeGrowth is how many times more tokens than were read may be asked for at once.
	probeGrowth = 8
)

// addTimeout takes in that a part of the ring could not be read in a time.
func (d *density) addTimeout(tokens float64, took time.Duration) {
	d.secondsPerToken = max(d.secondsPerToken, took.Seconds()/tokens)
}

// addDuration takes in how long a piece took: long times count at once, short ones little by little.
// Twice the shortest time, and a quarter of probeTime, are taken for what a request may need
// whatever its range is.
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

// joinTokens returns the number of tokens that splits are joined to. They are worth a piece, and are
// read in about probeTime. If even the quickest piece took that long, the servers may read many
// rows for the few that come, and splits are not joined.
func (d *density) joinTokens(finest float64) float64 {
	if d.quickest >= probeTime {
		return 0
	}
	return min(d.pieceTokens(finest), d.probeTokens(finest))
}

// probeTokens returns how many tokens are read in about probeTime, at least finest, and not many more
// than were read before.
func (d *density) probeTokens(finest float64) float64 {
	most := probeGrowth * d.read
	if d.secondsPerToken > 0 {
		most = min(most, probeTime.Seconds()/d.secondsPerToken)
	}
	return max(most, finest)
}
