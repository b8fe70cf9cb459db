package token

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

func bigOf(t Token) *big.Int {
	v := new(big.Int).SetUint64(t.Hi)
	return v.Lsh(v, 64).Or(v, new(big.Int).SetUint64(t.Lo))
}

func TestTokenOrder(t *testing.T) {
	ascending := []Token{
		{},
		{0, 1},
		{0, math.MaxUint64},
		{1, 0},
		{1, 1},
		{math.MaxUint64, 0},
		{math.MaxUint64, math.MaxUint64},
	}
	for i, a := range ascending {
		for j, b := range ascending {
			want := bigOf(a).Cmp(bigOf(b))
			require.Equal(t, want, a.Compare(b), "%v %v", a, b)
			require.Equal(t, i < j, a.Less(b), "%v %v", a, b)
		}
	}
}

func TestTokenArithmetic(t *testing.T) {
	source := rand.New(rand.NewPCG(1, 1))
	word := func() uint64 {
		switch source.IntN(4) {
		case 0:
			return 0
		case 1:
			return math.MaxUint64
		}
		return source.Uint64()
	}
	modulus := new(big.Int).Lsh(big.NewInt(1), 128)
	for range 2000 {
		a, b, m := Token{word(), word()}, Token{word(), word()}, word()
		d := word() | 1
		ba, bb := bigOf(a), bigOf(b)

		sum := new(big.Int).Add(ba, bb)
		require.Zero(t, bigOf(a.add(b)).Cmp(sum.Mod(sum, modulus)))

		difference := new(big.Int).Sub(ba, bb)
		require.Zero(t, bigOf(a.sub(b)).Cmp(difference.Mod(difference, modulus)))

		product := new(big.Int).Mul(ba, new(big.Int).SetUint64(m))
		product.Add(product, new(big.Int).SetUint64(d))
		got, fits := a.mulAdd(m, d)
		require.Equal(t, product.BitLen() <= 128, fits, "%v*%d+%d", a, m, d)
		require.Zero(t, bigOf(got).Cmp(product.Mod(product, modulus)))

		quotient, remainder := new(big.Int).QuoRem(ba, new(big.Int).SetUint64(d), new(big.Int))
		q, r := a.div(d)
		require.Zero(t, bigOf(q).Cmp(quotient))
		require.Equal(t, remainder.Uint64(), r)

		n := uint(source.IntN(128))
		require.Zero(t, bigOf(a.shr(n)).Cmp(new(big.Int).Rsh(ba, n)))
		require.Equal(t, ba.BitLen(), a.bitLen())
	}
}
