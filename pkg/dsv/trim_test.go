package dsv

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// trimmed are formats in which blanks around fields are no part of them. In two of them a blank has
// another meaning.
var trimmed = []Format{
	{Delimiter: ',', Quote: '"', Trim: true},
	{Delimiter: ',', Quote: '"', Escape: '\\', Trim: true},
	{Delimiter: '\t', Quote: '"', Trim: true},
	{Delimiter: ',', Quote: ' ', Escape: '\t', Trim: true},
}

func TestBlanksAroundFieldsAreTrimmed(t *testing.T) {
	const in = " k ,\tv\n \t\n1 , \" a, \"\"b \" \r\n2\t,a b  \n3,   \n4, \"x\ny\" \n5,a\\ \n  6"
	for i, escape := range []byte{0, '\\'} {
		f := Format{Delimiter: ',', Quote: '"', Escape: escape, Trim: true}
		last := []string{"5|a\\", "5|a "}[i]
		for _, chunk := range []int{1, 7, 1 << 10} {
			got, lines := texts(t, f, strings.NewReader(in), chunk)
			require.Equal(t,
				[]string{"k|v", "1| a, \"b ", "2|a b", "3|", "4|x\ny", last, "6"}, got)
			require.Equal(t, []int64{1, 3, 4, 5, 6, 8, 9}, lines)
		}
	}
	got, _ := texts(t, Format{Delimiter: '\t', Quote: '"', Trim: true},
		strings.NewReader(" a \t \"b\" \t\t c\n"), 8)
	require.Equal(t, []string{"a|b||c"}, got)
	got, _ = texts(t, Format{Delimiter: ';', Quote: '"', Trim: true, Trailing: true},
		strings.NewReader("a; b ; \n"), 8)
	require.Equal(t, []string{"a|b"}, got)
}

func TestPlacesOfTrimmedFields(t *testing.T) {
	p := NewParser(trimmed[0])
	p.Reset(Chunk{Data: []byte("a,  b ,\t\"c\" ,  \n \"d\" e\n"), Line: 1})
	require.True(t, p.Next())
	r := p.Record()
	require.Equal(t, "a,  b ,\t\"c\" ,  \n", string(r.Raw))
	for i, want := range []int{1, 5, 9, 16} {
		_, column := r.FieldPosition(i)
		require.Equal(t, want, column)
	}
	require.True(t, r.Fields[2].Quoted)
	require.False(t, r.Fields[3].Quoted)
	require.Empty(t, r.Fields[3].Text)
	require.True(t, p.Next())
	require.EqualError(t, p.Record().Err,
		`line 2, column 6: closing quote is followed by "e", not by a delimiter or a line end`)
}

// A long run of blanks is read a bounded number of times.
func TestManyBlanks(t *testing.T) {
	blanks := strings.Repeat(" ", 4<<20)
	for _, f := range trimmed[:2] {
		in := blanks + "\"a\"" + blanks + "," + blanks + "\"b\"\n" + blanks
		s := NewSplitter(strings.NewReader(in), f, Options{ChunkSize: 4096})
		var all bytes.Buffer
		records := 0
		for {
			c, err := s.Next(nil)
			if err == io.EOF {
				break
			}
			require.NoError(t, err)
			records += c.Records
			all.Write(c.Data)
		}
		require.Equal(t, 1, records)
		require.Equal(t, in, all.String())
	}
}
