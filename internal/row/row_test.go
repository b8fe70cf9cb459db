package row

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSize(t *testing.T) {
	require.Zero(t, Row{}.Size())
	require.Equal(t, 5, Row{Cells: []Cell{
		{
			Bytes: []byte("abc"),
			State: Set,
		},
		{},
		{State: Null},
		{Bytes: []byte{}, State: Set},
		{Bytes: []byte("de"), State: Set},
	}}.Size())
}

// A cell that was forgotten writes nothing.
func TestZeroCellIsUnset(t *testing.T) { require.Equal(t, Unset, Cell{}.State) }
