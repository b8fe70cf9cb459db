package store

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/cqlbulk/cqlbulk/internal/fsync"
)

// Remote is a store whose objects are sent to a service.
type Remote interface {
	Store
	// CheckWritable returns why no object of that name could be written, as far as that can be
	// known without one.
	CheckWritable(ctx context.Context, name string) error
}

// Spool makes a [StagedStore] of a store that cannot append: unfinished objects are files in a
// folder on the disk, and Publish sends them. The folder is made with the first of them, and
// removed with the last. Two unfinished objects must not have the same last part of their names.
type Spool struct {
	Remote
	Folder string
	Over   bool // Publish replaces an object of that name

	mu sync.Mutex // the folder is made and used, or removed
}

var _ StagedStore = (*Spool)(nil)

// Can returns what the disk can do for unfinished objects.
func (*Spool) Can() Abilities {
	return Abilities{Atomic: true, Ranged: true, Rename: true, Append: true, Truncate: true}
}

// local returns the file of an unfinished object: its final name, without the suffix.
func (s *Spool) local(name string) string { return filepath.Join(s.Folder, path.Base(name)) }

// unfinished reports whether a name is that of an unfinished object.
func unfinished(name string) bool { return strings.HasSuffix(name, PartSuffix) }

// Claim is a method of StagedStore.
func (s *Spool) Claim(ctx context.Context, name string, over bool) (string, error) {
	info, err := s.Remote.Stat(ctx, name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return "", err
	case info.Kind == Folder:
		return "", ErrFolder
	case !over:
		return "", fs.ErrExist
	}
	if _, err := (Disk{}).Lstat(ctx, s.local(name)+PartSuffix); err == nil && !over {
		return "", ErrUnfinished
	}
	return name, s.CheckWritable(ctx, name)
}

// Stage is a method of StagedStore.
func (s *Spool) Stage(ctx context.Context, name string, o CreateOptions) (StagedWriter, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := (Disk{}).MakeFolder(ctx, s.Folder, 0); err != nil {
		return nil, err
	}
	w, err := Disk{}.Stage(ctx, s.local(name), CreateOptions{Over: o.Over})
	if err != nil {
		return nil, err
	}
	return &spoolWriter{w, s, name, o.Over}, nil
}

// Restage is a method of StagedStore.
func (s *Spool) Restage(ctx context.Context, name string, size int64) (StagedWriter, error) {
	w, err := Disk{}.Restage(ctx, s.local(name), size)
	if err != nil {
		return nil, err
	}
	return &spoolWriter{w, s, name, false}, nil
}

// spoolWriter writes an unfinished object. Its Commit sends it.
type spoolWriter struct {
	StagedWriter
	s    *Spool
	name string
	over bool
}

// Commit is a method of Writer.
func (w *spoolWriter) Commit(ctx context.Context) error {
	if err := w.Sync(); err != nil {
		return errors.Join(err, w.Close())
	}
	if err := w.Close(); err != nil {
		return err
	}
	return w.s.publish(ctx, w.name, w.over)
}

// Abort is a method of Writer.
func (w *spoolWriter) Abort(ctx context.Context) error {
	err := w.StagedWriter.Abort(ctx)
	w.s.removeFolder()
	return err
}

// removeFolder removes the folder if no unfinished object is in it.
func (s *Spool) removeFolder() {
	s.mu.Lock()
	defer s.mu.Unlock()
	_ = os.Remove(s.Folder) // which fails for others
}

// Publish sends an unfinished object, and removes its file.
func (s *Spool) Publish(ctx context.Context, name string) error {
	return s.publish(ctx, name, s.Over)
}

func (s *Spool) publish(ctx context.Context, name string, over bool) error {
	part := s.local(name) + PartSuffix
	from, err := os.Open(part)
	if err != nil {
		return err
	}
	defer func() { _ = from.Close() }() // it was only read
	info, err := from.Stat()
	if err != nil {
		return err
	}
	to, err := s.Remote.Create(ctx, name, CreateOptions{Over: over, Size: info.Size()})
	if err != nil {
		return err
	}
	if _, err := io.Copy(to, from); err != nil {
		return errors.Join(err, to.Abort(context.WithoutCancel(ctx)))
	}
	if err := to.Commit(ctx); err != nil {
		return err
	}
	err = os.Remove(part)
	s.removeFolder()
	return err
}

// Lstat is a method of StagedStore.
func (s *Spool) Lstat(ctx context.Context, name string) (Info, error) { return s.Stat(ctx, name) }

// Stat is a method of Store.
func (s *Spool) Stat(ctx context.Context, name string) (Info, error) {
	if !unfinished(name) {
		return s.Remote.Stat(ctx, name)
	}
	info, err := Disk{}.Lstat(ctx, s.local(name))
	info.Name = name
	return info, err
}

// Open is a method of Store.
func (s *Spool) Open(ctx context.Context, name string) (Reader, error) {
	if !unfinished(name) {
		return s.Remote.Open(ctx, name)
	}
	return Disk{}.Open(ctx, s.local(name))
}

// Remove is a method of Store.
func (s *Spool) Remove(ctx context.Context, name string) error {
	if !unfinished(name) {
		return s.Remote.Remove(ctx, name)
	}
	err := Disk{}.Remove(ctx, s.local(name))
	s.removeFolder()
	if errors.Is(err, fs.ErrNotExist) { // an object that ends so
		return s.Remote.Remove(ctx, name)
	}
	return err
}

// Part returns the file that an unfinished object is in.
func (s *Spool) Part(name string) string { return s.local(name) + PartSuffix }

// List is a method of Store. Unfinished objects are in each folder: one output alone has them.
func (s *Spool) List(ctx context.Context, folder string) ([]Info, error) {
	all, err := s.Remote.List(ctx, folder)
	if err != nil {
		return nil, err
	}
	parts, err := Disk{}.List(ctx, s.Folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for _, part := range parts {
		part.Name = Join(folder, part.Base())
		all = append(all, part)
	}
	slices.SortFunc(all, func(a, b Info) int { return strings.Compare(a.Name, b.Name) })
	return all, nil
}

// SyncNames has the names of unfinished objects on the disk. An object that was sent survives.
func (s *Spool) SyncNames(context.Context, string) error {
	if err := fsync.Folder(s.Folder); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// MakeFolder makes nothing: objects have folders by their names alone. It returns why no object
// could be written.
func (s *Spool) MakeFolder(ctx context.Context, folder string, _ fs.FileMode) error {
	return s.CheckWritable(ctx, Join(folder, "object"))
}
