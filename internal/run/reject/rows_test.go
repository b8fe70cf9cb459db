package reject

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/ingest"
)

// The rows of all files stand in one text: without headers, without those in doubt, and with lines
// that are no record at the end.
func TestWriteRows(t *testing.T) {
	d := folder(t)
	for _, r := range []ingest.Reject{
		{Header: []byte("k,v\r\n"), Raw: []byte("x,\"never closed\n"), Broken: true},
		{Header: []byte("k,v\r\n"), Raw: []byte("1,\"x\n\xff\"\r\n")},
		{Header: []byte("k,v\r\n"), Raw: []byte("maybe\n"), Stage: ingest.InDoubt},
		{Header: []byte("k"), Raw: []byte("after a header without a line end")},
		{Header: []byte("k\r"), Raw: []byte("after one that ends in CR\n")},
		{Raw: []byte("no header\n")},
		{Header: []byte("k,v\r\n"), Raw: []byte("2,\n")},
	} {
		require.NoError(t, d.Add([]ingest.Reject{r}))
	}
	long := ingest.Reject{Header: []byte("k,v\r\n"), Raw: []byte("3,a long "), Long: true}
	require.NoError(t, d.AddPiece(long, true, false))
	long.Raw = []byte("row\n")
	require.NoError(t, d.AddPiece(long, false, true))
	require.NoError(t, d.Add([]ingest.Reject{long}))
	require.NoError(t, d.Close())
	var text strings.Builder
	require.NoError(t, d.WriteRows(&text))
	require.Equal(t,
		"after a header without a line end\nafter one that ends in CR\nno header\n"+
			"3,a long row\n1,\"x\n\xff\"\r\n2,\nx,\"never closed\n",
		text.String())

	text.Reset()
	require.NoError(t, NewUnkept().WriteRows(&text))
	require.Empty(t, text.String())
}
