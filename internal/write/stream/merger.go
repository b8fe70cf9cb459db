package stream

import "github.com/cqlbulk/cqlbulk/pkg/sstable"

// merger merges several rows of one clustering into one. It keeps merged rows, not all rows,
// because an input may repeat the static values of a partition in each of its rows. A merged row
// may grow with each row, for example a list that is appended to. So the merger joins rows that
// were made of the same number of rows, as in a binomial queue. Each cell is then merged at most as
// often as the number of rows has bits.
type merger struct {
	codec *sstable.Codec
	rows  *sstable.Merger
	added []byte    // the last rows, one after another
	ends  []int     // where each of them ends
	made  []partial // merged rows, each of at least twice as many rows as the next
	spare [][]byte
	out   []byte // the row that all make
}

// partial is a row that was made of several.
type partial struct {
	encoded []byte
	of      int // rows, in mergedAtOnce
}

func newMerger(c *sstable.Codec) *merger {
	return &merger{codec: c, rows: sstable.NewMerger(c.Schema())}
}

// mergedAtOnce is the number of rows that are kept until they are merged.
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

// takeAdded adds the last rows to the row that is being made.
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

// keep encodes the merged row, and records the number of rows in it.
func (m *merger) keep(of int) (err error) {
	var room []byte
	if n := len(m.spare); n > 0 {
		room, m.spare = m.spare[n-1][:0], m.spare[:n-1]
	}
	room, err = m.codec.AppendRow(room, m.rows.Row())
	m.made = append(m.made, partial{room, of})
	return err
}

// merged returns the row that all rows make, encoded. Its bytes are valid until the next call of
// add. The smallest rows are merged first.
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
