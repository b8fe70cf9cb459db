//go:build integration

package integration

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
	"github.com/cqlbulk/cqlbulk/pkg/cqlwire"
)

// valueUDTs are user types for values, each after those that are in it.
var valueUDTs = []string{
	`CREATE TYPE IF NOT EXISTS it1.value_plain (a ascii, b bigint, c blob, d boolean, e date, f decimal, g double, h duration, i float)`,
	`CREATE TYPE IF NOT EXISTS it1.value_keys (a inet, b int, c smallint, d text, e time, f timestamp, g timeuuid, h tinyint, i uuid, j varint, k decimal)`,
	`CREATE TYPE IF NOT EXISTS it1.value_deep (a frozen<list<frozen<value_keys>>>, b frozen<set<decimal>>, c frozen<map<text, frozen<tuple<timeuuid>>>>)`,
}

// valueScalars are the types without elements that any column may have.
var valueScalars = strings.Fields(
	`ascii bigint blob boolean date decimal double duration float inet int smallint text time
	timestamp timeuuid tinyint uuid varint`,
)

// valueTypes makes types in CQL.
type valueTypes struct {
	r       *rand.Rand
	vectors bool
}

// scalar is one that may be in a set, and a key, where it is to be.
func (v *valueTypes) scalar(ordered bool) string {
	for {
		if s := valueScalars[v.r.IntN(len(valueScalars))]; !ordered || s != "duration" {
			return s
		}
	}
}

// random is a type nested so deep, frozen where it may be.
func (v *valueTypes) random(depth int, ordered bool) string {
	if depth == 0 {
		return v.scalar(ordered)
	}
	kinds := 7
	if !v.vectors {
		kinds--
	}
	kind := v.r.IntN(kinds)
	return v.around(kind, v.random(depth-1, ordered || kind == 1 || kind == 2), ordered)
}

// around is a type of the given kind with another one in it.
func (v *valueTypes) around(kind int, elem string, ordered bool) string {
	switch kind {
	case 0:
		return "frozen<list<" + elem + ">>"
	case 1:
		return "frozen<set<" + elem + ">>"
	case 2:
		return "frozen<map<" + elem + ", " + v.scalar(ordered) + ">>"
	case 3:
		return "frozen<map<" + v.scalar(true) + ", " + elem + ">>"
	case 4:
		return "frozen<tuple<" + v.scalar(ordered) + ", " + elem + ">>"
	case 5:
		if ordered {
			return "frozen<tuple<" + elem + ", frozen<value_keys>>>"
		}
		return "frozen<tuple<" + elem + ", frozen<value_plain>, frozen<value_deep>>>"
	default:
		return fmt.Sprintf("vector<%s, %d>", elem, 1+v.r.IntN(3))
	}
}

// columns are the types of a table's columns: each one without elements, each kind around each of
// those, or some of them, and deeper ones. Of each second one that may be, the type is not frozen.
func (v *valueTypes) columns(ordered bool, each, deep int) []string {
	var all []string
	for _, s := range valueScalars {
		if !ordered || s != "duration" {
			all = append(all, s)
		}
	}
	for kind := range 7 {
		for _, i := range v.r.Perm(len(valueScalars))[:each] {
			s := valueScalars[i]
			if s == "duration" && (ordered || kind == 1 || kind == 2) || kind == 6 && !v.vectors {
				continue
			}
			all = append(all, v.around(kind, s, ordered))
		}
	}
	for i := range deep {
		all = append(all, v.random(2+i%2, ordered))
	}
	if !ordered {
		all = append(
			all,
			"frozen<value_plain>",
			"frozen<value_deep>",
			"frozen<value_keys>",
			"frozen<value_plain>",
			"frozen<value_deep>",
			"frozen<value_keys>",
		)
		for i := range all {
			inner, frozen := strings.CutPrefix(all[i], "frozen<")
			if frozen && i%2 == 1 && !strings.HasPrefix(inner, "tuple") {
				all[i] = strings.TrimSuffix(inner, ">")
			}
		}
	}
	return all
}

// valueMaker makes values of types, as bytes. Each part is wrong with a probability of bad.
type valueMaker struct {
	r   *rand.Rand
	bad float64
}

func (v *valueMaker) wrong() bool { return v.r.Float64() < v.bad }

func (v *valueMaker) bytes(n int) []byte {
	b := make([]byte, n)
	switch v.r.IntN(4) {
	case 0:
	case 1:
		for i := range b {
			b[i] = 0xff
		}
	default:
		for i := range b {
			b[i] = byte(v.r.Uint32())
		}
	}
	return b
}

// some is one of the texts.
func (v *valueMaker) some(texts ...string) []byte { return []byte(texts[v.r.IntN(len(texts))]) }

// valueSizes are the lengths of values of one length, and whether there may be none.
var valueSizes = map[cqltype.Kind]struct {
	n    int
	zero bool
}{
	cqltype.Bigint: {
		8,
		true,
	},
	cqltype.Boolean: {1, true},
	cqltype.Counter: {8, false},
	cqltype.Date:    {4, false},
	cqltype.Double:  {8, true},
	cqltype.Float: {
		4,
		true,
	},
	cqltype.Int:       {4, true},
	cqltype.Smallint:  {2, false},
	cqltype.Time:      {8, false},
	cqltype.Timestamp: {8, true},
	cqltype.Tinyint:   {1, false},
	cqltype.UUID:      {16, true},
	cqltype.TimeUUID:  {16, true},
}

func (v *valueMaker) scalar(kind cqltype.Kind) []byte {
	if s, fixed := valueSizes[kind]; fixed {
		switch {
		case v.wrong():
			return v.bytes(v.r.IntN(s.n + 2))
		case s.zero && v.r.IntN(12) == 0:
			return nil
		}
		b := v.bytes(s.n)
		if kind == cqltype.TimeUUID && !v.wrong() {
			b[6] = b[6]&0x0f | 0x10
		}
		return b
	}
	switch kind {
	case cqltype.Ascii:
		if v.wrong() {
			return v.some("\x80", "ab\xff", "é")
		}
		return v.some("", "a", "\x00", "ascii, 'quoted' \"twice\"", strings.Repeat("long", 30))
	case cqltype.Text:
		if v.wrong() {
			return v.some(
				"\xff",
				"\xc3",
				"a\x80",
				"\xc0\x81",
				"\xe0\x80\x80",
				"\xf8\x80\x80\x80",
				"\xc0\x80",
				"\xed\xa0\x80",
				"\xf4\x90\x80\x80",
				"\xf5\x80\x80\x80",
			)
		}
		return v.some("", "a", "é", "\U0001F600", "null", "0x00", strings.Repeat("länger ", 20))
	case cqltype.Inet:
		n := []int{0, 4, 4, 16, 16}[v.r.IntN(5)]
		if v.wrong() {
			n = v.r.IntN(20)
		}
		return v.bytes(n)
	case cqltype.Decimal:
		n := []int{0, 5, 6, 9, 14}[v.r.IntN(5)]
		if v.wrong() {
			n = v.r.IntN(6)
		}
		b := v.bytes(n)
		if n >= 4 && v.r.IntN(3) > 0 {
			binary.BigEndian.PutUint32(b, uint32(v.r.IntN(40)-20))
		}
		return b
	case cqltype.Duration:
		if v.wrong() {
			return v.bytes(v.r.IntN(12))
		}
		b := v.duration()
		switch {
		case v.wrong():
			return b[:v.r.IntN(len(b)+1)]
		case v.wrong():
			return append(b, v.bytes(3)...)
		}
		return b
	default: // blob, varint
		return v.bytes(v.r.IntN(20))
	}
}

func (v *valueMaker) duration() []byte {
	sign := int64(1 - 2*v.r.IntN(2))
	part := func(limit int64) int64 {
		n := sign * v.r.Int64N(limit)
		switch {
		case v.wrong():
			n = -n
		case v.wrong():
			n <<= 20
		}
		return n
	}
	b := cqlwire.AppendVint(nil, part(1<<31))
	return cqlwire.AppendVint(cqlwire.AppendVint(b, part(40)), part(1<<62))
}

// of makes a value.
func (v *valueMaker) of(t *cqltype.Type) []byte {
	var b []byte
	switch t.Kind {
	case cqltype.List, cqltype.Set, cqltype.Map:
		n := v.r.IntN(4)
		count := n
		if v.wrong() {
			count = []int{-1, -1 << 31, n + 1, n - 1, 1<<31 - 1}[v.r.IntN(5)]
		}
		b = cqlwire.AppendCount(nil, count)
		for i := range n * len(t.Elems) {
			b = v.elem(b, t.Elems[i%len(t.Elems)], 0.1)
		}
	case cqltype.Tuple, cqltype.UDT:
		n := len(t.Elems)
		if v.r.IntN(4) == 0 {
			n = v.r.IntN(n + 1)
		}
		for _, e := range t.Elems[:n] {
			null := 0.5
			if v.bad == 0 {
				null = 0
			}
			b = v.elem(b, e, null)
		}
		if v.wrong() {
			b = v.elem(b, t.Elems[0], 0.5)
		}
	case cqltype.Vector:
		l, _ := cqlwire.Plan(t)
		for range t.Dimension {
			elem := v.of(t.Elems[0])
			for l.Elem(0).FixedLen() >= 0 && len(elem) != l.Elem(0).FixedLen() && v.bad == 0 {
				elem = v.of(t.Elems[0])
			}
			if l.Elem(0).FixedLen() < 0 {
				b = cqlwire.AppendUvint(b, uint64(len(elem)))
			}
			b = append(b, elem...)
		}
	default:
		return v.scalar(t.Kind)
	}
	switch {
	case len(b) > 0 && v.wrong():
		b = b[:v.r.IntN(len(b))]
	case v.wrong():
		b = append(b, v.bytes(1+v.r.IntN(5))...)
	case len(b) > 0 && v.wrong():
		b[v.r.IntN(len(b))] ^= byte(1 << v.r.IntN(8))
	}
	return b
}

// elem appends an element after its length. null is how often it is null, where parts may be wrong,
// or a field.
func (v *valueMaker) elem(dst []byte, t *cqltype.Type, null float64) []byte {
	if v.bad > 0 && v.r.Float64() < null*v.bad*4 {
		return cqlwire.AppendCount(dst, -1-v.r.IntN(2))
	}
	b := v.of(t)
	n := len(b)
	if v.wrong() {
		n += v.r.IntN(5) - 2
	}
	return append(cqlwire.AppendCount(dst, n), b...)
}
