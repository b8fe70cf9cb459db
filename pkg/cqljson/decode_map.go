package cqljson

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/cqlbulk/cqlbulk/pkg/cqlwire"
	"github.com/cqlbulk/cqlbulk/pkg/jsonl/jsonscan"
)

// mapReader reads map, an object. The wire has the same order. No two keys may have the same wire
// bytes.
type mapReader struct {
	composite
	key, value reader
}

func (r *mapReader) read(dst, json []byte, pos int) ([]byte, int, error) {
	start := pos
	dst, pos, raw, done, err := r.open(dst, json, pos, '{', '}')
	if raw || err != nil {
		return dst, pos, err
	}
	mark := len(dst)
	dst = cqlwire.AppendCount(dst, 0)
	count, ascending := 0, true
	var last span // the last key in dst
	for ; !done; count++ {
		begin := len(dst)
		if dst, pos, err = r.appendKey(dst, json, pos); err != nil {
			return dst, pos, err
		}
		if key := dst[begin+4:]; count > 0 && bytes.Compare(dst[last.begin:last.end], key) >= 0 {
			ascending = false
		}
		last = span{begin + 4, len(dst)}
		if dst, pos, err = appendSized(dst, r.value, json, pos, false); err != nil {
			return dst, pos, err
		}
		if pos, done, err = jsonscan.More(json, pos, '}'); err != nil {
			return dst, pos, err
		}
	}
	cqlwire.PutCount(dst, mark, count)
	if !ascending {
		if i := duplicate(dst[mark+4:], count); i >= 0 {
			return dst, start, twice(json, start, i)
		}
	}
	return dst, pos, nil
}

// appendKey appends the key at json[pos] after its length, and returns the offset of the value.
func (r *mapReader) appendKey(dst, json []byte, pos int) ([]byte, int, error) {
	if pos >= len(json) || json[pos] != '"' {
		return dst, pos, jsonscan.Unexpected(json, pos, "a key in double quotes")
	}
	mark := len(dst)
	dst, text, next, err := readText(dst, json, pos)
	if err != nil {
		return dst, pos, err
	}
	end := len(dst)
	if dst, err = r.key.readKey(cqlwire.OpenElem(dst), text); err != nil {
		if offset, reason := split(err); offset == 0 {
			err = reason
		}
		return dst, pos, at(pos, fmt.Errorf("key: %w", err))
	}
	if err = cqlwire.CloseElem(dst, end); err != nil {
		return dst, pos, at(pos, err)
	}
	next, err = jsonscan.Colon(json, next)
	return cutOut(dst, mark, end), next, err
}

func (r *mapReader) readKey(dst, text []byte) ([]byte, error) { return r.readKeyOf(r, dst, text) }

// duplicate returns the number of the first entry whose key is also that of an earlier one, or -1.
// The bytes in wire are count entries, each a key and a value after their lengths.
func duplicate(wire []byte, count int) int {
	type entry struct {
		key   []byte
		place int
	}
	var small [maxInline]entry
	entries := small[:]
	if count > maxInline {
		entries = make([]entry, count)
	}
	entries = entries[:count]
	for i, pos := 0, 0; i < count; i++ {
		entries[i].place = i
		entries[i].key, _, pos, _ = cqlwire.ElemAt(wire, pos)
		_, _, pos, _ = cqlwire.ElemAt(wire, pos)
	}
	slices.SortFunc(entries, func(a, b entry) int {
		return cmp.Or(bytes.Compare(a.key, b.key), a.place-b.place)
	})
	first := -1
	for i := 1; i < count; i++ {
		if place := entries[i].place; bytes.Equal(entries[i-1].key, entries[i].key) &&
			(first < 0 || place < first) {
			first = place
		}
	}
	return first
}

var errKeyTwice = errors.New("key occurs twice")

// twice returns the error for the key with the given number in the object at json[pos], which has
// been read without an error before.
func twice(json []byte, pos, number int) error {
	pos, _, _ = jsonscan.Open(json, pos, '{', '}')
	for range number {
		pos, _, _ = jsonscan.Name(json, pos)
		pos, _ = jsonscan.Colon(json, pos)
		pos, _ = jsonscan.Value(json, pos, 0)
		pos, _, _ = jsonscan.More(json, pos, '}')
	}
	return at(pos, errKeyTwice)
}
