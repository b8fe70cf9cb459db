package sample

import (
	"encoding/binary"

	"github.com/cqlbulk/cqlbulk/internal/doctor"
	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
	"github.com/cqlbulk/cqlbulk/pkg/cqlwire"
)

// timestamps finds the timestamps in the values of a type: a value itself, or elements, keys and
// fields at any depth. It is planned once for each column.
type timestamps struct {
	layout *cqlwire.Layout // nil: each value is a timestamp
	elems  []*timestamps   // by element of the type; nil: it has none
}

// planTimestamps returns nil if values of the type have no timestamps.
func planTimestamps(t *cqltype.Type) *timestamps {
	if t.Kind == cqltype.Timestamp {
		return &timestamps{}
	}
	found := &timestamps{}
	some := false
	for _, e := range t.Elems {
		elem := planTimestamps(e)
		some = some || elem != nil
		found.elems = append(found.elems, elem)
	}
	if !some {
		return nil
	}
	var err error
	if found.layout, err = cqlwire.Plan(t); err != nil {
		return nil // the column cannot be loaded either
	}
	return found
}

// note counts the timestamps in a value of a row. The function text returns the text of a value
// that is one timestamp, or an empty text; it may be nil.
func (f *timestamps) note(wire []byte, to *doctor.Times, line int64, text func(ms int64) string) {
	if f.layout == nil {
		if len(wire) == 8 {
			ms, given := int64(binary.BigEndian.Uint64(wire)), ""
			if text != nil {
				given = text(ms)
			}
			to.Note(ms, line, given)
		}
		return
	}
	w := f.layout.Walk(wire)
	for w.Next() {
		if elem := f.elems[w.Index()%len(f.elems)]; elem != nil {
			elem.note(w.Elem(), to, line, nil)
		}
	}
}
