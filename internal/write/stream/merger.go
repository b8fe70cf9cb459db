package stream

import "github.com/cqlbulk/cqlbulk/pkg/sstable"

// merger makes one row of several of one clustering. It keeps what they make so far, and not all of
// them: an input may have the static values of a partition with each of its rows. What they make
// may grow with each of them, a list that is appended to, so it is not merged with each few of them
// again: rows that were made of as many are (as in a binomial queue), and each cell is merged as
// often as the number of rows has bits.
type merger struct {
	codec *sstable.Codec
	rows  *sstable.Merger
	added []byte    // rows that were added last, one after the other
	ends  []int     // where each of them ends
	made  []partial // of those before, each of at least twice the rows of the next
	spare [][]byte
	out   []byte // what all make
}

// partial is a row that was made of several.
type partial struct {
	encoded []byte
	of      int // rows, in mergedAtOnce
}

func newMerger(c *sstable.Codec) *merger {
	return &merger{codec: c, rows: sstable.NewMerger(c.Schema())}
}

// mergedAtOnce is how many rows are kept until they are made one.
const mergedAtOnce = 16

// begin begins with an encoded row.
func (m *merger) begin(encoded []byte) error {
	m.added, m.ends = m.added[:0], m.ends[:0]
	for _, r := range m.made {
		m.spare = append(m.spare, r.encoded)
	}
	m.made = m.made[:0]
	return m.add(encoded)
}

// add merges an encoded row, whose bytes it copies.
func (m *merger) add(encoded []byte) error {
	m.added = append(m.added, encoded...)
	m.ends = append(m.ends, len(m.added))
	if len(m.ends) < mergedAtOnce {
		return nil
	}
	m.rows.Reset(sstable.Deletion{})
	if err := m.takeAdded(); err != nil {
		return err
	}
	m.added, m.ends = m.added[:0], m.ends[:0]
	if err := m.keep(1); err != nil {
		return err
	}
	for n := len(m.made); n > 1 && m.made[n-2].of == m.made[n-1].of; n = len(m.made) {
		one, other := m.made[n-2], m.made[n-1]
		m.made = m.made[:n-2]
		m.rows.Reset(sstable.Deletion{})
		for _, r := range []partial{one, other} {
			if err := m.rows.AddEncoded(m.codec, r.encoded); err != nil {
				return err
			}
		}
		if err := m.keep(one.of + other.of); err != nil {
			return err
		}
		m.spare = append(m.spare, one.encoded, other.encoded)
	}
	return nil
}

// takeAdded adds the rows that were added last to the one that is made.
func (m *merger) takeAdded() error {
	from := 0
	for _, end := range m.ends {
		if err := m.rows.AddEncoded(m.codec, m.added[from:end:end]); err != nil {
			return err
		}
		from = end
	}
	return nil
}

// keep encodes the row that was made of others, and their number.
func (m *merger) keep(of int) (err error) {
	var room []byte
	if n := len(m.spare); n > 0 {
		room, m.spare = m.spare[n-1][:0], m.spare[:n-1]
	}
	room, err = m.codec.AppendRow(room, m.rows.Row())
	m.made = append(m.made, partial{room, of})
	return err
}

// merged gives the row that they make, encoded. Its bytes are good until the next call of add. The
// smallest are merged first.
func (m *merger) merged() ([]byte, error) {
	m.rows.Reset(sstable.Deletion{})
	if err := m.takeAdded(); err != nil {
		return nil, err
	}
	for i := len(m.made) - 1; i >= 0; i-- {
		if err := m.rows.AddEncoded(m.codec, m.made[i].encoded); err != nil {
			return nil, err
		}
	}
	var err error
	m.out, err = m.codec.AppendRow(m.out[:0], m.rows.Row())
	return m.out, err
}
