package records

import (
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"slices"
)

// Tried is what the journal of a load records of a rejected row before the row is loaded again.
type Tried struct {
	Text uint64 // hash of its text
	Step uint16 // by how many microseconds its timestamp is later than the first load's
	Sent bool   // an earlier load than the one that recorded it may have written the row
}

// TriedRows are the rows of a file of rejects, in their order. As text they are base64 of
// [triedSize] bytes for each row.
type TriedRows []Tried

const (
	triedSize = 8 + 2 + 1
	// mostTried is the number of rows that a record has at most, so that it fits into
	// journal.MaxPayload. Further rows follow in records of their own.
	mostTried = 1 << 19
)

// MarshalText implements [encoding.TextMarshaler].
func (t TriedRows) MarshalText() ([]byte, error) {
	out := make([]byte, 0, len(t)*triedSize)
	for _, row := range t {
		out = binary.BigEndian.AppendUint64(out, row.Text)
		out = binary.BigEndian.AppendUint16(out, row.Step)
		sent := byte(0)
		if row.Sent {
			sent = 1
		}
		out = append(out, sent)
	}
	return base64.StdEncoding.AppendEncode(nil, out), nil
}

// UnmarshalText implements [encoding.TextUnmarshaler].
func (t *TriedRows) UnmarshalText(text []byte) error {
	in, err := base64.StdEncoding.AppendDecode(nil, text)
	if err == nil && len(in)%triedSize != 0 {
		err = fmt.Errorf("%d bytes are no number of rows", len(in))
	}
	if err != nil {
		return fmt.Errorf("rows of rejects: %w", err)
	}
	*t = make(TriedRows, 0, len(in)/triedSize)
	for row := range slices.Chunk(in, triedSize) {
		*t = append(
			*t,
			Tried{binary.BigEndian.Uint64(row), binary.BigEndian.Uint16(row[8:]), row[10] != 0},
		)
	}
	return nil
}

// after returns the retry of a file as a further record makes it. The records of one load carry the
// rows in several parts, and the last ones carry none.
func (r Retry) after(before Retry) Retry {
	switch {
	case before.Run != r.Run:
		if r.From > 0 {
			r.Rows = nil // the first part is missing
		}
	case r.Rows == nil && !r.AsOfNow:
		r.Rows, r.AsOfNow = before.Rows, before.AsOfNow
	case r.From > 0 && r.From == len(before.Rows):
		r.Rows = append(before.Rows, r.Rows...)
	case r.From > 0:
		r.Rows = nil
	}
	r.From = 0
	return r
}

// RetryRows records the rows of a file of rejects before they are loaded again. Retry, called after
// it, writes the record to the disk.
func (l *Load) RetryRows(file string, rows TriedRows, by Retry) error {
	for from := 0; from == 0 || from < len(rows); from += mostTried {
		by.From, by.Rows = from, rows[from:min(from+mostTried, len(rows))]
		if err := l.j.Append(kindRetry, retried{[]string{file}, by}); err != nil {
			return err
		}
	}
	return nil
}
