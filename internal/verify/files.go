package verify

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/cqlbulk/cqlbulk/internal/filesum"
	"github.com/cqlbulk/cqlbulk/internal/manifest"
	"github.com/cqlbulk/cqlbulk/internal/store"
)

// bufferSize is how much of a file is read at once.
const bufferSize = 256 << 10

// file is a file to examine. It belongs to one goroutine at a time.
type file struct {
	path     string
	stated   manifest.File
	findings []string
}

func (f *file) find(format string, args ...any) {
	f.findings = append(f.findings, plain(f.path+": "+fmt.Sprintf(format, args...)))
}

// listed returns the files of a manifest that may be read: those within its folder, each once. The
// others become findings.
func listed(a *account) []*file {
	var files []*file
	folder := store.Dir(a.path)
	seen := make(map[string]bool)
	for _, f := range a.m.Files {
		name := filepath.Clean(f.Name)
		switch {
		case !filepath.IsLocal(f.Name) || name == ".":
			a.find("file %q is not in the manifest's folder and was not looked at", f.Name)
		case seen[name]:
			a.find("file %s is listed twice", f.Name)
		default:
			path := store.Join(folder, filepath.ToSlash(name))
			files = append(files, &file{path: path, stated: f})
		}
		seen[name] = true
	}
	return files
}

// examine checks up to parallel files at the same time, and returns the number of bytes that it
// read. Its only error is the end of ctx.
func (in files) examine(
	ctx context.Context,
	files []*file,
	read bool,
	parallel int,
) (int64, error) {
	group, ctx := errgroup.WithContext(ctx)
	var next, total atomic.Int64
	for range min(parallel, len(files)) {
		group.Go(func() error {
			h := &hasher{ctx: ctx, in: in, buffer: make([]byte, bufferSize)}
			for i := next.Add(1) - 1; i < int64(len(files)); i = next.Add(1) - 1 {
				if err := ctx.Err(); err != nil {
					return err
				}
				n, err := files[i].examine(h, read)
				total.Add(n)
				if err != nil {
					return err
				}
			}
			return nil
		})
	}
	err := group.Wait()
	return total.Load(), err
}

// examine compares the file with what is stated of it.
func (f *file) examine(h *hasher, read bool) (int64, error) {
	info, err := h.in.stat(h.ctx, f.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		f.find("file is missing")
		return 0, nil
	case err != nil:
		f.find("file cannot be checked: %v", bare(err))
		return 0, nil
	case info.Kind != store.Object: // opening a pipe would wait for a writer
		f.find("it is no plain file")
		return 0, nil
	case info.Size != f.stated.Bytes:
		f.find(
			"file has %d bytes, not the %d that the manifest states",
			info.Size,
			f.stated.Bytes,
		)
		return 0, nil
	case !read:
		return 0, nil
	}
	sum, n, err := h.file(f.path, f.stated.Algorithm())
	switch {
	case h.ctx.Err() != nil:
		return n, h.ctx.Err()
	case err != nil:
		f.find("file cannot be read: %v", bare(err))
	case f.stated.IsZero():
		f.find("the manifest states no checksum of the file")
	case !sum.Equal(f.stated.Sum):
		f.find("file has %s, not the %s that the manifest states", sum, f.stated.Sum)
	}
	return n, nil
}

// hasher sums files, one after another.
type hasher struct {
	ctx    context.Context
	in     files
	buffer []byte
	source io.Reader
}

// file gives the checksum of a file, and the bytes read.
func (h *hasher) file(path, algorithm string) (sum filesum.Sum, n int64, err error) {
	f, err := h.in.open(h.ctx, path)
	if err != nil {
		return sum, 0, err
	}
	defer func() { _ = f.Close() }() // it was only read
	h.source = f
	hash := filesum.New(algorithm)
	n, err = io.CopyBuffer(hash, h, h.buffer)
	return hash.Result(), n, err
}

// Read reads on in the file, until the context ends.
func (h *hasher) Read(p []byte) (int, error) {
	if err := h.ctx.Err(); err != nil {
		return 0, err
	}
	return h.source.Read(p)
}
