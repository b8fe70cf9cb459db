package token

import "math/bits"

// Token is a position on the ring of any partitioner: an unsigned 128-bit number in the order of
// the partitioner's tokens. For a Murmur3 token t, Lo is uint64(t)^(1<<63) and Hi is zero. A Random
// token t is stored as t+1, so that its minimum, -1, is zero. The zero Token is the minimum of
// both.
//
// Tokens are comparable with == and can be map keys. Tokens of different partitioners must not be
// mixed: a Token does not record its partitioner.
type Token struct{ Hi, Lo uint64 }

// Compare returns -1, 0 or +1 if t is before, equal to or after u.
func (t Token) Compare(u Token) int {
	switch {
	case t.Less(u):
		return -1
	case t == u:
		return 0
	}
	return 1
}

// Less reports whether t is before u.
func (t Token) Less(u Token) bool {
	return t.Hi < u.Hi || t.Hi == u.Hi && t.Lo < u.Lo
}

// add returns t+u modulo 2^128.
func (t Token) add(u Token) Token {
	lo, carry := bits.Add64(t.Lo, u.Lo, 0)
	hi, _ := bits.Add64(t.Hi, u.Hi, carry)
	return Token{hi, lo}
}

// sub returns t-u modulo 2^128.
func (t Token) sub(u Token) Token {
	lo, borrow := bits.Sub64(t.Lo, u.Lo, 0)
	hi, _ := bits.Sub64(t.Hi, u.Hi, borrow)
	return Token{hi, lo}
}

// shr returns t shifted right by n bits, 0 <= n < 128.
func (t Token) shr(n uint) Token {
	if n >= 64 {
		return Token{0, t.Hi >> (n - 64)}
	}
	return Token{t.Hi >> n, t.Lo>>n | t.Hi<<(64-n)}
}

// mulAdd returns t*m+a and reports whether the result fits in 128 bits.
func (t Token) mulAdd(m, a uint64) (Token, bool) {
	carry, lo := bits.Mul64(t.Lo, m)
	over, hi := bits.Mul64(t.Hi, m)
	lo, c := bits.Add64(lo, a, 0)
	hi, c = bits.Add64(hi, carry, c)
	return Token{hi, lo}, over == 0 && c == 0
}

// div returns the quotient and the remainder of t divided by d. d must not be 0.
func (t Token) div(d uint64) (Token, uint64) {
	hi, rem := bits.Div64(0, t.Hi, d)
	lo, rem := bits.Div64(rem, t.Lo, d)
	return Token{hi, lo}, rem
}

// bitLen returns the number of bits needed to write t; 0 for 0.
func (t Token) bitLen() int {
	if t.Hi != 0 {
		return 64 + bits.Len64(t.Hi)
	}
	return bits.Len64(t.Lo)
}

// float returns t rounded to a float64.
func (t Token) float() float64 {
	return float64(t.Hi)*0x1p64 + float64(t.Lo)
}
