package journal

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
)

// Tail is what follows the last whole record of a journal. It is part of a record that a process
// was writing when it ended, or is still writing.
type Tail struct {
	Offset int64 // in bytes, of the journal; its length without the tail
	Bytes  int64 // 0: there is none
}

// DamageError reports a journal with damage that a killed process does not leave. The journal is
// unchanged.
type DamageError struct {
	Path   string // of the journal
	Record uint64 // the record expected there; 0: the first line
	Offset int64  // where, in bytes
	Reason string
}

// Error names the file, the record and the place.
func (e *DamageError) Error() string {
	what := "the first line"
	if e.Record > 0 {
		what = fmt.Sprintf("record %d", e.Record)
	}
	return fmt.Sprintf(
		"journal %s is damaged at %s (byte %d): %s; it is left as it is",
		e.Path,
		what,
		e.Offset,
		e.Reason,
	)
}

// headerMark is the beginning of each journal.
const headerMark = "cqlbulk-journal "

// headerOf returns the first line of the journal of a run.
func headerOf(m Manifest) string {
	return fmt.Sprintf("%s%d %s\n", headerMark, m.Version, m.Checksum)
}

// replay reads a journal whose first line has to be header, and calls f for each record in order.
// It returns the number of records and the tail after them. Its error is a DamageError without a
// path, or the error of r or f. Its memory is bounded by the longest line.
func replay(r io.Reader, header string, f func(Record) error) (uint64, Tail, error) {
	first := make([]byte, len(header))
	n, err := io.ReadFull(r, first)
	switch {
	case err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF):
		return 0, Tail{}, err
	case string(first[:n]) != header[:n]:
		return 0, Tail{}, &DamageError{Reason: foreign(first[:n], header)}
	case n < len(header):
		// The first line was on the disk before run.json was.
		return 0, Tail{}, &DamageError{Reason: "it ends before it is whole"}
	}
	in := &lines{in: bufio.NewReaderSize(r, keepBuffer), next: int64(n)}
	var seq uint64
	for {
		line, whole, err := in.read()
		if err != nil {
			return 0, Tail{}, at(err, seq+1)
		}
		if len(line) == 0 && !whole {
			return seq, Tail{Offset: in.next}, nil
		}
		record, ok := Record{}, false
		if whole {
			record, ok = parseRecord(line)
		}
		switch {
		case !ok:
			tail, err := giveUp(in, line, whole, seq+1)
			return seq, tail, err
		case record.Seq != seq+1:
			reason := fmt.Sprintf(
				"record %d stands there: lines are missing, doubled or out of order",
				record.Seq,
			)
			return 0, Tail{}, &DamageError{Record: seq + 1, Offset: in.start, Reason: reason}
		}
		if err := f(record); err != nil {
			return 0, Tail{}, err
		}
		seq++
	}
}

// foreign returns what is wrong with a first line.
func foreign(first []byte, header string) string {
	words, want := bytes.Fields(first), bytes.Fields([]byte(header))
	switch {
	case len(words) < 2 || !bytes.Equal(words[0], want[0]):
		return "that is not how a journal of cqlbulk begins"
	case !bytes.Equal(words[1], want[1]):
		return fmt.Sprintf(
			"it is of version %q of the journal, this cqlbulk reads %s",
			words[1],
			want[1],
		)
	}
	return "it belongs to another run than " + manifestName + " beside it"
}

// giveUp returns a tail that begins with the broken line just read, where record seq should be. If
// there is a whole record in the tail, it returns a DamageError.
func giveUp(in *lines, line []byte, whole bool, seq uint64) (Tail, error) {
	tail := Tail{Offset: in.start}
	if whole && endsWithRecord(line, seq+1) {
		return Tail{}, brokenBefore(seq, tail.Offset, seq+1)
	}
	for {
		line, whole, err := in.read()
		if err != nil {
			return Tail{}, at(err, seq)
		}
		if !whole {
			tail.Bytes = in.next - tail.Offset
			return tail, nil
		}
		if record, ok := parseRecord(line); ok {
			return Tail{}, brokenBefore(seq, tail.Offset, record.Seq)
		}
	}
}

func brokenBefore(seq uint64, offset int64, next uint64) error {
	return &DamageError{
		Record: seq,
		Offset: offset,
		Reason: fmt.Sprintf("it is broken, and record %d behind it is whole", next),
	}
}

// at sets the record of a DamageError of lines.
func at(err error, seq uint64) error {
	if damage, ok := errors.AsType[*DamageError](err); ok {
		damage.Record = seq
	}
	return err
}

// lines cuts a reader into lines.
type lines struct {
	in    *bufio.Reader
	buf   []byte // of a line longer than the reader's own buffer
	start int64  // where the last line begins
	next  int64  // where it ends
}

// read returns the next line without its line feed, valid until the next read. whole reports
// whether the line had a line feed. After the last line, read returns an empty one that is not
// whole.
func (l *lines) read() (line []byte, whole bool, err error) {
	l.start = l.next
	l.buf = l.buf[:0]
	for {
		piece, err := l.in.ReadSlice('\n')
		l.next += int64(len(piece))
		if l.next-l.start > maxLine {
			return nil, false, &DamageError{
				Offset: l.start,
				Reason: fmt.Sprintf("there is a line of more than %d bytes", maxLine),
			}
		}
		if err == nil && len(l.buf) == 0 {
			return piece[:len(piece)-1], true, nil
		}
		l.buf = append(l.buf, piece...)
		switch {
		case err == nil:
			return l.buf[:len(l.buf)-1], true, nil
		case errors.Is(err, io.EOF):
			return l.buf, false, nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return nil, false, err
		}
	}
}
