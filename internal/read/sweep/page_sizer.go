package sweep

import (
	"math"
	"sync/atomic"

	"github.com/cqlbulk/cqlbulk/pkg/token"
)

const (
	firstRows  = 1     // of a page before anything is known of the rows, which may be large
	firstLarge = 32    // of a page that cannot be too large
	growth     = 8     // rows of a page at most, for each row seen before
	mostRows   = 10000 // past this a page's fixed cost no longer shows
)

// pageSizer finds how many rows to ask for, from the rows seen by all workers. Large
// rows count at once, small ones little by little: a page that is too large
// hurts more than one that is too small. So pages begin with one row, and have no more than
// eight times the rows seen before: a few small rows are no proof that the next ones are small.
type pageSizer struct {
	target int64
	fixed  int
	most   int
	ends   bool         // Options.EndsPages
	seen   atomic.Int64 // rows
	mean   atomic.Int64 // bytes a row; 0 before the first row
	empty  atomic.Int64 // pages without rows before that
	// rows that the rows of a page stand for, by Consumer.Weight; 0 before the first of them
	pageWeight      atomic.Int64
	rowsPerToken    atomic.Uint64 // bits of a float64: of those rows, for each token of the range
	weightlessPages atomic.Int64  // pages that stood for none before that
}

func newPageSizer(o Options) *pageSizer {
	s := &pageSizer{target: int64(o.PageBytes), fixed: o.PageRows, most: mostRows, ends: o.ReaderEndsPages}
	if o.MaxPageRows > 0 {
		s.fixed, s.most = min(s.fixed, o.MaxPageRows), min(s.most, o.MaxPageRows)
	}
	return s
}

// rows is the number of rows to ask for. numbers tells that each row is a number of rows: servers
// count with pages of that size, so that few would take long.
func (s *pageSizer) rows(numbers bool) int {
	if s.fixed > 0 {
		return s.fixed
	}
	mean, most := s.mean.Load(), int64(s.most)
	switch large := numbers || s.ends; {
	case large && mean == 0:
		return int(min(firstLarge, most))
	case !large:
		most = min(most, max(growth*s.seen.Load(), firstRows))
	}
	if mean == 0 {
		return int(most)
	}
	return int(min(max(s.target/mean, 1), most))
}

// addPage takes in a page that was read.
func (s *pageSizer) addPage(rows int, bytes int64) {
	if rows == 0 {
		s.empty.Add(1)
		return
	}
	s.seen.Add(int64(rows))
	s.addRowSize(rows, bytes)
}

// addRowSize takes in how large rows were.
func (s *pageSizer) addRowSize(rows int, bytes int64) {
	mean := max(bytes/int64(rows), 1)
	if old := s.mean.Load(); old > mean {
		mean = max((3*old+mean)/4, 1)
	}
	s.mean.Store(mean)
}

// addWeight takes in how many rows the rows of a page of a range stand for: many count at once, few
// little by little.
func (s *pageSizer) addWeight(rows int64, within token.Range) {
	if width := token.Width(within); width > 0 {
		dense := float64(rows) / width
		if old := math.Float64frombits(s.rowsPerToken.Load()); old > dense {
			dense = (3*old + dense) / 4
		}
		s.rowsPerToken.Store(math.Float64bits(dense))
	}
	if old := s.pageWeight.Load(); old > rows {
		rows = max((3*old+rows)/4, 1)
	}
	if s.pageWeight.Store(rows); rows == 0 {
		s.weightlessPages.Add(1)
	}
}

// mostWeight is what the rows of a page are taken to stand for before one has come. Each that
// stands for none makes it half of that.
const mostWeight = 1 << 30

// expectedWeight is how many rows those of a page of a range may stand for: as many as those of the pages
// before, or as its width says, since several wide ranges may follow narrow ones.
func (s *pageSizer) expectedWeight(within token.Range) int64 {
	if rows := s.pageWeight.Load(); rows > 0 {
		dense := math.Float64frombits(s.rowsPerToken.Load())
		return max(rows, int64(min(dense*token.Width(within), mostWeight)))
	}
	return max(int64(mostWeight)>>min(s.weightlessPages.Load(), 62), 1)
}

// pageOverhead is what a page takes besides its rows.
const pageOverhead = 16 << 10

// expectedBytes is the number of bytes that a page of so many rows takes. Before
// anything is known that is all there is, so that the first page is read alone.
// Each page without rows makes it half of that, so that an empty table, or a
// condition that few rows meet, is not read one request at a time to its end.
func (s *pageSizer) expectedBytes(rows int, all int64) int64 {
	mean := s.mean.Load()
	if mean == 0 {
		return min(max(all>>min(s.empty.Load(), 62), s.target+pageOverhead), all)
	}
	return min(int64(rows)*mean+pageOverhead, all)
}

// neededBytes is the number of bytes that a page takes: what such pages do, and no less than is known of
// it.
func (s *pageSizer) neededBytes(rows int, known, all int64) int64 {
	return max(s.expectedBytes(rows, all), min(known, all))
}

// maxBytes is the number of bytes that a page may have before it is refused: twice what is expected of
// it, and the share of a worker. Before anything is known, the page is alone and may have all.
func (s *pageSizer) maxBytes(rows int, known, all int64, workers int) int64 {
	mean := s.mean.Load()
	if mean == 0 && known == 0 {
		return all
	}
	return max(maxBytesFactor*max(int64(rows)*mean, known), all/int64(workers), s.target+pageOverhead)
}

// maxBytesFactor is how many times larger than expected a page may be.
const maxBytesFactor = 2

// tooLarge takes in that a page was refused for its size. It returns how many rows to ask for
// next: the same if the page fits into the budget, else fewer.
func (s *pageSizer) tooLarge(rows int, bytes, all int64) int {
	s.addRowSize(rows, bytes)
	if bytes <= all {
		return rows
	}
	return int(max(min(int64(rows)/2, int64(rows)*(all/2)/bytes), 1))
}
