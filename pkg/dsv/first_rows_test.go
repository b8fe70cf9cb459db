package dsv

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestFirstRows(t *testing.T) {
	escaped := Format{Delimiter: ',', Quote: '"', Escape: '\\'}
	for _, tc := range []struct {
		format Format
		rows   []string
	}{
		{DefaultFormat, []string{"1,a\n", "2,\"x\ny\"\n", "3,\"\"\"\n\"\"\"\r\n", "\n", "\"\"\n", "4\\,b\n"}},
		{escaped, []string{"1,a\\\"b\n", "2,\"x\ny\\\"\n\"\n", "3,x\\\ny\r\n", "\\\\\n", "4\n"}},
		{Format{Delimiter: '\t', Quote: '\''}, []string{"1\t'\n'\n", "2\t\"\n"}},
	} {
		text := ""
		for _, row := range tc.rows {
			text += row
		}
		length := 0
		for i, row := range tc.rows {
			require.Equal(t, length, tc.format.FirstRows([]byte(text), i), "%q", text)
			length += len(row)
		}
		require.Equal(t, len(text), tc.format.FirstRows([]byte(text), len(tc.rows)))
		require.Equal(t, len(text), tc.format.FirstRows([]byte(text), len(tc.rows)+1))
	}
}
