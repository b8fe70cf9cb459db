package cli

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/operation"
)

// One replica has nothing to agree with.
func TestLevelNote(t *testing.T) {
	require.Empty(t, levelNote(operation.Report{Consistency: "TWO"}))
	require.Equal(t, "; consistency TWO", levelNote(operation.Report{Consistency: "TWO", Replicated: true}))
	require.Equal(t, "; SSTables: 3", levelNote(operation.Report{SSTables: 3}))
	require.Equal(t, "; SSTables: 1,200 of snapshot a, b", levelNote(operation.Report{SSTables: 1200, Snapshots: []string{"a", "b"}}))
}
