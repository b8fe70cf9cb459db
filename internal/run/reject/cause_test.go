package reject

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/ingest"
)

// The first row of a cause is that of the least line, in whatever order parts of the input were
// read.
func TestFirstOfACause(t *testing.T) {
	var c Causes
	for _, line := range []int64{7052, 2, 40} {
		c.Add(ingest.Reject{File: "a", Line: line, Column: "n", Reason: "no int"})
	}
	c.Add(ingest.Reject{File: "b", Line: 1, Column: "n", Reason: "no int"})
	require.Len(t, c.List(), 1)
	require.Equal(t, int64(4), c.List()[0].Rows)
	require.Equal(t, "a", c.List()[0].First.File)
	require.Equal(t, int64(2), c.List()[0].First.Line)
}
