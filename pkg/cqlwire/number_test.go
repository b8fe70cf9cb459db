package cqlwire

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/test/testkit"
)

// TestBigIntsLikeMathBig compares the two's complement bytes with the results of math/big.
func TestBigIntsLikeMathBig(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 20000 {
		n := new(big.Int).SetUint64(r.Uint64())
		n.Mul(n, new(big.Int).SetUint64(r.Uint64())).Rsh(n, uint(r.IntN(128)))
		if r.IntN(2) == 0 {
			n.Neg(n)
		}
		wire := AppendBigInt(nil, n)
		require.True(t, Minimal(wire))
		require.Zero(t, n.Cmp(BigInt(wire)))
		if n.IsInt64() {
			require.Equal(t, wire, AppendInt(nil, n.Int64()))
			require.Equal(t, n.Int64(), Int(wire))
		}
	}
}

func TestIntegers(t *testing.T) {
	for _, c := range []struct {
		v    int64
		wire string
	}{
		{0, "00"}, {127, "7f"}, {128, "0080"}, {-128, "80"}, {-129, "ff7f"}, {32768, "008000"},
		{math.MaxInt64, "7fffffffffffffff"}, {math.MinInt64, "8000000000000000"},
	} {
		require.Equal(t, testkit.Unhex(t, c.wire), AppendInt(nil, c.v))
		require.Equal(t, c.v, Int(testkit.Unhex(t, c.wire)))
		require.True(t, Minimal(testkit.Unhex(t, c.wire)))
	}
	for _, wire := range []string{"", "0000", "007f", "ff80", "ffff"} {
		require.False(t, Minimal(testkit.Unhex(t, wire)), wire)
	}
}

func TestDecimals(t *testing.T) {
	scale, unscaled, ok := Decimal(append(AppendScale(nil, math.MinInt32), 0x0a))
	require.True(t, ok)
	require.Equal(t, int32(math.MinInt32), scale)
	require.Equal(t, []byte{0x0a}, unscaled)
	_, _, ok = Decimal(AppendScale(nil, 2))
	require.False(t, ok)
}

func TestDurations(t *testing.T) {
	for _, c := range []struct {
		months, days int32
		nanos        int64
		wire         string
	}{
		{0, 0, 0, "000000"},
		{14, 3, 1, "1c0602"},
		{-14, -3, -1, "1b0501"},
		{math.MaxInt32, math.MinInt32, math.MinInt64, "f0fffffffe f0ffffffff ffffffffffffffffff"},
	} {
		wire := AppendDuration(nil, c.months, c.days, c.nanos)
		require.Equal(t, testkit.Unhex(t, c.wire), wire)
		months, days, nanos, ok := Duration(wire)
		require.True(t, ok)
		require.Equal(
			t,
			[]int64{int64(c.months), int64(c.days), c.nanos},
			[]int64{int64(months), int64(days), nanos},
		)
	}
	for what, wire := range map[string]string{
		"two vints": "0000", "a byte too many": "00000000", "a long zero": "800000 00", "33 bits of months": "f100000000 00 00",
		"33 bits of days": "00 f100000000 00",
	} {
		_, _, _, ok := Duration(testkit.Unhex(t, wire))
		require.False(t, ok, what)
	}
}
