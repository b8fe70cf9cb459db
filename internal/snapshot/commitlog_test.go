package snapshot

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// segment makes a segment of sections of mutations. synced is false where the node died before it
// wrote the last marker.
func segment(parameters string, synced bool, sections ...[][]byte) []byte {
	b := append(make([]byte, 4+8), byte(len(parameters)>>8), byte(len(parameters)))
	b = append(append(b, parameters...), 0, 0, 0, 0)
	for i, mutations := range sections {
		marker := len(b)
		b = append(b, make([]byte, syncMarker)...)
		for _, m := range mutations {
			b = append(binary.BigEndian.AppendUint32(b, uint32(len(m))), 0, 0, 0, 0)
			b = append(append(b, m...), 0, 0, 0, 0)
		}
		if synced || i < len(sections)-1 {
			binary.BigEndian.PutUint32(b[marker:], uint32(len(b)))
		}
	}
	return append(b, make([]byte, 64)...) // a segment is longer than what is in it
}

// Mutations are found by their table. Nothing is found in an empty segment, nor in a row of another
// table that contains the table's id, as rows of the schema do. What cannot be read is reported.
func TestMutationsOfCommitLogs(t *testing.T) {
	table, other := [16]byte{1, 2, 3}, [16]byte{9}
	var schemaTable [16]byte
	for schemaTable = range schemaTables {
		break
	}
	of := func(count byte, id [16]byte, body ...byte) []byte {
		return append(append([]byte{count}, id[:]...), body...)
	}
	const compressed = `{"compressionParameters":{},"compressionClass":"LZ4Compressor"}`
	for _, c := range []struct {
		name   string
		bytes  []byte
		found  int
		opaque bool
	}{
		{"nothing", nil, 0, false},
		{"empty", segment("{}", true), 0, false},
		{"without rows", segment("{}", true, [][]byte{of(1, table, 2, 0, 1, 1)}), 0, false},
		{"of a key that is empty", segment("{}", true, [][]byte{of(1, table, 0, 8, 1)}), 1, false},
		{"of the table", segment("{}", true, [][]byte{of(1, other), of(1, table, 5)}, [][]byte{of(1, table)}), 2, false},
		{"of others", segment("{}", true, [][]byte{of(1, other, table[:]...), {1}, of(1, other)}), 0, false},
		{"of several", segment("{}", true, [][]byte{of(2, other, table[:]...)}), 1, false},
		{"of the schema", segment("{}", true, [][]byte{of(3, schemaTable, table[:]...)}), 0, false},
		{"not synced", segment("{}", false, [][]byte{of(1, other)}, [][]byte{of(1, table)}), 1, false},
		{"cut off", segment("{}", true, [][]byte{of(1, table), of(1, table)})[:60], 1, false},
		{"compressed", segment(compressed, true, [][]byte{of(1, other)}), 0, true},
		{"compressed and empty", segment(compressed, true)[:segmentHead+len(compressed)+sumLength], 0, false},
	} {
		data := filepath.Join(t.TempDir(), "data")
		folder := filepath.Join(filepath.Dir(data), commitLogFolder)
		require.NoError(t, os.Mkdir(folder, 0o700))
		require.NoError(
			t,
			os.WriteFile(filepath.Join(folder, "CommitLog-7-123.log"), c.bytes, 0o600),
		)
		require.NoError(
			t,
			os.WriteFile(filepath.Join(folder, "CommitLog-7-123_cdc.idx"), nil, 0o600),
		)
		logs, err := CommitLogs(data)
		require.NoError(t, err)
		require.Len(t, logs, 1)
		require.EqualValues(t, 123, logs[0].ID)
		at, opaque, err := logs[0].Mutations(table)
		require.NoError(t, err)
		require.Len(t, at, c.found, c.name)
		require.Equal(t, c.opaque, opaque, c.name)
	}
	logs, err := CommitLogs(filepath.Join(t.TempDir(), "data"))
	require.NoError(t, err)
	require.Empty(t, logs)
}
