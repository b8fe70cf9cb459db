package reject

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/zeebo/xxh3"

	"github.com/cqlbulk/cqlbulk/internal/fsync"
	"github.com/cqlbulk/cqlbulk/internal/spread"
)

// mostOpen is the largest number of files that are open at a time. Inputs may have thousands of
// headers, but the limit of a process is often a thousand open files.
const mostOpen = 64

// output is one file. While it is closed, all of its content is on the disk.
type output struct {
	path   string
	header []byte
	hash   *xxh3.Hasher // of what was written
	size   int64        // size of the content in bytes
	file   *os.File     // nil when it is not open
	w      *bufio.Writer
	used   int64 // the last use, by the counter of Dir
	dirty  bool  // written to since the last sync
}

// Write implements io.Writer for w.
func (o *output) Write(b []byte) (int, error) {
	n, err := o.file.Write(b)
	_, _ = o.hash.Write(b[:n]) // never fails
	o.size += int64(n)
	o.dirty = true
	return n, err
}

// sync writes the content to the disk.
func (o *output) sync() error {
	if err := o.w.Flush(); err != nil || !o.dirty {
		return err
	}
	err := o.file.Sync()
	o.dirty = err != nil
	return err
}

// reopen opens a file that was closed, to append to it.
func (o *output) reopen() (*os.File, error) {
	f, err := os.OpenFile(o.path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && info.Size() != o.size {
		err = fmt.Errorf(
			"%s has %d bytes instead of the %d that the run had written: it was changed",
			o.path,
			info.Size(),
			o.size,
		)
	}
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	return f, nil
}

// use returns the file of that name, open for writing. If the file is new, use creates it and
// writes its header.
func (d *Dir) use(name string, header []byte) (*output, error) {
	d.used++
	o := d.files[name]
	if o == nil || o.file == nil {
		if err := d.makeRoom(); err != nil {
			return nil, fmt.Errorf("rejects: %w", err)
		}
	}
	switch {
	case o == nil:
		if err := fsync.MkdirAll(d.path); err != nil {
			return nil, fmt.Errorf("run directory: %w", err)
		}
		o = &output{path: filepath.Join(d.path, name), header: header, hash: xxh3.New()}
		f, err := os.OpenFile(o.path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if err != nil {
			return nil, fmt.Errorf("rejects: %w", err)
		}
		d.files[name], d.fresh = o, true
		d.hold(o, f)
		if err := writeRow(o.w, header, true); err != nil {
			return nil, fmt.Errorf("rejects: %w", err)
		}
	case o.file == nil:
		f, err := o.reopen()
		if err != nil {
			return nil, fmt.Errorf("rejects: %w", err)
		}
		d.hold(o, f)
	}
	o.used, d.changed[name] = d.used, true
	return o, nil
}

// hold adds a file to the open ones.
func (d *Dir) hold(o *output, f *os.File) {
	o.file, o.w = f, bufio.NewWriter(o)
	d.open = append(d.open, o)
}

// madeRoom is the number of files that makeRoom closes together.
const madeRoom = mostOpen / 2

// If mostOpen files are open, makeRoom closes those that were not used for longest. It syncs them
// before, since the system may forget a write error of a closed file. Syncing one after the other
// would wait for the disk each time, so they are synced together.
func (d *Dir) makeRoom() error {
	if len(d.open) < mostOpen {
		return nil
	}
	slices.SortFunc(d.open, func(a, b *output) int { return cmp.Compare(a.used, b.used) })
	closing := d.open[:madeRoom]
	if err := syncAll(closing); err != nil {
		return err
	}
	for i, o := range closing {
		if err := o.file.Close(); err != nil {
			d.open = slices.Delete(d.open, 0, i)
			return err
		}
		o.file, o.w = nil, nil
	}
	d.open = slices.Delete(d.open, 0, madeRoom)
	return nil
}

// syncAll syncs files to the disk.
func syncAll(files []*output) error {
	failures := make([]error, len(files))
	spread.EachWaiting(len(files), func(i int) { failures[i] = files[i].sync() })
	return errors.Join(failures...)
}
