package stream

import "github.com/cqlbulk/cqlbulk/pkg/sstable"

// merger makes one row of several of one clustering.
type merger struct {
	codec *sstable.Codec
	rows  *sstable.Merger
	row   sstable.Row
	out   []byte
}

func newMerger(c *sstable.Codec) *merger {
	return &merger{codec: c, rows: sstable.NewMerger(c.Schema())}
}

// merge merges encoded rows into the first. What it gives is good until it is called again.
func (m *merger) merge(first []byte, others [][]byte) ([]byte, error) {
	m.rows.Reset(sstable.Deletion{})
	if err := m.add(first); err != nil {
		return nil, err
	}
	for _, encoded := range others {
		if err := m.add(encoded); err != nil {
			return nil, err
		}
	}
	var err error
	m.out, err = m.codec.AppendRow(m.out[:0], m.rows.Row())
	return m.out, err
}

func (m *merger) add(encoded []byte) error {
	m.row.Reset()
	if err := m.codec.DecodeRow(encoded, &m.row); err != nil {
		return err
	}
	m.rows.Add(&m.row)
	return nil
}
