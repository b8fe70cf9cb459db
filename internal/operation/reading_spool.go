package operation

import (
	"fmt"
	"io"
	"os"
	"sync"

	"github.com/cqlbulk/cqlbulk/internal/fsync"
	"github.com/cqlbulk/cqlbulk/internal/sstables"
	"github.com/cqlbulk/cqlbulk/pkg/sstable"
)

// spool is what came of a session: in one file without a name, however many SSTables these are,
// since a process may have so many files open and no more. Its methods may be called by several
// goroutines, but for release, which comes last.
type spool struct {
	dir string // of the file

	mu    sync.Mutex
	file  *os.File // made with the first that comes
	end   int64    // of what was given room
	files []sstables.File
}

// room is a place in the file for so many bytes, to be written, and then to be read.
func (p *spool) room(size int64) (io.Writer, sstable.RandomReader, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.file == nil {
		var err error
		if p.file, err = newSpooled(p.dir); err != nil {
			return nil, nil, err
		}
	}
	at := p.end
	p.end += size
	return io.NewOffsetWriter(p.file, at), spoolPart{io.NewSectionReader(p.file, at, size)}, nil
}

// spoolPart is a part of a spool, which is closed with that.
type spoolPart struct{ io.ReaderAt }

// Close does nothing.
func (spoolPart) Close() error { return nil }

// add counts an SSTable that came.
func (p *spool) add(file sstables.File) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.files = append(p.files, file)
}

// release gives up what came: the file is gone when it is closed.
func (p *spool) release() {
	if p.file != nil {
		_ = p.file.Close() // it is not needed any more
	}
	p.file, p.files = nil, nil
}

// spools hold what came of a piece.
type spools []*spool

// files are all that came.
func (s spools) files() (all []sstables.File) {
	for _, p := range s {
		all = append(all, p.files...)
	}
	return all
}

// largest is how many bytes the node has sent that sent most.
func (s spools) largest() (bytes int64) {
	for _, p := range s {
		bytes = max(bytes, p.end)
	}
	return bytes
}

// release gives up all.
func (s spools) release() {
	for _, p := range s {
		p.release()
	}
}

// newSpooled makes a file without a name for what a node sends.
func newSpooled(dir string) (*os.File, error) {
	file, err := fsync.Nameless(dir, ".streamed-*")
	if err != nil {
		return nil, &spoolError{dir, err}
	}
	return file, nil
}

// tryTempDir finds out whether such files can be made, before nodes are asked for anything.
func tryTempDir(dir string) error {
	file, err := newSpooled(dir)
	if err != nil {
		return err
	}
	return file.Close()
}

// spoolError is the error of a file here that holds what a node sends.
type spoolError struct {
	dir string
	err error
}

// Error names the folder.
func (e *spoolError) Error() string {
	if e.dir == "" {
		return fmt.Sprintf("what nodes send is kept in %s (--temp-dir): %v", os.TempDir(), e.err)
	}
	return fmt.Sprintf("--temp-dir %s: %v", e.dir, e.err)
}

// Unwrap gives the cause.
func (e *spoolError) Unwrap() error { return e.err }
