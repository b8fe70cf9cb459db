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
	mean   atomic.Int64 // bytes a row; 0 before the first row
	empty  atomic.Int64 // pages without rows before that
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
		s.empty.Add(1)
		return
	}
	mean := max(bytes/int64(rows), 1)
	if old := s.mean.Load(); old > mean {
		mean = max((3*old+mean)/4, 1)
	}
	s.mean.Store(mean)
}

// pageOverhead is what a page takes besides its rows.
const pageOverhead = 16 << 10

// estimate is the number of bytes that a page of so many rows takes. Before
// anything is known that is all there is, so that the first page is read alone.
// Each page without rows makes it half of that, so that an empty table, or a
// condition that few rows meet, is not read one request at a time to its end.
func (s *sizer) estimate(rows int, all int64) int64 {
	mean := s.mean.Load()
	if mean == 0 {
		return min(max(all>>min(s.empty.Load(), 62), s.target+pageOverhead), all)
	}
	return min(int64(rows)*mean+pageOverhead, all)
}
