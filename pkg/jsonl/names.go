package jsonl

import (
	"bytes"
	"hash/maphash"
)

// nameSet tells whether a name stands twice in a record. As long as a record has names of the one before it, in the
// same order, comparing with these is enough; a hash table does the rest.
type nameSet struct {
	seed maphash.Seed

	kept   []byte // the names of an earlier record, all different, one after the other
	ends   []int  // of each name in kept
	agreed int    // this record's names are among the kept ones before this one; -1 once one was not

	// slots is an open-addressing table of this record's names. An entry of another round is no entry.
	slots []slot
	round uint64
	used  int
}

// slot holds the place of a name in the record.
type slot struct {
	round uint64
	place int
}

func newNameSet() nameSet { return nameSet{seed: maphash.MakeSeed()} }

// restart begins a record.
func (s *nameSet) restart() {
	s.agreed, s.used = 0, 0
	s.round++
}

// add takes the name of the next field in, and returns false when one of the fields before it has it, too.
func (s *nameSet) add(name []byte, fields []Field) bool {
	if s.agreed >= 0 {
		for i := s.agreed; i < len(s.ends); i++ {
			if bytes.Equal(s.keptName(i), name) {
				s.agreed = i + 1
				return true
			}
		}
		s.agreed = -1
		for i := range fields {
			s.put(fields[i].Name, i, fields)
		}
	}
	return s.put(name, len(fields), fields)
}

func (s *nameSet) keptName(i int) []byte {
	begin := 0
	if i > 0 {
		begin = s.ends[i-1]
	}
	return s.kept[begin:s.ends[i]]
}

// put puts the name at place into the table, unless it is one of the fields' there.
func (s *nameSet) put(name []byte, place int, fields []Field) bool {
	if 2*(s.used+1) > len(s.slots) {
		s.grow(fields[:place])
	}
	mask := len(s.slots) - 1
	at := int(maphash.Bytes(s.seed, name)) & mask
	for ; s.slots[at].round == s.round; at = (at + 1) & mask {
		if bytes.Equal(fields[s.slots[at].place].Name, name) {
			return false
		}
	}
	s.slots[at] = slot{s.round, place}
	s.used++
	return true
}

// minSlots is the least size of the table, a power of two.
const minSlots = 64

// grow makes the table twice as large and puts the fields in that it held.
func (s *nameSet) grow(fields []Field) {
	held := fields[:s.used]
	s.slots = make([]slot, max(minSlots, 2*len(s.slots)))
	s.used = 0
	for i := range held {
		s.put(held[i].Name, i, held)
	}
}

// keep remembers the names of a record without errors for the next one, unless they are those kept already.
func (s *nameSet) keep(fields []Field) {
	if s.agreed >= 0 {
		return
	}
	s.kept, s.ends = s.kept[:0], s.ends[:0]
	for i := range fields {
		s.kept = append(s.kept, fields[i].Name...)
		s.ends = append(s.ends, len(s.kept))
	}
}
