package operation

import (
	"context"
	"math"

	"github.com/cqlbulk/cqlbulk/internal/progress"
	"github.com/cqlbulk/cqlbulk/internal/read/sweep"
	"github.com/cqlbulk/cqlbulk/internal/sstables"
)

// counted returns fetch for some pieces, which come one after the other. It reports in the receipt
// when all of them were received, and corrects there how much all are.
func (s *streamReader) counted(pieces []sstables.Piece) sstables.Fetch {
	work := func(p sstables.Piece) (units int64) {
		for _, r := range p.Ranges {
			units += sweep.Work(r, s.t.Plan.Partitioner())
		}
		return units
	}
	var all, done, failed int64
	for _, p := range pieces {
		all += work(p)
	}
	s.receipt.All.Store(false)
	before := s.receipt.Received.Load()
	return func(ctx context.Context, p sstables.Piece, most int64) (sstables.Fetched, error) {
		fetched, err := s.fetch(ctx, p, most)
		if err == nil {
			done += work(p)
			for r := range fetched.Failed {
				failed += sweep.Work(r, s.t.Plan.Partitioner())
			}
			if done > failed {
				correct(s.receipt, before, float64(done-failed)/float64(all))
			}
			s.receipt.All.Store(done == all)
		}
		return fetched, err
	}
}

// farOff is by how much of itself an announcement must differ from what came to be corrected.
const farOff = 0.05

// correct corrects what is announced in a receipt, once a part of the ring was received: nodes
// compact their SSTables meanwhile, and the rest of the ring is about as full. before is what was
// received that is no part of it.
func correct(r *progress.Receipt, before int64, part float64) {
	announced := float64(r.Announced.Load())
	likely := float64(before) + float64(r.Received.Load()-before)/part
	if math.Abs(likely-announced) > farOff*announced {
		r.Announced.Store(int64(likely))
	}
}
