package streamed

import (
	"fmt"
	"io"
	"os"
	"sync"

	"github.com/cqlbulk/cqlbulk/internal/fsync"
	"github.com/cqlbulk/cqlbulk/internal/sstables"
	"github.com/cqlbulk/cqlbulk/pkg/sstable/tablefile"
)

// spool keeps the SSTables of one session in one file without a name. A process may open a limited
// number of files. Its methods are safe for concurrent use, but for release, which is called last.
type spool struct {
	dir string // of the file

	mu    sync.Mutex
	file  *os.File // created for the first SSTable
	end   int64    // bytes of the file that are taken
	files []sstables.File
}

// room reserves size bytes of the file. They are written first, and then read.
func (p *spool) room(size int64) (io.Writer, tablefile.RandomReader, error) {
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

// add adds a received SSTable.
func (p *spool) add(file sstables.File) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.files = append(p.files, file)
}

// release closes the file, which deletes it.
func (p *spool) release() {
	if p.file != nil {
		_ = p.file.Close() // its bytes are not needed any more
	}
	p.file, p.files = nil, nil
}

// spools are those of all sessions for a piece.
type spools []*spool

// files returns the SSTables of all sessions.
func (s spools) files() (all []sstables.File) {
	for _, p := range s {
		all = append(all, p.files...)
	}
	return all
}

// largest returns the bytes of the node that sent most.
func (s spools) largest() (bytes int64) {
	for _, p := range s {
		bytes = max(bytes, p.end)
	}
	return bytes
}

// release releases every spool.
func (s spools) release() {
	for _, p := range s {
		p.release()
	}
}

// newSpooled creates a file without a name.
func newSpooled(dir string) (*os.File, error) {
	file, err := fsync.Nameless(dir, ".streamed-*")
	if err != nil {
		return nil, &spoolError{dir, err}
	}
	return file, nil
}

// TryTempDir returns an error if files without a name cannot be created in a folder. An empty name
// stands for the system's folder for temporary files.
func TryTempDir(dir string) error {
	file, err := newSpooled(dir)
	if err != nil {
		return err
	}
	return file.Close()
}

// spoolError is an error of a spool's file on this host.
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
