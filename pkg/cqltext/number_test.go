package cqltext

import (
	"encoding/binary"
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/pkg/cqlwire"
)

// decimalWire returns the wire value of unscaled / 10^scale.
func decimalWire(t testing.TB, unscaled string, scale int32) []byte {
	t.Helper()
	n, ok := new(big.Int).SetString(unscaled, 10)
	require.True(t, ok)
	return cqlwire.AppendBigInt(binary.BigEndian.AppendUint32(nil, uint32(scale)), n)
}

// TestDecimalsLikeJava checks the texts that Java 17 prints for new BigDecimal(unscaled, scale).
func TestDecimalsLikeJava(t *testing.T) {
	for _, c := range []struct {
		unscaled string
		scale    int32
		text     string
	}{
		{"0", 0, "0"},
		{"0", 2, "0.00"},
		{"0", 6, "0.000000"},
		{"0", 7, "0E-7"},
		{"0", 18, "0E-18"},
		{"0", -3, "0E+3"},
		{"0", -400, "0E+400"},
		{"10", 2, "0.10"},
		{"123", 0, "123"},
		{"-123", 0, "-123"},
		{"123", -1, "1.23E+3"},
		{"123", -3, "1.23E+5"},
		{"123", 1, "12.3"},
		{"123", 5, "0.00123"},
		{"123", 10, "1.23E-8"},
		{"-123", 12, "-1.23E-10"},
		{"1", 6, "0.000001"},
		{"1", 7, "1E-7"},
		{"12", 7, "0.0000012"},
		{"1", -10, "1E+10"},
		{"1", -40, "1E+40"},
		{"1", 400, "1E-400"},
		{"12345678901234567890", 18, "12.345678901234567890"},
		{"-12345678901234567890", 0, "-12345678901234567890"},
		{"12345678901234567890", 40, "1.2345678901234567890E-21"},
		{"12345678901234567890", -40, "1.2345678901234567890E+59"},
		{"12345678901234567890", 400, "1.2345678901234567890E-381"},
		{"999999999999999999", 0, "999999999999999999"},
		{"9223372036854775808", 2, "92233720368547758.08"},
		{"-1000000", 400, "-1.000000E-394"},
		{"1", math.MaxInt32, "1E-2147483647"},
		{"1", math.MinInt32, "1E+2147483648"},
		{"-123", math.MaxInt32, "-1.23E-2147483645"},
		{"-123", math.MinInt32, "-1.23E+2147483650"},
		{"12345678901234567890", math.MinInt32, "1.2345678901234567890E+2147483667"},
	} {
		wire := decimalWire(t, c.unscaled, c.scale)
		got, err := toText(t, &decimalCodec, wire)
		require.NoError(t, err)
		require.Equal(t, c.text, got)
		back, err := toWire(t, &decimalCodec, c.text)
		require.NoError(t, err)
		require.Equal(t, string(wire), back, c.text)
	}
}

// TestDecimalsReadLikeJava checks the numbers that Java 17 reads with new BigDecimal(text).
func TestDecimalsReadLikeJava(t *testing.T) {
	for _, c := range []struct {
		in       string
		unscaled string
		scale    int32
	}{
		{"1.", "1", 0},
		{"+.5", "5", 1},
		{"-0", "0", 0},
		{"-0.00", "0", 2},
		{"1e5", "1", -5},
		{"1E-7", "1", 7},
		{"007.10", "710", 2},
		{"1e+2147483647", "1", -math.MaxInt32},
		{"1e-2147483647", "1", math.MaxInt32},
		{"0e400", "0", -400},
		{"12345.678e3", "12345678", 0},
		{"0.000000000000000000000000000001", "1", 30},
		{"123456789.0123456789", "1234567890123456789", 10},
		{"1234567890123456789.", "1234567890123456789", 0},
		{" 0x000000020a ", "10", 2},
	} {
		got, err := toWire(t, &decimalCodec, c.in)
		require.NoError(t, err, c.in)
		require.Equal(t, string(decimalWire(t, c.unscaled, c.scale)), got, c.in)
	}
}

// TestOddDecimals checks values that Cassandra would not write for a BigDecimal.
func TestOddDecimals(t *testing.T) {
	for _, wire := range []string{"", "00000000", "000000000000", "00000000ffff", "000000000001"} {
		exact(t, "decimal", wire, "0x"+wire)
	}
}

// TestLongNumbers checks numbers on both sides of the longest that is written in digits.
func TestLongNumbers(t *testing.T) {
	most := append([]byte{0x7f}, make([]byte, maxVarintBytes-1)...)
	text, err := toText(t, &varintCodec, most)
	require.NoError(t, err)
	require.Less(t, len(text), maxDigits)
	back, err := toWire(t, &varintCodec, text)
	require.NoError(t, err)
	require.Equal(t, string(most), back)

	for _, c := range []struct {
		codec Codec
		wire  []byte
	}{
		{&varintCodec, append(most, 0)},
		{&decimalCodec, append(append([]byte{0, 0, 0, 1}, most...), 0)},
	} {
		text, err = toText(t, c.codec, c.wire)
		require.NoError(t, err)
		require.True(t, strings.HasPrefix(text, "0x"))
		back, err = toWire(t, c.codec, text)
		require.NoError(t, err)
		require.Equal(t, string(c.wire), back)
	}

	tooMany := strings.Repeat("9", maxDigits+1)
	for _, c := range []Codec{&varintCodec, &decimalCodec} {
		_, err = toWire(t, c, tooMany)
		require.ErrorContains(t, err, "more than 160000 digits")
		// Leading zeros do not count.
		wire, err := toWire(t, c, strings.Repeat("0", maxDigits)+"1")
		require.NoError(t, err)
		require.Equal(t, byte(1), wire[len(wire)-1])
	}
}

// TestVarintsLikeMathBig compares the texts of varints of all lengths with math/big.
func TestVarintsLikeMathBig(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 20000 {
		n := new(big.Int).SetUint64(r.Uint64())
		n.Mul(n, new(big.Int).SetUint64(r.Uint64())).Rsh(n, uint(r.IntN(128)))
		if r.IntN(2) == 0 {
			n.Neg(n)
		}
		wire := cqlwire.AppendBigInt(nil, n)
		text, err := toText(t, &varintCodec, wire)
		require.NoError(t, err)
		require.Equal(t, n.String(), text)
	}
}

// TestFloatsRoundTrip checks random bit patterns, including NaNs.
func TestFloatsRoundTrip(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 50000 {
		w32 := binary.BigEndian.AppendUint32(nil, r.Uint32())
		w64 := binary.BigEndian.AppendUint64(nil, r.Uint64())
		for _, c := range []struct {
			codec Codec
			wire  []byte
		}{{&floatCodec, w32}, {&doubleCodec, w64}} {
			text, err := c.codec.AppendText(nil, c.wire)
			require.NoError(t, err)
			back, err := c.codec.AppendWire(nil, text)
			require.NoError(t, err)
			require.Equal(t, c.wire, back, string(text))
		}
	}
}
