package extsort

// Merge returns the records of a stretch of numbers, from all runs and buffers, in order. Equal
// records come in any order. It is not safe for concurrent use, but several merges may be used at
// the same time.
type Merge struct {
	compare func(a, b []byte) int
	sources []source
	// a binary heap, the least record first
	heap    []head
	begun   bool
	err     error
	numbers int64
}

// source returns records in order. The method next moves to the next one. Until the next call, at
// returns it, or only its head if it is large. The method appendRecord returns all of it, and may
// be called once.
type source interface {
	next() (bool, error)
	at() (number uint64, record []byte)
	appendRecord(dst []byte) ([]byte, error)
}

// head is the current record of a source.
type head struct {
	number uint64
	record []byte
	source source
}

// start moves each source to its first record.
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

// Next moves to the next record. It returns false after the last one, and after an error.
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

// advance moves the source of the least record to its next one.
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

// down moves a head down to its place in the heap.
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

// Numbers returns about how many different numbers the records have.
func (m *Merge) Numbers() int64 { return m.numbers }

// Number returns the number of the current record.
func (m *Merge) Number() uint64 { return m.heap[0].number }

// Head returns the bytes of the current record that Options.Compare reads, until Next is called. If
// the record is not large, that is all of it.
func (m *Merge) Head() []byte { return m.heap[0].record }

// AppendRecord appends the current record. It may be called once for each.
func (m *Merge) AppendRecord(
	dst []byte,
) ([]byte, error) {
	return m.heap[0].source.appendRecord(dst)
}

// Err returns the error that ended Next early, if any.
func (m *Merge) Err() error { return m.err }
