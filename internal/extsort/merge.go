package extsort

// Merge gives the records of a stretch of numbers, from all runs and buffers, in order; those that
// are equal come in any order. It is not safe for concurrent use, but several are beside one
// another.
type Merge struct {
	compare func(a, b []byte) int
	sources []source
	// the least one first; each not greater than the two at twice its place and one and two beyond
	heap    []head
	begun   bool
	err     error
	numbers int64
}

// source gives records in order: next moves to the next one, if there is one, and at gives
// it, or the head of a large one, until next is called again. appendRecord gives all of it, once.
type source interface {
	next() (bool, error)
	at() (number uint64, record []byte)
	appendRecord(dst []byte) ([]byte, error)
}

// head is the record that a source is at.
type head struct {
	number uint64
	record []byte
	source source
}

// start finds the first record of each source.
func (m *Merge) start() error {
	for _, s := range m.sources {
		more, err := s.next()
		if err != nil {
			return err
		}
		if more {
			number, record := s.at()
			m.heap = append(m.heap, head{number, record, s})
		}
	}
	for i := len(m.heap)/2 - 1; i >= 0; i-- {
		m.down(i)
	}
	return nil
}

// Next moves to the next record; false after the last one, and when there is an error.
func (m *Merge) Next() bool {
	switch {
	case !m.begun:
		m.begun = true
		m.err = m.start()
	case m.err == nil && len(m.heap) > 0:
		m.advance()
	}
	return m.err == nil && len(m.heap) > 0
}

// advance moves the source of the least record on.
func (m *Merge) advance() {
	top := &m.heap[0]
	more, err := top.source.next()
	if err != nil {
		m.err = err
		return
	}
	if more {
		top.number, top.record = top.source.at()
	} else {
		last := len(m.heap) - 1
		m.heap[0] = m.heap[last]
		m.heap = m.heap[:last]
	}
	m.down(0)
}

// down moves a head to where it belongs.
func (m *Merge) down(i int) {
	for {
		least := i
		for child := 2*i + 1; child <= 2*i+2 && child < len(m.heap); child++ {
			if m.less(child, least) {
				least = child
			}
		}
		if least == i {
			return
		}
		m.heap[i], m.heap[least] = m.heap[least], m.heap[i]
		i = least
	}
}

func (m *Merge) less(i, j int) bool {
	a, b := &m.heap[i], &m.heap[j]
	if a.number != b.number {
		return a.number < b.number
	}
	return m.compare(a.record, b.record) < 0
}

// Numbers is about how many different numbers the records have.
func (m *Merge) Numbers() int64 { return m.numbers }

// Number is that of the current record.
func (m *Merge) Number() uint64 { return m.heap[0].number }

// Head returns what Options.Compare looks at of the current record, until Next is called; of one
// that is not large the whole record.
func (m *Merge) Head() []byte { return m.heap[0].record }

// AppendRecord appends the current record. It may be called once for each.
func (m *Merge) AppendRecord(
	dst []byte,
) ([]byte, error) {
	return m.heap[0].source.appendRecord(dst)
}

// Err is the error that ended Next early, if any.
func (m *Merge) Err() error { return m.err }
