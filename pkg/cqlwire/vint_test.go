package cqlwire

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/test/testkit"
)

func TestVints(t *testing.T) {
	for _, c := range []struct {
		v    int64
		wire string
	}{
		{0, "00"},
		{-1, "01"},
		{63, "7e"},
		{64, "8080"},
		{-65, "8081"},
		{8191, "bffe"},
		{8192, "c04000"},
		{math.MaxInt32, "f0fffffffe"},
		{1 << 54, "fe80000000000000"},
		{1 << 55, "ff0100000000000000"},
		{math.MaxInt64, "fffffffffffffffffe"},
		{math.MinInt64, "ffffffffffffffffff"},
	} {
		wire := AppendVint(nil, c.v)
		require.Equal(t, testkit.Unhex(t, c.wire), wire, c.v)
		v, n := Vint(append(wire, 0xaa))
		require.Equal(t, c.v, v)
		require.Equal(t, len(wire), n)
		_, n = Vint(wire[:len(wire)-1])
		require.Zero(t, n)
	}
}

// TestUvintOfTheSpecification checks the example in the specification of the protocol.
func TestUvintOfTheSpecification(t *testing.T) {
	wire := AppendUvint(nil, 256_000)
	require.Equal(t, []byte{0b110_00011, 0b11101000, 0b00000000}, wire)
	u, n := Uvint(wire)
	require.Equal(t, uint64(256_000), u)
	require.Equal(t, 3, n)
}

func TestUvintsOfNeedlessLengthAreNotRead(t *testing.T) {
	for _, wire := range []string{"", "8000", "807f", "c00000", "c03fff", "e0000000", "ff0000000000000000", "ff00ffffffffffffff"} {
		_, n := Uvint(testkit.Unhex(t, wire))
		require.Zero(t, n, wire)
	}
}
