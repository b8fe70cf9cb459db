package bykey

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/bits"
	"os"
	"sync"
)

// Missing notes which keys of a list have no row. It has one bit for each key in memory, and may
// keep them in a file ([Missing.KeepIn]). It is safe for concurrent use.
type Missing struct {
	mu    sync.Mutex
	words []uint64
	file  *os.File // nil: none
	notes []byte   // that are not in the file yet
}

// NewMissing returns notes for a list of that many keys. None is missing so far.
func NewMissing(keys int64) *Missing { return &Missing{words: make([]uint64, (keys+63)/64)} }

// note notes whether a key, by its number, has no row. What is noted last counts: a range may be
// read more than once.
func (m *Missing) note(key int64, missing bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.has(key) == missing {
		return
	}
	m.set(key, missing)
	if m.file == nil {
		return
	}
	note := uint64(key) << 1
	if missing {
		note |= 1
	}
	m.notes = binary.BigEndian.AppendUint64(m.notes, note)
	m.notes = binary.BigEndian.AppendUint64(m.notes, ^note)
}

func (m *Missing) has(key int64) bool { return m.words[key/64]>>(key%64)&1 == 1 }

func (m *Missing) set(key int64, missing bool) {
	m.words[key/64] &^= 1 << (key % 64)
	if missing {
		m.words[key/64] |= 1 << (key % 64)
	}
}

// noteBytes is the length of a note in the file. A note is twice the number of a key, plus 1 if it
// is missing, and then the complement of that. Behind the notes that were synced there may be a
// part of one, or zeros after a power failure. These are left out.
const noteBytes = 16

// KeepIn reads the notes of earlier runs from a file, and has later ones kept there. The caller
// creates the file for the first run, and closes the notes.
func (m *Missing) KeepIn(path string) error {
	file, err := os.OpenFile(path, os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	whole, err := m.read(bufio.NewReader(file))
	if err == nil {
		err = file.Truncate(whole)
	}
	if err == nil {
		_, err = file.Seek(whole, io.SeekStart)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("missing keys in %s: %w", path, err), file.Close())
	}
	m.file = file
	return nil
}

// read reads the notes of earlier runs, and returns where the last whole one ends.
func (m *Missing) read(in io.Reader) (whole int64, err error) {
	var b [noteBytes]byte
	for {
		_, err := io.ReadFull(in, b[:])
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return whole, nil
		}
		if err != nil {
			return whole, err
		}
		note := binary.BigEndian.Uint64(b[:])
		switch {
		case note != ^binary.BigEndian.Uint64(b[8:]):
			return whole, nil
		case note>>1 >= uint64(len(m.words))*64:
			return whole, errRecord
		}
		m.set(int64(note>>1), note&1 == 1)
		whole += noteBytes
	}
}

// Sync brings all notes to the disk. It does nothing without a file.
func (m *Missing) Sync() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.notes) == 0 {
		return nil
	}
	if _, err := m.file.Write(m.notes); err != nil {
		return err
	}
	m.notes = m.notes[:0]
	return m.file.Sync()
}

// Close closes the file, if there is one.
func (m *Missing) Close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.file == nil {
		return nil
	}
	err := m.file.Close()
	m.file = nil
	return err
}

// Count returns the number of keys without a row.
func (m *Missing) Count() (n int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, word := range m.words {
		n += int64(bits.OnesCount64(word))
	}
	return n
}

// Each calls f with each key of the list that has no row, in order. f must not note anything.
func (m *Missing) Each(l *List, f func(Key) error) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	return l.each(func(key Key) error {
		if !m.has(key.place.number) {
			return nil
		}
		return f(key)
	})
}
