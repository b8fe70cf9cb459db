package scan

import (
	"fmt"
	"io"
	"os"
	"sync/atomic"

	"github.com/cqlbulk/cqlbulk/internal/fsync"
)

// partitionRows are rows that may yet be dropped: those read so far of an unfinished partition.
// They are kept in the memory that all partitionRows share, and beyond that in a temporary file.
// The file's name is removed at once, so nothing of it remains.
type partitionRows struct {
	memory     *atomic.Int64 // bytes that all partitionRows may still keep in memory
	unfinished *atomic.Int64 // rows of all partitionRows
	dir        string        // folder of the file; empty: the system's
	rows       int64

	text   []byte
	kept   []tally // pieces in text
	file   *os.File
	stored []tally // pieces in file
}

// add adds rows. text is their text.
func (b *partitionRows) add(rows tally, text []byte) error {
	if b.file == nil {
		if b.memory.Add(-int64(len(text))) >= 0 {
			b.text = append(b.text, text...)
			b.kept = append(b.kept, rows)
			b.count(rows.rows)
			return nil
		}
		b.memory.Add(int64(len(text)))
		f, err := fsync.Nameless(b.dir, ".cqlbulk-partition-*")
		if err != nil {
			return fmt.Errorf("temporary file: %w", err)
		}
		b.file = f
	}
	if _, err := b.file.Write(text); err != nil {
		return fmt.Errorf("temporary file: %w", err)
	}
	b.stored = append(b.stored, rows)
	b.count(rows.rows)
	return nil
}

// count adds to the number of rows.
func (b *partitionRows) count(more int64) {
	b.rows += more
	b.unfinished.Add(more)
}

// replay writes all rows to the output, and is empty afterwards.
func (b *partitionRows) replay(s *encodeBuffer) error {
	defer b.discard()
	text := b.text
	for _, rows := range b.kept {
		if err := b.write(s, rows, text[:rows.bytes]); err != nil {
			return err
		}
		text = text[rows.bytes:]
	}
	if b.file == nil {
		return nil
	}
	if _, err := b.file.Seek(0, io.SeekStart); err != nil {
		return fmt.Errorf("temporary file: %w", err)
	}
	var piece []byte
	for _, rows := range b.stored {
		if cap(piece) < rows.bytes {
			piece = make([]byte, rows.bytes)
		}
		piece = piece[:rows.bytes]
		if _, err := io.ReadFull(b.file, piece); err != nil {
			return fmt.Errorf("temporary file: %w", err)
		}
		if err := b.write(s, rows, piece); err != nil {
			return err
		}
	}
	return nil
}

func (b *partitionRows) write(s *encodeBuffer, rows tally, text []byte) error {
	b.count(-rows.rows)
	return s.write(rows, text)
}

// discard drops all rows and frees their memory.
func (b *partitionRows) discard() {
	b.count(-b.rows)
	b.memory.Add(int64(len(b.text)))
	if cap(b.text) > largeText {
		b.text = nil
	}
	b.text, b.kept, b.stored = b.text[:0], b.kept[:0], b.stored[:0]
	if b.file != nil {
		_ = b.file.Close()
		b.file = nil
	}
}
