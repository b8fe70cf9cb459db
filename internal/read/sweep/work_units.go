package sweep

import (
	"github.com/cqlbulk/cqlbulk/internal/progress"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// ringWork is the work of reading a whole ring, or a table that is read as one range.
const ringWork = 1 << 50

// Work returns the units of work of a range. Rows are spread evenly over the ring, so it is the
// range's part of the ring. The units of adjacent ranges add up exactly to those of their union.
// Without a partitioner it is the work of a whole table.
func Work(r token.Range, p token.Partitioner) int64 {
	if p == nil {
		return ringWork
	}
	return workBefore(r.End, p) - workBefore(r.Start, p)
}

// workBefore returns the work of the ring up to a token.
func workBefore(t token.Token, p token.Partitioner) int64 {
	if t == p.Min() {
		return 0
	}
	return int64(ringWork * token.Fraction(token.Range{Start: p.Min(), End: t}, p))
}

// CountTotal adds the work of the splits to what an earlier run has done, and sets the total of the
// counters.
func CountTotal(c *progress.Counters, splits []token.Split, p token.Partitioner) {
	total := c.Done.Load()
	for _, s := range splits {
		total += Work(s.Range, p)
	}
	c.Total.Store(total)
}

// Counted returns options that update the counters during a sweep of the splits: the work done and
// in total, requests retried, and ranges given up. An earlier run's work counts too. The callbacks
// of o are called as well.
func (o Options) Counted(c *progress.Counters, splits []token.Split, p token.Partitioner) Options {
	CountTotal(c, splits, p)
	also := o.withDefaults()
	o.OnRetry = c.Retried
	o.Requests = &c.Requests
	o.OnRead = func(r token.Range) {
		c.Done.Add(Work(r, p))
		also.OnRead(r)
	}
	o.OnFailure = func(r token.Range) {
		c.Failed.Add(1)
		also.OnFailure(r)
	}
	return o
}
