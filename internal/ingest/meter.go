package ingest

// meter tells what pieces of an input's text are of the input as it is stored, whose
// size is known: compressed, perhaps.
type meter struct {
	read   *int64                        // bytes of the text
	stored interface{ Consumed() int64 } // nil: the text is what is stored
	told   int64
}

// newMeter begins to measure an input, of whose text so many bytes were read.
func newMeter(in any, read *int64) *meter {
	m := &meter{read: read}
	m.stored, _ = in.(interface{ Consumed() int64 })
	return m
}

// skip leaves out a part at the beginning that is not read.
func (m *meter) skip(offset int64) { *m.read, m.told = offset, offset }

// advance gives the stored bytes from where the call before has ended to where so many
// bytes of the text do. Where those are behind what was read, it is a guess.
func (m *meter) advance(offset int64) int64 {
	now := offset
	if m.stored != nil && offset < *m.read {
		now = int64(float64(m.stored.Consumed()) * float64(offset) / float64(*m.read))
	} else if m.stored != nil {
		now = m.stored.Consumed()
	}
	before := m.told
	m.told = max(now, before)
	return m.told - before
}
