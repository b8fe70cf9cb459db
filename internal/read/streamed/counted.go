package streamed

import (
	"context"
	"math"

	"github.com/cqlbulk/cqlbulk/internal/progress"
	"github.com/cqlbulk/cqlbulk/internal/read/sweep"
	"github.com/cqlbulk/cqlbulk/internal/sstables"
)

// counted returns a fetch function for pieces that are fetched one after another. It sets
// receipt.All when all of them are received, and corrects receipt.Announced as they come.
func (s *reader) counted(pieces []sstables.Piece) sstables.Fetch {
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

// farOff is the relative difference between announced and received bytes from which the
// announcement is corrected.
const farOff = 0.05

// correct estimates the announced bytes of a receipt from those of the part of the ring that was
// received. Nodes compact their SSTables during a scan, and the rest of the ring is about as full.
// The argument before is the bytes that were received earlier, for other pieces.
func correct(r *progress.Receipt, before int64, part float64) {
	announced := float64(r.Announced.Load())
	likely := float64(before) + float64(r.Received.Load()-before)/part
	if math.Abs(likely-announced) > farOff*announced {
		r.Announced.Store(int64(likely))
	}
}
