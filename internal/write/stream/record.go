package stream

import (
	"bytes"
	"encoding/binary"

	"github.com/cqlbulk/cqlbulk/pkg/sstable"
)

// A record is a row on its way through the sorter. It has the length of its partition key in two
// bytes, the key, 1 for a static row or else 0, and the encoded row. The sorter orders by token
// first, and compares records only for rows of one token.

// appendHead appends a record without its encoded row.
func appendHead(dst, key []byte, static bool) []byte {
	dst = binary.BigEndian.AppendUint16(dst, uint16(len(key)))
	dst = append(dst, key...)
	if static {
		return append(dst, 1)
	}
	return append(dst, 0)
}

// splitRecord takes a record apart.
func splitRecord(record []byte) (key []byte, static bool, encoded []byte) {
	n := 2 + int(binary.BigEndian.Uint16(record))
	return record[2:n], record[n] == 1, record[n+1:]
}

// recordHead returns the length of the part of a record that decides its order: all but the cells.
func recordHead(record []byte) int {
	_, _, encoded := splitRecord(record)
	return len(record) - len(encoded) + sstable.EncodedHead(encoded)
}

// byKey orders records of one token: by key, and by clustering.
func byKey(s *sstable.Schema) func(a, b []byte) int {
	return func(a, b []byte) int {
		keyA, _, rowA := splitRecord(a)
		keyB, _, rowB := splitRecord(b)
		if c := bytes.Compare(keyA, keyB); c != 0 {
			return c
		}
		return s.CompareEncoded(rowA, rowB)
	}
}
