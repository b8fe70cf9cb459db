package cqlwire

import (
	"fmt"

	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
)

// sizes are the lengths of the values of a type without elements. Bit n of exact allows length n.
// If atLeast is not negative, it allows every length from atLeast on.
type sizes struct {
	exact   uint32
	atLeast int
	words   string
}

func (s *sizes) allow(n int) bool {
	return n < 32 && s.exact>>n&1 != 0 || s.atLeast >= 0 && n >= s.atLeast
}

// zeroOr allows n bytes, at most 16, or none.
func zeroOr(n int) sizes {
	return sizes{exact: 1 | 1<<n, atLeast: -1, words: fmt.Sprintf("0 or %d bytes", n)}
}

// anySize allows every length.
var anySize = sizes{words: "any number of bytes"}

// exactly allows n bytes, at most 16.
func exactly(n int) sizes {
	return sizes{exact: 1 << n, atLeast: -1, words: fmt.Sprintf("%d bytes", n)}
}

// scalars are the layouts of the types that have neither elements nor a class.
var scalars = named([...]*Layout{
	cqltype.Ascii:   {sizes: anySize, valid: CheckASCII, fixed: -1},
	cqltype.Bigint:  {sizes: zeroOr(8), fixed: 8, emptyNull: true},
	cqltype.Blob:    {sizes: anySize, fixed: -1},
	cqltype.Boolean: {sizes: zeroOr(1), fixed: 1, emptyNull: true},
	cqltype.Counter: {sizes: exactly(8), fixed: -1}, // the number to add (cql3.Constants.Adder)
	cqltype.Date:    {sizes: exactly(4), fixed: -1},
	cqltype.Decimal: {
		sizes:     anySize,
		valid:     checkScale,
		whole:     wholeDecimal,
		fixed:     -1,
		emptyNull: true,
	},
	cqltype.Double: {sizes: zeroOr(8), fixed: 8, emptyNull: true},
	cqltype.Duration: {
		sizes: sizes{atLeast: 3, words: "at least 3 bytes"},
		valid: checkDuration,
		fixed: -1,
	},
	cqltype.Empty: {sizes: exactly(0), fixed: 0, emptyNull: true},
	cqltype.Float: {sizes: zeroOr(4), fixed: 4, emptyNull: true},
	cqltype.Inet: {
		sizes:     sizes{exact: 1 | 1<<4 | 1<<16, atLeast: -1, words: "0, 4 or 16 bytes"},
		fixed:     -1,
		emptyNull: true,
	},
	cqltype.Int:       {sizes: zeroOr(4), fixed: 4, emptyNull: true},
	cqltype.Smallint:  {sizes: exactly(2), fixed: -1},
	cqltype.Text:      {sizes: anySize, valid: CheckUTF8, whole: wholeText, fixed: -1},
	cqltype.Time:      {sizes: exactly(8), fixed: -1},
	cqltype.Timestamp: {sizes: zeroOr(8), fixed: 8, emptyNull: true},
	cqltype.TimeUUID:  {sizes: zeroOr(16), valid: checkTimeUUID, fixed: 16, emptyNull: true},
	cqltype.Tinyint:   {sizes: exactly(1), fixed: -1},
	cqltype.UUID:      {sizes: zeroOr(16), fixed: 16, emptyNull: true},
	cqltype.Varint:    {sizes: anySize, fixed: -1, emptyNull: true},
})

// named sets the name and kind of each layout according to its index, and its plain lengths.
func named(layouts [cqltype.Varint + 1]*Layout) [cqltype.Varint + 1]*Layout {
	for kind := cqltype.Ascii; kind <= cqltype.Varint; kind++ {
		l := layouts[kind]
		l.name, l.kind = kind.String(), kind
		if l.valid == nil && l.whole == nil {
			l.plain = l.sizes.exact
		}
	}
	return layouts
}

// Scalar returns a copy of the layout of a type without elements and class, from cqltype.Ascii to
// cqltype.Varint. It panics for any other kind.
func Scalar(kind cqltype.Kind) Layout { return *scalars[kind] }

// AllowsSize reports whether a value may have n bytes. For a type with elements it always returns
// true.
func (l *Layout) AllowsSize(n int) bool { return l.sizes.allow(n) }

// FixedLen returns the number of bytes of each value of the type inside a vector, where such values
// have no length. It returns -1 if each has its length before it. It follows
// AbstractType.valueLengthIfFixed of Cassandra 5.0, where counter, date, smallint, time and tinyint
// have no fixed length.
func (l *Layout) FixedLen() int { return l.fixed }
