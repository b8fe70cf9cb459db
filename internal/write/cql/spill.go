package cql

import (
	"fmt"
	"os"
	"sync"
	"sync/atomic"

	"github.com/cqlbulk/cqlbulk/internal/fsync"
	"github.com/cqlbulk/cqlbulk/internal/write"
)

// DefaultSpill is how many bytes of rows are set aside by default.
const DefaultSpill = 1 << 30

// mostSpilled is how many batches are set aside at the most: each takes some memory.
const mostSpilled = 200_000

// spillSpace is where batches are set aside: temporary files, one for each lane, whose names
// are removed at once, so that nothing of them stays behind.
type spillSpace struct {
	dir     string       // of the files; empty: the system's
	room    atomic.Int64 // bytes that the files may still take
	batches atomic.Int64 // that may still be set aside
	warn    func(format string, args ...any)
	failed  sync.Once
}

func newSpillSpace(dir string, bytes int64, warn func(string, ...any)) *spillSpace {
	s := &spillSpace{dir: dir, warn: warn}
	s.room.Store(bytes)
	s.batches.Store(mostSpilled)
	return s
}

// spillFile is the batches of a lane that are set spillFile, the first to be put the first to be
// taken. What must not be written twice never is: of a load that is killed all of it would
// be in doubt. The lane's lock guards it.
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

func (a *spillFile) empty() bool { return a.first == len(a.queue) }

// put writes a batch to the file, if it may be copied and there is room. Its rows are not
// freed.
func (a *spillFile) put(b *batch) bool {
	if !b.mayBeCopied() {
		return false
	}
	entry := spilledBatch{writer: b.writer, set: b.set, at: a.end}
	a.buffer, entry.pieces = appendRows(a.buffer[:0], b.rows)
	entry.length = len(a.buffer)
	if !a.space.take(int64(entry.length)) {
		return false
	}
	if err := a.write(a.buffer); err != nil {
		a.space.give(int64(entry.length), 1)
		a.space.failed.Do(func() {
			a.space.warn(
				"rows of nodes that are behind cannot be set aside, and hold up those of others: temporary file: %v",
				err,
			)
		})
		return false
	}
	a.end += int64(entry.length)
	a.queue = append(a.queue, entry)
	return true
}

// take counts a batch of so many bytes, if there is room for it.
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

func (a *spillFile) write(text []byte) error {
	if a.file == nil {
		f, err := fsync.Nameless(a.space.dir, ".cqlbulk-aside-*")
		if err != nil {
			return err
		}
		a.file = f
	}
	_, err := a.file.WriteAt(text, a.end)
	return err
}

// take gives the batch that was put first. There must be one. With the last one the file is
// empty again.
func (a *spillFile) take() (*batch, error) {
	entry := a.queue[a.first]
	a.queue[a.first] = spilledBatch{}
	a.first++
	text := make([]byte, entry.length)
	if _, err := a.file.ReadAt(text, entry.at); err != nil {
		return nil, fmt.Errorf("temporary file of rows that were set aside: %w", err)
	}
	b := &batch{
		writer: entry.writer,
		set:    entry.set,
		rows:   parseRows(text, entry.pieces, entry.set),
		own:    true,
	}
	if !a.empty() {
		a.space.give(0, 1)
		return b, nil
	}
	a.space.give(a.end, 1)
	a.queue, a.first, a.end = a.queue[:0], 0, 0
	if err := a.file.Truncate(0); err != nil {
		return nil, fmt.Errorf("temporary file of rows that were set aside: %w", err)
	}
	return b, nil
}

// discard closes the file.
func (a *spillFile) discard() {
	if a.file != nil {
		_ = a.file.Close()
		a.file = nil
	}
}
