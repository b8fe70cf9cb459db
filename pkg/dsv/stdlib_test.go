package dsv

import (
	"bytes"
	"encoding/csv"
	"io"
	"testing"

	"github.com/stretchr/testify/require"
)

// FuzzStandardLibrary compares with encoding/csv on text that encoding/csv accepts. The text has no
// carriage returns, which encoding/csv changes inside quotes, and no byte order mark, which it
// reads as data.
func FuzzStandardLibrary(f *testing.F) {
	for _, s := range []string{
		"a,b\n1,2\n", "\"a\"\"b\",\"c\nd\"\n\n,\n", "\"\"\n", "x", "\n\n", "a,\"b,c\",\n\"\n\n\",é\n", ",,,\n\"\",\"\"",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if len(text) > 1<<16 || bytes.IndexByte(text, '\r') >= 0 ||
			bytes.HasPrefix(text, []byte("\xef\xbb\xbf")) {
			t.Skip()
		}
		r := csv.NewReader(bytes.NewReader(text))
		r.FieldsPerRecord = -1
		want, err := r.ReadAll()
		if err != nil {
			t.Skip()
		}
		var got [][]string
		s := NewSplitter(bytes.NewReader(text), DefaultFormat, Options{ChunkSize: 16})
		p := NewParser(DefaultFormat)
		for {
			c, err := s.Next(nil)
			if err == io.EOF {
				break
			}
			require.NoError(t, err)
			p.Reset(c)
			for p.Next() {
				rec := p.Record()
				require.NoError(t, rec.Err)
				var fields []string
				for _, field := range rec.Fields {
					fields = append(fields, string(field.Text))
				}
				got = append(got, fields)
			}
		}
		require.Equal(t, want, got)
	})
}
