package ingest

// meter translates places in an input's text to places in the input as it is stored, compressed or
// not.
type meter struct {
	read    *int64                        // bytes of the text
	stored  interface{ Consumed() int64 } // nil: the text is what is stored
	counted int64
}

// newMeter returns the meter of an input. read counts the bytes of its text that were read.
func newMeter(in any, read *int64) *meter {
	m := &meter{read: read}
	m.stored, _ = in.(interface{ Consumed() int64 })
	return m
}

// skip leaves out a part at the beginning that is not read.
func (m *meter) skip(offset int64) { *m.read, m.counted = offset, offset }

// advance returns the stored bytes between the previous call's place in the text and the place at
// offset. If offset is behind what was read, the result is an estimate.
func (m *meter) advance(offset int64) int64 {
	now := offset
	if m.stored != nil && offset < *m.read {
		now = int64(float64(m.stored.Consumed()) * float64(offset) / float64(*m.read))
	} else if m.stored != nil {
		now = m.stored.Consumed()
	}
	before := m.counted
	m.counted = max(now, before)
	return m.counted - before
}
