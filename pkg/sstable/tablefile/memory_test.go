package tablefile

import (
	"bytes"
	"io"
	"io/fs"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/pkg/sstable"
	"github.com/cqlbulk/cqlbulk/pkg/sstable/component"
)

// memory stores one SSTable in memory, as an Output and as Files.
type memory struct {
	descriptor component.Descriptor
	files      map[component.Kind]*bytes.Buffer
	committed  bool
}

func (m *memory) Descriptor() component.Descriptor   { return m.descriptor }
func (m *memory) Path(c component.Kind) string       { return "memory/" + m.descriptor.Name(c) }
func (m *memory) Commit() error                      { m.committed = true; return nil }
func (m *memory) Begin(d component.Descriptor) error { m.descriptor = d; return nil }

func (m *memory) Open(c component.Kind) (File, error) {
	b, ok := m.files[c]
	if !ok {
		return nil, fs.ErrNotExist
	}
	return memoryFile{bytes.NewReader(b.Bytes())}, nil
}

func (m *memory) Create(c component.Kind) (io.WriteCloser, error) {
	m.files[c] = &bytes.Buffer{}
	return memoryOutput{m.files[c]}, nil
}

func (m *memory) Abort() error {
	if !m.committed {
		clear(m.files)
	}
	return nil
}

type memoryFile struct{ *bytes.Reader }

func (memoryFile) Close() error { return nil }

type memoryOutput struct{ *bytes.Buffer }

func (memoryOutput) Close() error { return nil }

func TestAnSSTableMayBeStoredElsewhere(t *testing.T) {
	m := &memory{files: make(map[component.Kind]*bytes.Buffer)}
	codec := codecOf(t, testTable(t), component.NB, testMinima)
	w, err := Create(m, codec, testOptions(compressions[0]))
	require.NoError(t, err)
	fill(t, w, codec)
	done, err := w.Commit()
	require.NoError(t, err)
	require.NoError(t, w.Abort())
	for c, size := range done.Sizes {
		require.Equal(t, size, int64(m.files[c].Len()), c)
	}

	verified, err := Verify(m, testCheck(t))
	require.NoError(t, err)
	require.Equal(t, done, &verified.Written)
	r, err := Open(m)
	require.NoError(t, err)
	all, err := partitionsOf(r.Decoder())
	require.NoError(t, err)
	require.Len(t, all, int(done.Partitions))
	require.NoError(t, r.Close())

	// A file that is cut off is an error, and a writer that is aborted leaves nothing.
	m.files[component.StatisticsDB].Truncate(20)
	_, err = Open(m)
	require.ErrorContains(t, err, "memory/nb-1-big-Statistics.db")
	aborted := &memory{files: make(map[component.Kind]*bytes.Buffer)}
	w, err = Create(aborted, codec, testOptions(compressions[0]))
	require.NoError(t, err)
	require.NoError(t, w.Begin(keyOne, sstable.Deletion{}))
	require.NoError(t, w.Abort())
	require.Empty(t, aborted.files)
}
