package tablefile

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/cqlbulk/cqlbulk/pkg/sstable/component"
)

// Output stores the components of one SSTable that is written. A Writer calls its methods from one
// goroutine, Begin first.
type Output interface {
	// Begin prepares the output for an SSTable. It fails if there is a complete one of that name.
	Begin(d component.Descriptor) error
	// Create creates a component. The Writer closes it before it calls Commit.
	Create(c component.Kind) (io.WriteCloser, error)
	// Commit makes the components visible, in the order of their creation: TOC.txt is the last.
	Commit() error
	// Abort removes what was created, unless Commit has succeeded. It may be called at any time,
	// and more than once.
	Abort() error
}

// FolderOutput is an Output in a folder of the disk. It writes the components into a temporary
// folder below it, and Commit moves them. So an SSTable with a TOC.txt is complete.
type FolderOutput struct {
	// Path is the folder, which must exist.
	Path string
	// Volatile leaves it to the system when the files get onto the disk: they are to be used at
	// once and removed.
	Volatile bool

	descriptor component.Descriptor
	temporary  string // empty once it is gone
	created    []*diskOutput
}

// diskOutput is a component that is being written.
type diskOutput struct {
	*bufio.Writer
	name     string
	file     *os.File // nil: closed
	volatile bool
}

// outputBuffer is how many bytes of a component are collected.
const outputBuffer = 256 << 10

// Begin makes the temporary folder.
func (f *FolderOutput) Begin(d component.Descriptor) (err error) {
	toc := filepath.Join(f.Path, d.Name(component.TOCTxt))
	if _, err := os.Lstat(toc); !errors.Is(err, fs.ErrNotExist) {
		return errors.Join(fmt.Errorf("%s is there already, or cannot be checked", toc), err)
	}
	f.descriptor = d
	f.temporary, err = os.MkdirTemp(f.Path, "."+d.Name("tmp"))
	return err
}

// Create creates a file in the temporary folder. Its Close syncs it, unless f is volatile.
func (f *FolderOutput) Create(c component.Kind) (io.WriteCloser, error) {
	name := f.descriptor.Name(c)
	file, err := os.OpenFile(
		filepath.Join(f.temporary, name),
		os.O_WRONLY|os.O_CREATE|os.O_EXCL,
		0o644,
	)
	if err != nil {
		return nil, err
	}
	o := &diskOutput{
		Writer:   bufio.NewWriterSize(file, outputBuffer),
		name:     name,
		file:     file,
		volatile: f.Volatile,
	}
	f.created = append(f.created, o)
	return o, nil
}

// Close flushes, syncs and closes the file.
func (o *diskOutput) Close() error {
	err := o.Flush()
	if !o.volatile {
		err = errors.Join(err, o.file.Sync())
	}
	err = errors.Join(err, o.file.Close())
	o.file = nil
	return err
}

// Commit moves the files into the folder, and syncs it before the last file and after it.
func (f *FolderOutput) Commit() error {
	for i, o := range f.created {
		if i == len(f.created)-1 {
			if err := f.sync(); err != nil {
				return err
			}
		}
		err := os.Rename(filepath.Join(f.temporary, o.name), filepath.Join(f.Path, o.name))
		if err != nil {
			return err
		}
	}
	f.created = nil
	return errors.Join(f.Abort(), f.sync())
}

// Abort closes the files that are open and removes the temporary folder.
func (f *FolderOutput) Abort() error {
	if f.temporary == "" {
		return nil
	}
	for _, o := range f.created {
		if o.file != nil {
			// Of a file that is removed it does not matter what is written.
			_ = o.file.Close()
		}
	}
	f.created = nil
	err := os.RemoveAll(f.temporary)
	f.temporary = ""
	return err
}

// sync syncs the names in the folder, where its file system can, unless f is volatile.
func (f *FolderOutput) sync() error {
	if f.Volatile {
		return nil
	}
	folder, err := os.Open(f.Path)
	if err != nil {
		return err
	}
	err = folder.Sync()
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.ENOTSUP) {
		err = nil
	}
	return errors.Join(err, folder.Close())
}
