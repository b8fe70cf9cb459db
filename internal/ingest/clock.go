package ingest

import "time"

// clock gives out client timestamps in microseconds since the epoch. They grow with every row. They
// never run ahead of the time by more than the rows reserved at once, so that later writes of the
// application win. One goroutine uses it.
type clock struct {
	next  int64
	step  int64  // from one row to the next
	fixed *int64 // the timestamp of all rows; nil: by their place in the input
}

// stamps are the timestamps of the records of a chunk.
type stamps struct {
	first, step int64   // by their place in the input
	fixed       *int64  // that of all of them instead; nil: by their place
	given       []int64 // that records had before, 0: none
	late        int64   // what is added to all of them
}

// at is the timestamp of a record.
func (s stamps) at(record int) int64 {
	if record < len(s.given) && s.given[record] != 0 {
		return s.given[record] + s.late
	}
	if s.fixed != nil {
		return *s.fixed + s.late
	}
	return s.first + s.step*int64(record) + s.late
}

// place is a timestamp by a record's place in the input, which no other record has, whatever
// timestamp all have.
func (s stamps) place(record int) int64 {
	if s.fixed == nil {
		return s.at(record)
	}
	return s.first + s.step*int64(record)
}

// resume gives the timestamps of records that had theirs before.
func (c *clock) resume(first int64, skip, n int) stamps {
	c.next = max(c.next, first+c.step*int64(skip+n))
	return stamps{first: first, step: c.step, fixed: c.fixed}
}

// reserve gives the timestamps of n records, behind those that are passed over.
func (c *clock) reserve(skip, n int) stamps {
	first := max(c.next, time.Now().UnixMicro())
	c.next = first + c.step*int64(n)
	return stamps{first: first - c.step*int64(skip), step: c.step, fixed: c.fixed}
}
