package sweep

import (
	"github.com/cqlbulk/cqlbulk/internal/progress"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// ringWork is the work of reading a whole ring, or a table that is read as one range.
const ringWork = 1 << 50

// Work is how many units of work a range is: its part of the ring, since rows are spread
// over that evenly. The units of ranges add up to exactly those of the range that they make
// up. Without a partitioner it is that of a whole table.
func Work(r token.Range, p token.Partitioner) int64 {
	if p == nil {
		return ringWork
	}
	return workBefore(r.End, p) - workBefore(r.Start, p)
}

// workBefore is the work of the ring up to a token.
func workBefore(t token.Token, p token.Partitioner) int64 {
	if t == p.Min() {
		return 0
	}
	return int64(ringWork * token.Fraction(token.Range{Start: p.Min(), End: t}, p))
}

// CountTotal has counters know the work of a sweep of these splits, to which what is there of an
// earlier run is added.
func CountTotal(c *progress.Counters, splits []token.Split, p token.Partitioner) {
	total := c.Done.Load()
	for _, s := range splits {
		total += Work(s.Range, p)
	}
	c.Total.Store(total)
}

// Counted has counters follow a sweep of these splits: the work done and in all, to which
// what is there of an earlier run is added, requests sent again, and ranges given up. What
// the options call for these is called as well.
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
