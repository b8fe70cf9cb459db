package stream

import "github.com/cqlbulk/cqlbulk/pkg/sstable"

// merger makes one row of several of one clustering. It keeps the row that they make so far, and
// not all of them: an input may have the static values of a partition with each of its rows.
type merger struct {
	codec *sstable.Codec
	rows  *sstable.Merger
	added int
	kept  []byte // rows that were added: the merged one has parts of them
	out   []byte // the merged one
}

func newMerger(c *sstable.Codec) *merger {
	return &merger{codec: c, rows: sstable.NewMerger(c.Schema())}
}

// mergedAtOnce is how many rows are kept until they are made one.
const mergedAtOnce = 16

// begin begins with an encoded row.
func (m *merger) begin(encoded []byte) error {
	m.rows.Reset(sstable.Deletion{})
	m.added, m.kept = 0, m.kept[:0]
	return m.add(encoded)
}

// add merges an encoded row, whose bytes it copies.
func (m *merger) add(encoded []byte) error {
	if m.added == mergedAtOnce {
		so, err := m.merged()
		if err != nil {
			return err
		}
		if err := m.begin(so); err != nil {
			return err
		}
	}
	from := len(m.kept)
	m.kept = append(m.kept, encoded...)
	m.added++
	return m.rows.AddEncoded(m.codec, m.kept[from:len(m.kept):len(m.kept)])
}

// merged gives the row that they make, encoded. Its bytes are good until the next call of add.
func (m *merger) merged() ([]byte, error) {
	var err error
	m.out, err = m.codec.AppendRow(m.out[:0], m.rows.Row())
	return m.out, err
}
