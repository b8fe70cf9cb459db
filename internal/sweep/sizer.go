package sweep

import (
	"math"
	"sync/atomic"

	"github.com/cqlbulk/cqlbulk/pkg/token"
)

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
	most   int
	mean   atomic.Int64  // bytes a row; 0 before the first row
	empty  atomic.Int64  // pages without rows before that
	stood  atomic.Int64  // rows that the rows of a page stand for, by Consumer.Weight; 0 before the first of them
	dense  atomic.Uint64 // bits of a float64: of those rows, for each token of the range
	light  atomic.Int64  // pages that stood for none before that
}

func newSizer(o Options) *sizer {
	s := &sizer{target: int64(o.PageBytes), fixed: o.PageRows, most: mostRows}
	if o.MostRows > 0 {
		s.fixed, s.most = min(s.fixed, o.MostRows), min(s.most, o.MostRows)
	}
	return s
}

// rows is the number of rows to ask for.
func (s *sizer) rows() int {
	if s.fixed > 0 {
		return s.fixed
	}
	mean := s.mean.Load()
	if mean == 0 {
		return min(firstRows, s.most)
	}
	return int(min(max(s.target/mean, 1), int64(s.most)))
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

// weighed takes in how many rows the rows of a page of a range stand for: many count at once, few little by little.
func (s *sizer) weighed(rows int64, within token.Range) {
	if width := token.Width(within); width > 0 {
		dense := float64(rows) / width
		if old := math.Float64frombits(s.dense.Load()); old > dense {
			dense = (3*old + dense) / 4
		}
		s.dense.Store(math.Float64bits(dense))
	}
	if old := s.stood.Load(); old > rows {
		rows = max((3*old+rows)/4, 1)
	}
	if s.stood.Store(rows); rows == 0 {
		s.light.Add(1)
	}
}

// mostWeight is what the rows of a page are taken to stand for before one has come. Each that stands for none makes it half of that.
const mostWeight = 1 << 30

// weight is how many rows those of a page of a range may stand for: as many as those of the pages before, or
// as its width says, since several wide ranges may follow narrow ones.
func (s *sizer) weight(within token.Range) int64 {
	if rows := s.stood.Load(); rows > 0 {
		dense := math.Float64frombits(s.dense.Load())
		return max(rows, int64(min(dense*token.Width(within), mostWeight)))
	}
	return max(int64(mostWeight)>>min(s.light.Load(), 62), 1)
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
