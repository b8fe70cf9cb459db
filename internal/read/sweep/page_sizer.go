package sweep

import (
	"math"
	"sync/atomic"

	"github.com/cqlbulk/cqlbulk/pkg/token"
)

const (
	firstRows  = 1     // rows of a page before any row was seen: rows may be large
	firstLarge = 32    // rows of such a page, if it cannot be too large
	growth     = 8     // rows of a page at most, for each row seen before
	mostRows   = 10000 // rows; in a larger page its fixed cost no longer shows
)

// pageSizer chooses the number of rows to request, from the rows that all workers have seen. Large
// rows count at once, small ones gradually: a page that is too large hurts more than one that is
// too small. So pages begin with one row, and have at most eight times the rows seen before. A few
// small rows do not prove that the next ones are small.
type pageSizer struct {
	target int64
	fixed  int
	most   int
	ends   bool         // Options.ReaderEndsPages
	seen   atomic.Int64 // rows
	mean   atomic.Int64 // bytes per row; 0 before the first row
	empty  atomic.Int64 // pages without rows, before the first row
	// table rows that the rows of a page stand for (Consumer.Weight); 0 before the first of them
	pageWeight atomic.Int64
	// bits of a float64: those table rows, for each token of the range
	rowsPerToken    atomic.Uint64
	weightlessPages atomic.Int64 // pages that stood for no table rows, before the first that did
}

func newPageSizer(o Options) *pageSizer {
	s := &pageSizer{
		target: int64(o.PageBytes),
		fixed:  o.PageRows,
		most:   mostRows,
		ends:   o.ReaderEndsPages,
	}
	if o.MaxPageRows > 0 {
		s.fixed, s.most = min(s.fixed, o.MaxPageRows), min(s.most, o.MaxPageRows)
	}
	return s
}

// rows returns the number of rows to request. numbers says that each row is a count of rows.
// Servers count with internal pages of that size, so small pages would take long.
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

// addPage records the rows and bytes of a page.
func (s *pageSizer) addPage(rows int, bytes int64) {
	if rows == 0 {
		s.empty.Add(1)
		return
	}
	s.seen.Add(int64(rows))
	s.addRowSize(rows, bytes)
}

// addRowSize records the size of rows.
func (s *pageSizer) addRowSize(rows int, bytes int64) {
	mean := max(bytes/int64(rows), 1)
	if old := s.mean.Load(); old > mean {
		mean = max((3*old+mean)/4, 1)
	}
	s.mean.Store(mean)
}

// addWeight records how many table rows a page of a range stands for. High numbers count at once,
// low ones gradually.
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

// mostWeight is the number of table rows that a page is expected to stand for before any is known.
// Each page that stands for none halves it.
const mostWeight = 1 << 30

// expectedWeight returns how many table rows a page of a range may stand for. That is the weight of
// the pages before, or more if the range is wider: several wide ranges may follow narrow ones.
func (s *pageSizer) expectedWeight(within token.Range) int64 {
	if rows := s.pageWeight.Load(); rows > 0 {
		dense := math.Float64frombits(s.rowsPerToken.Load())
		return max(rows, int64(min(dense*token.Width(within), mostWeight)))
	}
	return max(int64(mostWeight)>>min(s.weightlessPages.Load(), 62), 1)
}

// pageOverhead is the memory of a page besides its rows, in bytes.
const pageOverhead = 16 << 10

// expectedBytes returns the memory of a page of rows rows, in bytes. Before any row is known it is
// the whole budget (all), so the first page is read alone. Each page without rows halves it.
// Otherwise an empty table, or a condition that few rows meet, would be read one request at a time.
func (s *pageSizer) expectedBytes(rows int, all int64) int64 {
	mean := s.mean.Load()
	if mean == 0 {
		return min(max(all>>min(s.empty.Load(), 62), s.target+pageOverhead), all)
	}
	return min(int64(rows)*mean+pageOverhead, all)
}

// neededBytes returns the memory to reserve for a page: the expected bytes, or the known size of
// the page if that is larger.
func (s *pageSizer) neededBytes(rows int, known, all int64) int64 {
	return max(s.expectedBytes(rows, all), min(known, all))
}

// maxBytes returns the size in bytes from which a page is refused: twice the expected size, and at
// least a worker's share of the budget. Before any row is known, the page is read alone and may
// take the whole budget.
func (s *pageSizer) maxBytes(rows int, known, all int64, workers int) int64 {
	mean := s.mean.Load()
	if mean == 0 && known == 0 {
		return all
	}
	return max(
		maxBytesFactor*max(int64(rows)*mean, known),
		all/int64(workers),
		s.target+pageOverhead,
	)
}

// maxBytesFactor is how many times larger than expected a page may be.
const maxBytesFactor = 2

// tooLarge records that a page was refused for its size. It returns the number of rows to request
// next: the same if the page fits into the budget, else fewer.
func (s *pageSizer) tooLarge(rows int, bytes, all int64) int {
	s.addRowSize(rows, bytes)
	if bytes <= all {
		return rows
	}
	return int(max(min(int64(rows)/2, int64(rows)*(all/2)/bytes), 1))
}
