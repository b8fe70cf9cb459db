package cqlorder

import (
	"cmp"
	"encoding/binary"
	"math"
	"math/big"
	"math/bits"
	"sync"

	"github.com/cqlbulk/cqlbulk/pkg/cqlwire"
)

// minimal removes the needless leading bytes of a two's complement number.
func minimal(n []byte) []byte {
	for !cqlwire.Minimal(n) {
		n = n[1:]
	}
	return n
}

// compareVarint compares two's complement numbers of any length.
func compareVarint(a, b []byte) int {
	a, b = minimal(a), minimal(b)
	negative := a[0] >= 0x80
	switch {
	case negative != (b[0] >= 0x80) || len(a) == len(b):
		return compareSigned(a, b)
	case negative:
		return cmp.Compare(len(b), len(a))
	default:
		return cmp.Compare(len(a), len(b))
	}
}

// compareDecimal compares unscaled / 10^scale. It never builds a number with more digits than the
// longer one.
func compareDecimal(a, b []byte) int {
	scaleA, a2, okA := cqlwire.Decimal(a)
	scaleB, b2, okB := cqlwire.Decimal(b)
	if !okA || !okB {
		return compareMalformed(a, b, !okA, !okB)
	}
	a, b = minimal(a2), minimal(b2)
	signA, signB := sign(a), sign(b)
	if signA != signB || signA == 0 {
		return cmp.Compare(signA, signB)
	}
	if scaleA == scaleB {
		return compareVarint(a, b)
	}
	shift := int64(scaleB) - int64(scaleA) // a has that many more digits
	if len(a) <= 8 && len(b) <= 8 {
		return signA * compareShifted(abs(a), abs(b), shift)
	}
	// The logarithms have errors below 1e-5: the exponents are below 2^35, the fractions of a
	// float64 are 2^-52.
	difference := log2(a) - log2(b) + float64(shift)*math.Log2(10)
	const sure = 1e-4
	switch {
	case difference > sure:
		return signA
	case difference < -sure:
		return -signA
	default:
		return compareExactly(a, b, shift)
	}
}

// sign returns the sign of a two's complement number without needless leading bytes.
func sign(n []byte) int {
	switch {
	case n[0] >= 0x80:
		return -1
	case n[0] == 0 && len(n) == 1:
		return 0
	default:
		return 1
	}
}

// abs returns the magnitude of a number of at most 8 bytes.
func abs(n []byte) uint64 {
	v := cqlwire.Int(n)
	if v < 0 {
		return -uint64(v)
	}
	return uint64(v)
}

// compareShifted compares a * 10^shift with b. Neither a nor b is 0.
func compareShifted(a, b uint64, shift int64) int {
	if shift < 0 {
		return -compareShifted(b, a, -shift)
	}
	if shift >= int64(len(powersOf10)) {
		return 1
	}
	high, low := bits.Mul64(a, powersOf10[shift])
	if high > 0 {
		return 1
	}
	return cmp.Compare(low, b)
}

// powersOf10 are the powers of ten below 2^64.
var powersOf10 = func() (p [20]uint64) {
	p[0] = 1
	for i := 1; i < len(p); i++ {
		p[i] = 10 * p[i-1]
	}
	return p
}()

// log2 returns the binary logarithm of the magnitude of n. n must not be 0 or have needless leading
// bytes.
func log2(n []byte) float64 {
	if len(n) <= 8 {
		return math.Log2(float64(abs(n)))
	}
	// For a negative number, this is the first bits of the magnitude, or that plus one.
	top := int64(binary.BigEndian.Uint64(n))
	if top < 0 {
		top = -top
	}
	return math.Log2(float64(top)) + float64(8*(len(n)-8))
}

// bigs are reusable numbers.
type bigs struct{ a, b, ten, power, shift, product, modulus big.Int }

var bigPool = sync.Pool{New: func() any { return new(bigs) }}

// compareExactly compares a * 10^shift with b. Both have the same sign and nearly the same
// magnitude, so shift is close to the difference of their numbers of digits.
func compareExactly(a, b []byte, shift int64) int {
	if shift < 0 {
		return -compareExactly(b, a, -shift)
	}
	t := bigPool.Get().(*bigs)
	defer bigPool.Put(t)
	t.power.Exp(t.ten.SetInt64(10), t.shift.SetInt64(shift), nil)
	t.read(&t.a, a)
	t.read(&t.b, b)
	return t.product.Mul(&t.a, &t.power).Cmp(&t.b)
}

// read is cqlwire.BigInt into an existing number.
func (t *bigs) read(z *big.Int, n []byte) {
	z.SetBytes(n)
	if n[0] >= 0x80 {
		z.Sub(z, t.modulus.Lsh(t.modulus.SetInt64(1), uint(8*len(n))))
	}
}
