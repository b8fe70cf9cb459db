package reject

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/cqlbulk/cqlbulk/internal/ingest"
)

// entry is the information in errors.jsonl about a row.
type entry struct {
	File   string
	Line   int64
	Field  int
	Offset int64
	Column string
	Value  string
	Reason string
	Stage  ingest.Stage
	Stamp  int64  // microseconds since the epoch, 0: none
	Kept   string // file that has the row
	// Repeats is the number of times the row was written again, each time with a later timestamp.
	Repeats uint8
	Found   string            // JSON of the values found by a condition; empty: none
	More    []ingest.BadField // of a dry run
}

// line is a line of errors.jsonl. A field that is the same as in the line before is left out. So
// the file stays small if many short rows fail for one reason. A line with a file does not depend
// on the one before: a field left out of it is empty or 0. More belongs only to its own line.
type line struct {
	File    *string       `json:"file,omitempty"`
	Line    *int64        `json:"line,omitempty"`
	Field   *int          `json:"column,omitempty"`
	Offset  *int64        `json:"offset,omitempty"`
	Column  *string       `json:"name,omitempty"`
	Value   *string       `json:"value,omitempty"`
	Reason  *string       `json:"reason,omitempty"`
	Stage   *ingest.Stage `json:"stage,omitempty"`
	Stamp   *int64        `json:"timestamp,omitempty"`
	Kept    *string       `json:"kept,omitempty"`
	Repeats *uint8        `json:"repeats,omitempty"`
	// Found belongs only to its own line, as More does.
	Found json.RawMessage `json:"found,omitempty"`
	More  []badField      `json:"more,omitempty"`
}

// badField is a bad field of a row besides the first one.
type badField struct {
	Line   int64  `json:"line"`
	Field  int    `json:"column"`
	Column string `json:"name"`
	Value  string `json:"value"`
	Reason string `json:"reason"`
}

// lineOf returns the line of an entry that follows another one, or nil at the beginning.
func lineOf(e, before *entry) line {
	var file *string
	if before == nil || e.File != before.File {
		file, before = &e.File, &entry{}
	}
	var more []badField
	for _, b := range e.More {
		more = append(more, badField(b))
	}
	return line{
		file,
		other(&e.Line, before.Line),
		other(&e.Field, before.Field),
		other(&e.Offset, before.Offset),
		other(
			&e.Column,
			before.Column,
		),
		other(&e.Value, before.Value),
		other(&e.Reason, before.Reason),
		other(&e.Stage, before.Stage),
		other(
			&e.Stamp,
			before.Stamp,
		),
		other(&e.Kept, before.Kept),
		other(&e.Repeats, before.Repeats),
		json.RawMessage(e.Found),
		more,
	}
}

// other returns nil if the value is the same as before.
func other[T comparable](now *T, before T) *T {
	if *now == before {
		return nil
	}
	return now
}

// follow changes e from the entry of the line before to the entry of this line.
func (l *line) follow(e *entry) {
	if l.File != nil {
		*e = entry{File: *l.File}
	}
	take(&e.Line, l.Line)
	take(&e.Field, l.Field)
	take(&e.Offset, l.Offset)
	take(&e.Column, l.Column)
	take(&e.Value, l.Value)
	take(&e.Reason, l.Reason)
	take(&e.Stage, l.Stage)
	take(&e.Stamp, l.Stamp)
	take(&e.Kept, l.Kept)
	take(&e.Repeats, l.Repeats)
	e.More, e.Found = nil, string(l.Found)
	for _, b := range l.More {
		e.More = append(e.More, ingest.BadField(b))
	}
}

func take[T any](field *T, told *T) {
	if told != nil {
		*field = *told
	}
}

// entries reads errors.jsonl and calls each with each entry. Its errors call the file name.
func entries(r io.Reader, name string, each func(entry)) error {
	var e entry
	for lines := json.NewDecoder(bufio.NewReader(r)); ; {
		var l line
		switch err := lines.Decode(&l); {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return fmt.Errorf("rejects: %s: %w", name, err)
		}
		l.follow(&e)
		each(e)
	}
}
