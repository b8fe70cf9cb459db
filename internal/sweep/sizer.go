package sweep

import "sync/atomic"

const (
	firstRows = 32    // a page of unknown rows: even rows of 1 MiB make 32 MiB
	mostRows  = 10000 // past this a page's fixed cost no longer shows
)

// sizer finds how many rows to ask for, from the rows seen by all workers. Large
// rows count at once, small ones little by little: a page that is too large
// hurts more than one that is too small.
type sizer struct {
	target int64
	fixed  int
	mean   atomic.Int64 // bytes a row; 0 before the first page
}

func newSizer(o Options) *sizer { return &sizer{target: int64(o.PageBytes), fixed: o.PageRows} }

// rows is the number of rows to ask for.
func (s *sizer) rows() int {
	if s.fixed > 0 {
		return s.fixed
	}
	mean := s.mean.Load()
	if mean == 0 {
		return firstRows
	}
	return int(min(max(s.target/mean, 1), mostRows))
}

// saw takes in a page that was read.
func (s *sizer) saw(rows int, bytes int64) {
	if rows == 0 {
		return
	}
	mean := max(bytes/int64(rows), 1)
	if old := s.mean.Load(); old > mean {
		mean = max((3*old+mean)/4, 1)
	}
	s.mean.Store(mean)
}
