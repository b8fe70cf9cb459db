package doctor

import (
	"bytes"
	"sync"
	"sync/atomic"
)

// Late checks the timestamps of one column as a load reads them. It finds numbers of another unit,
// and dates without separators, that come after the first rows. It is safe for concurrent use, and
// takes very little time for a usual value.
type Late struct {
	column, unit string

	usual atomic.Bool  // a number was a time of 1980 to 2100
	near  atomic.Int64 // times around 1970, as birthdays are
	odd   atomic.Int64
	said  atomic.Bool

	mu    sync.Mutex
	times Times // the first usual number, and the first odd ones
}

// NewLate returns one for a column whose numbers count a unit. said: a warning of a mixture was
// printed already.
func NewLate(column, unit string, said bool) *Late {
	l := &Late{column: column, unit: unit, times: Times{Column: column, Unit: unit}}
	l.said.Store(said)
	return l
}

// lateKept is the number of odd values that are examined closely.
const lateKept = 1000

// Note takes a timestamp in milliseconds since 1970, how it was given, and where. It reports
// whether the column is known to be mixed, once.
func (l *Late) Note(ms int64, text []byte, file string, line int64) (found bool) {
	if beginOf1980 <= ms && ms < beginOf2100 {
		if l.usual.Load() {
			return false
		}
		if text = bare(text); !isNumber(text) {
			return false
		}
		l.mu.Lock()
		l.times.File = file
		l.times.Note(ms, line, string(text))
		l.mu.Unlock()
		l.usual.Store(true)
		return l.first()
	}
	if ms == 0 {
		return false
	}
	text = bare(text)
	_, known := l.times.step(ms)
	if !known && !l.compact(text) {
		if beginOf1960 <= ms && ms < beginOf1980 {
			l.near.Add(1)
		}
		return false
	}
	if !isNumber(text) {
		return false
	}
	if l.odd.Add(1) <= lateKept {
		l.mu.Lock()
		l.times.File = file
		l.times.Note(ms, line, string(text))
		l.mu.Unlock()
	}
	return l.first()
}

// bare is a text without the quotes of a string of JSON.
func bare(text []byte) []byte {
	if len(text) >= 2 && text[0] == '"' {
		return text[1 : len(text)-1]
	}
	return text
}

// compact reports whether a text is a date without separators, of eight digits or more.
func (l *Late) compact(text []byte) bool {
	switch len(text) {
	case 8, 12, 14, 17:
	default:
		return false
	}
	if len(bytes.Trim(text, "0123456789")) > 0 || !likelyYear(text[:4]) && !likelyYear(text[4:8]) {
		return false
	}
	for i := range compactForms {
		if !compactForms[i].alone && compactForms[i].reads(string(text)) {
			return true
		}
	}
	return false
}

// likelyYear reports whether four digits may be a year of a date. It spares most numbers the
// attempt to read one, which takes memory where it fails.
func likelyYear(digits []byte) bool {
	return digits[0] == '1' && digits[1] == '9' || digits[0] == '2' && digits[1] <= '1'
}

// mixed reports whether the odd values are no birthdays.
func (l *Late) mixed() bool {
	return l.usual.Load() && l.odd.Load()*usualBeside > l.near.Load()
}

// first reports whether the column is known to be mixed, and was not before.
func (l *Late) first() bool {
	return !l.said.Load() && l.mixed() && l.said.CompareAndSwap(false, true)
}

// Odd is the number of odd values of a column that is mixed.
func (l *Late) Odd() int64 {
	if !l.mixed() {
		return 0
	}
	return l.odd.Load()
}

// Finding is what is known of the column, if it is mixed.
func (l *Late) Finding() (Finding, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	found := Units([]Sample{{Name: l.times.File, Times: []Times{l.times}}}, "")
	if len(found) == 0 || !found[0].Wrong {
		return Finding{}, false
	}
	return found[0], true
}
