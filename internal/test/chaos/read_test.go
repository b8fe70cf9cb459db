package chaos

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/test/simcluster"
)

// noValue is how null is shown.
const noValue = "\x00null"

// shown is a value in the one form that rows are compared in.
func shown(typ string, wire []byte) string {
	switch {
	case wire == nil:
		return noValue
	case typ == "bigint":
		return fmt.Sprint(int64(binary.BigEndian.Uint64(wire)))
	case typ == "int":
		return fmt.Sprint(int32(binary.BigEndian.Uint32(wire)))
	case typ == "boolean":
		return fmt.Sprint(wire[0] == 1)
	case typ == "blob":
		return "0x" + hex.EncodeToString(wire)
	default:
		return string(wire)
	}
}

// decompress reads a file as its name says.
func decompress(t *testing.T, path string) []byte {
	return decompressAs(t, path, filepath.Ext(path))
}

// decompressAs decompresses a file as if its name had that ending.
func decompressAs(t *testing.T, path, ending string) []byte {
	f, err := os.Open(path)
	require.NoError(t, err)
	defer f.Close()
	var in io.Reader = f
	switch ending {
	case ".gz":
		in, err = gzip.NewReader(f)
	case ".zst":
		var d *zstd.Decoder
		d, err = zstd.NewReader(f)
		if err == nil {
			defer d.Close()
		}
		in = d
	case ".lz4":
		in = lz4.NewReader(f)
	}
	require.NoError(t, err)
	text, err := io.ReadAll(in)
	require.NoError(t, err, path)
	return text
}

// readDelimited reads rows of fields, the first of them the names of the columns.
func readDelimited(
	t *testing.T,
	text []byte,
	delimiter byte,
	columns []simcluster.Column,
) []string {
	var rows []string
	for first := true; len(text) > 0; first = false {
		var fields []string
		for more := true; more; {
			var field string
			field, text, more = nextField(t, text, delimiter)
			fields = append(fields, field)
		}
		require.Len(t, fields, len(columns))
		if !first {
			rows = append(rows, fmt.Sprintf("%q", fields))
			continue
		}
		for i, c := range columns {
			require.Equal(t, c.Name, fields[i], "header")
		}
	}
	return rows
}

// nextField takes a field off a text. more says that it is not the last of its row.
func nextField(t *testing.T, text []byte, delimiter byte) (field string, rest []byte, more bool) {
	end := 0
	if bytes.HasPrefix(text, []byte{'"'}) {
		var value []byte
		for end = 1; ; end++ {
			if end == len(text) {
				t.Fatal("a quote is never closed")
			}
			if text[end] == '"' {
				if end++; end == len(text) || text[end] != '"' {
					break
				}
			}
			value = append(value, text[end])
		}
		field = string(value)
	} else {
		if end = bytes.IndexAny(text, string(delimiter)+"\n"); end < 0 {
			t.Fatal("the last row is cut short")
		}
		if field = string(text[:end]); end == 0 {
			field = noValue
		}
	}
	if end >= len(text) || text[end] != delimiter && text[end] != '\n' {
		t.Fatalf("the text ends, or continues, behind field %q", field)
	}
	return field, text[end+1:], text[end] == delimiter
}

// readObjects reads lines of JSON.
func readObjects(t *testing.T, text []byte, columns []simcluster.Column) []string {
	var rows []string
	for line := range bytes.Lines(text) {
		require.Equal(t, byte('\n'), line[len(line)-1], "the last row is cut short")
		decoder := json.NewDecoder(bytes.NewReader(line))
		decoder.UseNumber()
		object := make(map[string]any)
		require.NoError(t, decoder.Decode(&object))
		require.Len(t, object, len(columns))
		var fields []string
		for _, c := range columns {
			value, ok := object[c.Name]
			require.True(t, ok, c.Name)
			if value == nil {
				value = noValue
			}
			fields = append(fields, fmt.Sprint(value))
		}
		rows = append(rows, fmt.Sprintf("%q", fields))
	}
	return rows
}
