package jsonl

import (
	"bytes"
	"hash/maphash"
)

// nameSet detects names that occur twice in a record. If the record has the names of an earlier
// record, in the same order, it only compares with these. Otherwise it uses a hash table.
type nameSet struct {
	seed maphash.Seed

	kept   []byte // the names of an earlier record, all different, concatenated
	ends   []int  // the end of each name in kept
	agreed int    // the number of kept names that are used up; -1: a name was not among them

	// slots is an open-addressing table of this record's names. An entry of another round is empty.
	slots []slot
	round uint64
	used  int
}

// slot is an entry of the table: the index of a name in the record.
type slot struct {
	round uint64
	place int
}

func newNameSet() nameSet { return nameSet{seed: maphash.MakeSeed()} }

// restart starts a record.
func (s *nameSet) restart() {
	s.agreed, s.used = 0, 0
	s.round++
}

// add adds the name of the next field. It returns false if an earlier field has the same name.
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

// put adds the name of the field with index place to the table. It returns false if the name is
// already there.
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

// minSlots is the smallest size of the table, a power of two.
const minSlots = 64

// grow doubles the table and adds its fields again.
func (s *nameSet) grow(fields []Field) {
	held := fields[:s.used]
	s.slots = make([]slot, max(minSlots, 2*len(s.slots)))
	s.used = 0
	for i := range held {
		s.put(held[i].Name, i, held)
	}
}

// keep stores the names of a record without errors for the next record, unless they are already
// stored.
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
