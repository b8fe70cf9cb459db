package cql

import (
	"fmt"
	"os"
	"sync"
	"sync/atomic"

	"github.com/cqlbulk/cqlbulk/internal/fsync"
	"github.com/cqlbulk/cqlbulk/internal/write"
)

// DefaultSpill is the default limit of spilled rows, in bytes.
const DefaultSpill = 1 << 30

// mostSpilled is the number of spilled batches, at most: each takes some memory.
const mostSpilled = 200_000

// spillSpace is the room for spilled batches, shared by the files of all queues. The name of a file
// is removed at once, so that no file is left behind.
type spillSpace struct {
	dir     string       // of the files; empty: the system's
	room    atomic.Int64 // bytes that the files may still take
	batches atomic.Int64 // that may still be spilled
	warn    func(format string, args ...any)
	failed  sync.Once
}

func newSpillSpace(dir string, bytes int64, warn func(string, ...any)) *spillSpace {
	s := &spillSpace{dir: dir, warn: warn}
	s.room.Store(bytes)
	s.batches.Store(mostSpilled)
	return s
}

// spillFile is the spilled batches of a queue, first in, first out. Batches that must not be
// written twice are never spilled: if the load is killed, all of them would be in doubt. The
// queue's lock guards it.
type spillFile struct {
	space  *spillSpace
	file   *os.File
	end    int64 // of what is in the file
	queue  []spilledBatch
	first  int // of the queue
	buffer []byte
}

// spilledBatch is a batch in the file.
type spilledBatch struct {
	writer Writer
	set    *write.Replicas
	pieces []write.Tracker // of its rows
	at     int64
	length int
}

func (s *spillFile) empty() bool { return s.first == len(s.queue) }

// put writes a batch to the file, if it may be copied and there is room. It does not release the
// rows.
func (s *spillFile) put(b *batch) bool {
	if !b.mayBeCopied() {
		return false
	}
	entry := spilledBatch{writer: b.writer, set: b.set, at: s.end}
	s.buffer, entry.pieces = appendRows(s.buffer[:0], b.rows)
	entry.length = len(s.buffer)
	if !s.space.take(int64(entry.length)) {
		return false
	}
	if err := s.write(s.buffer); err != nil {
		s.space.give(int64(entry.length), 1)
		s.space.failed.Do(func() {
			s.space.warn(
				"rows of nodes that are behind cannot be spilled to disk, and delay those of others: %v",
				err,
			)
		})
		return false
	}
	s.end += int64(entry.length)
	s.queue = append(s.queue, entry)
	return true
}

// take counts a batch of that many bytes, if there is room for it.
func (s *spillSpace) take(bytes int64) bool {
	batches, room := s.batches.Add(-1), s.room.Add(-bytes)
	if batches >= 0 && room >= 0 {
		return true
	}
	s.give(bytes, 1)
	return false
}

func (s *spillSpace) give(bytes, batches int64) {
	s.room.Add(bytes)
	s.batches.Add(batches)
}

func (s *spillFile) write(text []byte) error {
	if s.file == nil {
		f, err := fsync.Nameless(s.space.dir, ".cqlbulk-aside-*")
		if err != nil {
			return err
		}
		s.file = f
	}
	_, err := s.file.WriteAt(text, s.end)
	return err
}

// take returns the batch that was put first. There must be one. With the last one the file is empty
// again.
func (s *spillFile) take() (*batch, error) {
	entry := s.queue[s.first]
	s.queue[s.first] = spilledBatch{}
	s.first++
	text := make([]byte, entry.length)
	if _, err := s.file.ReadAt(text, entry.at); err != nil {
		return nil, fmt.Errorf("temporary file of spilled rows: %w", err)
	}
	b := &batch{
		writer: entry.writer,
		set:    entry.set,
		rows:   parseRows(text, entry.pieces, entry.set),
		own:    true,
	}
	if !s.empty() {
		s.space.give(0, 1)
		return b, nil
	}
	s.space.give(s.end, 1)
	s.queue, s.first, s.end = s.queue[:0], 0, 0
	if err := s.file.Truncate(0); err != nil {
		return nil, fmt.Errorf("temporary file of spilled rows: %w", err)
	}
	return b, nil
}

// discard closes the file.
func (s *spillFile) discard() {
	if s.file != nil {
		_ = s.file.Close()
		s.file = nil
	}
}
