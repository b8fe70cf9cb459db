package tablefile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/cqlbulk/cqlbulk/pkg/sstable/component"
)

// Files are the components of one SSTable, wherever they are stored. They may be used by any number
// of goroutines.
type Files interface {
	// Descriptor has the version and the ID of the SSTable.
	Descriptor() component.Descriptor
	// Path returns the path or the name of a component, for errors.
	Path(c component.Kind) string
	// Open opens a component. If there is none, the error is an fs.ErrNotExist.
	Open(c component.Kind) (File, error)
}

// File is an opened component. The caller of Files.Open closes it.
type File interface {
	RandomReader
	// Size returns the number of bytes that the file had when it was opened.
	Size() int64
}

// RandomReader is a file that several goroutines may read at any place.
type RandomReader interface {
	io.ReaderAt
	io.Closer
}

// Folder returns the files of an SSTable in a folder of the disk. It opens none of them.
func Folder(path string, d component.Descriptor) Files {
	return folder{path: path, descriptor: d}
}

// folder is what Folder returns.
type folder struct {
	path       string
	descriptor component.Descriptor
}

func (f folder) Descriptor() component.Descriptor { return f.descriptor }

func (f folder) Path(c component.Kind) string {
	return filepath.Join(f.path, f.descriptor.Name(c))
}

// Open refuses what is no regular file.
func (f folder) Open(c component.Kind) (File, error) {
	file, err := component.OpenFile(f.Path(c))
	if err != nil {
		return nil, err
	}
	stat, err := file.Stat()
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return diskFile{file, stat.Size()}, nil
}

// diskFile is a file of the disk with its size.
type diskFile struct {
	*os.File
	size int64
}

func (f diskFile) Size() int64 { return f.size }

// tableFiles reads the components of an SSTable.
type tableFiles struct{ files Files }

// version returns the version of the SSTable.
func (f tableFiles) version() component.Version { return f.files.Descriptor().Version }

// path returns the path of a component, for errors.
func (f tableFiles) path(c component.Kind) string { return f.files.Path(c) }

// base returns what the paths of all components begin with, for errors.
func (f tableFiles) base() string {
	return filepath.Join(filepath.Dir(f.path(component.DataDB)), f.files.Descriptor().Base())
}

// readWhole reads a component that must be there.
func (f tableFiles) readWhole(c component.Kind) (b []byte, err error) {
	file, err := f.files.Open(c)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	b = make([]byte, file.Size())
	n, err := file.ReadAt(b, 0)
	if n == len(b) {
		return b, nil
	}
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return nil, fmt.Errorf("%s: %w", c, err)
}

// readIfThere reads a component; ok is false if there is none.
func (f tableFiles) readIfThere(c component.Kind) (b []byte, ok bool, err error) {
	b, err = f.readWhole(c)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, false, nil
	}
	return b, err == nil, err
}

// errNoPartitions is the error of a component that should have partitions.
var errNoPartitions = errors.New("has no partitions")

// damaged returns the error of a component; it names the component, unless err does. nil stays nil.
func (f tableFiles) damaged(c component.Kind, err error) error {
	if err == nil || errors.As(err, new(*component.Error)) {
		return err
	}
	return &component.Error{Path: f.path(c), Err: err}
}

// sequential returns a reader of a file from its beginning to its end, which it reads past Size.
func sequential(file io.ReaderAt) io.Reader { return io.NewSectionReader(file, 0, 1<<63-1) }
