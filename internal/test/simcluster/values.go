package simcluster

import (
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/cqlbulk/cqlbulk/pkg/cqlwire"
)

// Values in bytes, as package cqlwire has them.

// uuid is a host's or a table's id.
type uuid [16]byte

func (u uuid) String() string {
	return fmt.Sprintf("%x-%x-%x-%x-%x", u[:4], u[4:6], u[6:8], u[8:10], u[10:])
}

func text(s string) []byte     { return []byte(s) }
func bigint(v int64) []byte    { return binary.BigEndian.AppendUint64(nil, uint64(v)) }
func integer(v int) []byte     { return binary.BigEndian.AppendUint32(nil, uint32(v)) }
func double(v float64) []byte  { return binary.BigEndian.AppendUint64(nil, math.Float64bits(v)) }
func boolean(v bool) []byte    { return map[bool][]byte{true: {1}, false: {0}}[v] }
func tuple(v ...[]byte) []byte { return elements(nil, v) }

// list is a list or a set.
func list(v ...[]byte) []byte { return elements(integer(len(v)), v) }

func elements(dst []byte, v [][]byte) []byte {
	for _, e := range v {
		dst = cqlwire.AppendElem(dst, e)
	}
	return dst
}

func textMap(m map[string]string) []byte {
	var all [][]byte
	for _, k := range slices.Sorted(maps.Keys(m)) {
		all = append(all, text(k), text(m[k]))
	}
	return elements(integer(len(m)), all)
}
