package ingest

// meter tells what pieces of an input's text are of the input as it is stored, whose
// size is known: compressed, perhaps.
type meter struct {
	text   *interruptible
	stored interface{ Consumed() int64 } // nil: the text is what is stored
	told   int64
}

// newMeter begins to measure an input, of which text gives the text.
func newMeter(in any, text *interruptible) *meter {
	m := &meter{text: text}
	m.stored, _ = in.(interface{ Consumed() int64 })
	return m
}

// skip leaves out a part at the beginning that is not read.
func (m *meter) skip(offset int64) { m.text.read, m.told = offset, offset }

// advance gives the stored bytes from where the call before has ended to where so many
// bytes of the text do. Where those are behind what was read, it is a guess.
func (m *meter) advance(offset int64) int64 {
	now := offset
	if m.stored != nil && offset < m.text.read {
		now = int64(float64(m.stored.Consumed()) * float64(offset) / float64(m.text.read))
	} else if m.stored != nil {
		now = m.stored.Consumed()
	}
	before := m.told
	m.told = max(now, before)
	return m.told - before
}
