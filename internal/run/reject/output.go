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

// mostOpen is how many files are open at a time. Inputs may have thousands of headers,
// and a process often may have a thousand files open in all.
const mostOpen = 64

// output is one file. What it has is on the disk when it is not open.
type output struct {
	path   string
	header []byte
	hash   *xxh3.Hasher // of what was written
	size   int64        // of that, in bytes
	file   *os.File     // nil when it is not open
	w      *bufio.Writer
	used   int64 // when, as Dir counts
	dirty  bool  // it was written to since it was synced
}

// Write implements io.Writer for w.
func (o *output) Write(b []byte) (int, error) {
	n, err := o.file.Write(b)
	_, _ = o.hash.Write(b[:n]) // never fails
	o.size += int64(n)
	o.dirty = true
	return n, err
}

// sync has all that was written on the disk.
func (o *output) sync() error {
	if err := o.w.Flush(); err != nil || !o.dirty {
		return err
	}
	err := o.file.Sync()
	o.dirty = err != nil
	return err
}

// reopen goes on with a file that was closed.
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

// use gives the file of that name, open for more, and made with its header when it is
// new.
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

// hold keeps a file open.
func (d *Dir) hold(o *output, f *os.File) {
	o.file, o.w = f, bufio.NewWriter(o)
	d.open = append(d.open, o)
}

// madeRoom is the number of files that are closed together.
const madeRoom = mostOpen / 2

// makeRoom closes the files that were not used for longest when no more may be open. They are
// synced first: the system may forget that it could not write out a file that is closed. One at a
// time they would wait for the disk one after the other; together they share its work.
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

// syncAll has all that was written to some files on the disk.
func syncAll(files []*output) error {
	failures := make([]error, len(files))
	spread.EachWaiting(len(files), func(i int) { failures[i] = files[i].sync() })
	return errors.Join(failures...)
}
