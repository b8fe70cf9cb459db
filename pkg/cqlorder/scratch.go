package cqlorder

import "sync"

// span is a part of some bytes.
type span struct{ start, end int32 }

func (s span) of(base []byte) []byte { return base[s.start:s.end:s.end] }

// item is an element of a set, or an entry of a map.
type item struct{ key, value span }

// level is the memory for sorting one set or map at one nesting depth.
type level struct {
	room  []byte // the elements in canonical form, if that differs from wire
	items []item
}

// scratch is the memory for sorting one value. It belongs to one goroutine at a time.
type scratch struct{ levels []*level }

var scratchPool = sync.Pool{New: func() any { return new(scratch) }}

// maxKept is the largest capacity, in bytes of room and in items, of a level that is kept for the
// next value.
const maxKept = 1 << 16

// level returns the level for a depth. depth is at most one more than any depth before.
func (s *scratch) level(depth int) *level {
	if depth == len(s.levels) {
		s.levels = append(s.levels, new(level))
	}
	return s.levels[depth]
}

// release returns the scratch to the pool.
func (s *scratch) release() {
	for _, l := range s.levels {
		if cap(l.room) > maxKept {
			l.room = nil
		}
		if cap(l.items) > maxKept {
			l.items = nil
		}
	}
	scratchPool.Put(s)
}
