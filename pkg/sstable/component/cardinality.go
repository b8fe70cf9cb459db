package component

import (
	"encoding/binary"
	"fmt"
	"math/bits"

	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// Cardinality is what compaction estimates by how many different keys some files have together: a
// HyperLogLog++ in its normal form, the component COMPACTION of Statistics.db. A file without one
// has a server estimate by its index; an empty one has it believe in no keys. Sources:
// org.apache.cassandra.io.sstable.metadata.CompactionMetadata and
// com.clearspring.analytics.stream.cardinality.HyperLogLogPlus.
type Cardinality struct {
	registers [cardinalityRegisters]byte
}

const (
	cardinalityPrecision = 13
	cardinalityRegisters = 1 << cardinalityPrecision
	// sparsePrecision is the precision of a sparse form. The bytes of a normal form have it too.
	sparsePrecision = 25
	// A word of 32 bits holds registersPerWord registers of registerBits.
	registersPerWord = 6
	registerBits     = 5
	cardinalityWords = (cardinalityRegisters + registersPerWord - 1) / registersPerWord
)

// cardinalityHead begins a normal form: version -2, both precisions, the form, and how many bytes
// follow, as LEB128.
var cardinalityHead = []byte{
	0xff, 0xff, 0xff, 0xfe, cardinalityPrecision, sparsePrecision, normalForm,
	4*cardinalityWords&0x7f | 0x80, 4 * cardinalityWords >> 7,
}

// The forms of a HyperLogLog++.
const (
	normalForm = 0
	sparseForm = 1
)

// Add counts a key.
func (c *Cardinality) Add(key []byte) {
	x := token.Murmur2Sum64(key)
	i := x >> (64 - cardinalityPrecision)
	run := byte(bits.LeadingZeros64(x<<cardinalityPrecision|(1<<(cardinalityPrecision-1)+1)) + 1)
	c.registers[i] = max(c.registers[i], run)
}

// Append appends the normal form.
func (c *Cardinality) Append(dst []byte) []byte {
	dst = append(dst, cardinalityHead...)
	for from := 0; from < cardinalityRegisters; from += registersPerWord {
		var word uint32
		for i := range min(registersPerWord, cardinalityRegisters-from) {
			word |= uint32(c.registers[from+i]) << (registerBits * i)
		}
		dst = binary.BigEndian.AppendUint32(dst, word)
	}
	return dst
}

// parseCardinality reads a HyperLogLog++. Of a sparse form, which servers write of few keys, it
// gives nil and no error.
func parseCardinality(b []byte) (*Cardinality, error) {
	if len(b) >= len(cardinalityHead) && string(b[:6]) == string(cardinalityHead[:6]) &&
		b[6] == sparseForm {
		return nil, nil
	}
	if len(b) != len(cardinalityHead)+4*cardinalityWords ||
		string(b[:len(cardinalityHead)]) != string(cardinalityHead) {
		return nil, fmt.Errorf(
			"cardinality of %d bytes that begin with %x: no HyperLogLog++ of precision %d",
			len(b),
			b[:min(len(b), len(cardinalityHead))],
			cardinalityPrecision,
		)
	}
	c := new(Cardinality)
	b = b[len(cardinalityHead):]
	for i := range c.registers {
		word := binary.BigEndian.Uint32(b[i/registersPerWord*4:])
		c.registers[i] = byte(
			word >> (registerBits * (i % registersPerWord)) & (1<<registerBits - 1),
		)
	}
	return c, nil
}
