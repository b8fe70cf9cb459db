package cqlshtext

import (
	"bytes"
	"slices"
	"strings"

	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
	"github.com/cqlbulk/cqlbulk/pkg/cqlwire"
)

// wholeText writes a value that has elements, between brackets and in their order.
type wholeText struct {
	wire        *cqlwire.Layout
	elems       []textWriter // one, two of a map, or one for each element of a tuple
	open, close byte
	null        string // text of a null element
}

func (w *wholeText) appendText(dst, wire []byte) ([]byte, error) {
	dst = append(dst, w.open)
	walk := w.wire.Walk(wire)
	for walk.Next() {
		var err error
		if dst, err = w.appendElem(dst, walk.Index(), walk.Elem(), walk.Null()); err != nil {
			return dst, err
		}
	}
	return append(dst, w.close), walk.Err()
}

// appendElem appends element i with the separator before it. The elements of a map are its keys and
// values in turn.
func (w *wholeText) appendElem(dst []byte, i int, elem []byte, null bool) ([]byte, error) {
	if i > 0 {
		dst = append(dst, w.separator(i)...)
	}
	if null {
		return append(dst, w.null...), nil
	}
	return w.elems[i%len(w.elems)].appendText(dst, elem)
}

func (w *wholeText) separator(i int) string {
	if w.open == '{' && len(w.elems) == 2 && i%2 == 1 {
		return ": "
	}
	return ", "
}

// udtText writes a user type with all its fields. Fields that a value lacks are null.
type udtText struct {
	wholeText
	labels []string // names, with a colon and a blank after them
}

// labelsOf returns the labels of fields. COPY TO does not quote the names. Here a name with a blank
// at its end has double quotes, so that it can be read.
func labelsOf(names []string) []string {
	labels := make([]string, len(names))
	for i, name := range names {
		if strings.TrimSpace(name) != name {
			name = `"` + strings.ReplaceAll(name, `"`, `""`) + `"`
		}
		labels[i] = name + ": "
	}
	return labels
}

func (w *udtText) appendText(dst, wire []byte) ([]byte, error) {
	dst = append(dst, w.open)
	walk := w.wire.Walk(wire)
	for i, label := range w.labels {
		if i > 0 {
			dst = append(dst, ", "...)
		}
		dst = append(dst, label...)
		if !walk.Next() || walk.Null() {
			dst = append(dst, w.null...)
			continue
		}
		var err error
		if dst, err = w.elems[i].appendText(dst, walk.Elem()); err != nil {
			return dst, err
		}
	}
	walk.Next() // it must be past the last field
	return append(dst, w.close), walk.Err()
}

// sortedText writes a set or map in the order of cqlsh's driver, where that is not the server's.
type sortedText struct {
	wholeText
	order func(a, b []byte) int
}

// orderOf returns the order of cqlsh's driver for elements or keys; nil: it is the server's. The
// driver sorts addresses as texts, and UUIDs as numbers.
func orderOf(kind cqltype.Kind, text textWriter) func(a, b []byte) int {
	switch kind {
	case cqltype.UUID, cqltype.TimeUUID:
		return bytes.Compare
	case cqltype.Inet:
		return func(a, b []byte) int {
			// An address that is none is reported when it is written.
			textA, _ := text.appendText(nil, a)
			textB, _ := text.appendText(nil, b)
			return bytes.Compare(textA, textB)
		}
	default:
		return nil
	}
}

func (w *sortedText) appendText(dst, wire []byte) ([]byte, error) {
	var all [][]byte
	walk := w.wire.Walk(wire)
	for walk.Next() {
		all = append(all, walk.Elem())
	}
	if err := walk.Err(); err != nil {
		return dst, err
	}
	entries := slices.Collect(slices.Chunk(all, len(w.elems)))
	slices.SortStableFunc(entries, func(a, b [][]byte) int { return w.order(a[0], b[0]) })
	dst = append(dst, w.open)
	for i, entry := range entries {
		for j, elem := range entry {
			var err error
			if dst, err = w.appendElem(dst, i*len(entry)+j, elem, false); err != nil {
				return dst, err
			}
		}
	}
	return append(dst, w.close), nil
}
