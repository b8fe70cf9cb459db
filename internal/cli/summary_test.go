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
}
