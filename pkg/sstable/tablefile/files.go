package tablefile

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"

	"github.com/cqlbulk/cqlbulk/pkg/sstable/component"
)

// files are the components of an SSTable that is being written.
type files struct {
	folder, temporary string // temporary is empty once it is gone
	descriptor        component.Descriptor
	volatile          bool // nothing need outlast the machine
	outputs           []*output
}

// output is a component that is being written.
type output struct {
	component component.Kind
	file      *os.File
	buffer    *bufio.Writer
	written   int64
	volatile  bool
}

// outputBuffer is how many bytes of an output are collected.
const outputBuffer = 256 << 10

// newFiles makes the folder that the files are written in, below the one that they get into.
func newFiles(folder string, d component.Descriptor, volatile bool) (*files, error) {
	toc := filepath.Join(folder, d.Name(component.TOCTxt))
	if _, err := os.Lstat(toc); !errors.Is(err, fs.ErrNotExist) {
		return nil, errors.Join(
			fmt.Errorf("%s is there already, or cannot be looked for", toc),
			err,
		)
	}
	temporary, err := os.MkdirTemp(folder, "."+d.Name("tmp"))
	if err != nil {
		return nil, err
	}
	return &files{folder: folder, temporary: temporary, descriptor: d, volatile: volatile}, nil
}

// create makes the file of a component.
func (f *files) create(c component.Kind) (*output, error) {
	file, err := os.OpenFile(
		filepath.Join(f.temporary, f.descriptor.Name(c)),
		os.O_WRONLY|os.O_CREATE|os.O_EXCL,
		0o644,
	)
	if err != nil {
		return nil, err
	}
	o := &output{
		component: c,
		file:      file,
		buffer:    bufio.NewWriterSize(file, outputBuffer),
		volatile:  f.volatile,
	}
	f.outputs = append(f.outputs, o)
	return o, nil
}

// write makes the file of a component with all that it has.
func (f *files) write(c component.Kind, b []byte) error {
	o, err := f.create(c)
	if err != nil {
		return err
	}
	_, err = o.Write(b)
	return err
}

// Write writes some bytes.
func (o *output) Write(b []byte) (int, error) {
	n, err := o.buffer.Write(b)
	o.written += int64(n)
	return n, err
}

// close has the file on the disk, unless it is volatile.
func (o *output) close() error {
	err := o.buffer.Flush()
	if !o.volatile {
		err = errors.Join(err, o.file.Sync())
	}
	err = errors.Join(err, o.file.Close())
	o.file = nil
	return err
}

// publish adds TOC.txt, has all files on the disk and moves them into the folder, TOC.txt last. It
// gives their sizes.
func (f *files) publish() (map[component.Kind]int64, error) {
	components := []component.Kind{component.TOCTxt}
	for _, o := range f.outputs {
		components = append(components, o.component)
	}
	slices.Sort(components)
	if err := f.write(component.TOCTxt, component.AppendTOC(nil, components)); err != nil {
		return nil, err
	}
	sizes := make(map[component.Kind]int64)
	for _, o := range f.outputs {
		if err := o.close(); err != nil {
			return nil, err
		}
		sizes[o.component] = o.written
	}
	for i, o := range f.outputs {
		if i == len(f.outputs)-1 {
			// The others are there before it is.
			if err := f.syncFolder(); err != nil {
				return nil, err
			}
		}
		name := f.descriptor.Name(o.component)
		if err := os.Rename(
			filepath.Join(f.temporary, name),
			filepath.Join(f.folder, name),
		); err != nil {
			return nil, err
		}
	}
	f.outputs = nil
	return sizes, errors.Join(f.discard(), f.syncFolder())
}

// discard closes the files that are open and removes the temporary folder.
func (f *files) discard() error {
	if f.temporary == "" {
		return nil
	}
	for _, o := range f.outputs {
		if o.file != nil {
			// Of a file that is removed it does not matter what is written.
			_ = o.file.Close()
		}
	}
	f.outputs = nil
	err := os.RemoveAll(f.temporary)
	f.temporary = ""
	return err
}

// syncFolder has the names in the folder on the disk, where its file system can, unless they are
// volatile.
func (f *files) syncFolder() error {
	if f.volatile {
		return nil
	}
	folder, err := os.Open(f.folder)
	if err != nil {
		return err
	}
	err = folder.Sync()
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.ENOTSUP) {
		err = nil
	}
	return errors.Join(err, folder.Close())
}
