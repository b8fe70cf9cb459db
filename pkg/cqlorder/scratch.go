package cqlorder

import "sync"

// span is a part of some bytes.
type span struct{ start, end int32 }

func (s span) of(base []byte) []byte { return base[s.start:s.end:s.end] }

// item is an element of a set, or an entry of a map.
type item struct{ key, value span }

// level is the room for sorting one set or map, inside of as many others as the level's number says.
type level struct {
	room  []byte // its elements, where their own form is not canonical
	items []item
}

// scratch is the room for sorting one value. It belongs to one goroutine at a time.
type scratch struct{ levels []*level }

var scratchPool = sync.Pool{New: func() any { return new(scratch) }}

// maxKept is how many bytes of room, and how many items, a level may have that is kept for the next value.
const maxKept = 1 << 16

// level returns the room for depth, which is at most one more than any before.
func (s *scratch) level(depth int) *level {
	if depth == len(s.levels) {
		s.levels = append(s.levels, new(level))
	}
	return s.levels[depth]
}

// release gives the scratch back for use by others.
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
