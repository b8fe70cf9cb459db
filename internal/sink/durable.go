package sink

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
)

// errUnsynced is the error of a file that was closed, by Abort or after an error, before a Sync
// came.
var errUnsynced = errors.New("closed before it was on the disk")

// durable is a target that knows whether it is on the disk. Sync may run beside a
// Write, and waits for no other lock than that of Close. Its errors stay: after a
// sync has failed, a later one that succeeds proves nothing.
type durable struct {
	target
	name  string
	group *unsynced
	dirty atomic.Bool // written to since the last sync began

	mu     sync.Mutex
	closed bool
	err    error
}

func (d *durable) Write(b []byte) (int, error) {
	n, err := d.target.Write(b)
	// Not before: a Sync that runs beside would take it back, and the bytes come after.
	d.dirty.Store(true)
	return n, err
}

func (d *durable) Sync() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed || d.err != nil || !d.dirty.Load() {
		return d.err
	}
	d.dirty.Store(false)
	d.err = d.target.Sync()
	return d.err
}

func (d *durable) Close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.closed && d.err == nil && d.dirty.Load() {
		d.err = errUnsynced
	}
	d.closed = true
	err := d.target.Close()
	if d.err == nil {
		d.err = err
	}
	if d.err == nil {
		d.group.remove(d)
	}
	return err
}

// unsynced are the files of an output that may not be on the disk yet.
type unsynced struct {
	syncing sync.Mutex // one Sync at a time, so that none returns before its due

	mu    sync.Mutex
	files map[*durable]struct{}
	names bool // files were made since the folder was synced
}

// add puts a file under watch that was made or changed just now.
func (u *unsynced) add(t target, name string) *durable {
	d := &durable{target: t, name: name, group: u}
	d.dirty.Store(true)
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.files == nil {
		u.files = map[*durable]struct{}{}
	}
	u.files[d] = struct{}{}
	u.names = true
	return d
}

func (u *unsynced) remove(d *durable) {
	u.mu.Lock()
	defer u.mu.Unlock()
	delete(u.files, d)
}

// take gives the files, and whether the folder is due.
func (u *unsynced) take() (files []*durable, names bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for d := range u.files {
		files = append(files, d)
	}
	names, u.names = u.names, false
	return files, names
}

func (u *unsynced) namesAreDue() {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.names = true
}

// Sync syncs everything that any earlier Mark covers: the files that are open, those finished
// meanwhile, and their names in the folder. A journal may hold the mark only after Sync has
// succeeded. Sync may run beside writers, which wait for it only when they finish a file. Files
// without new bytes since the last Sync cost nothing.
//
// An error names the file. The error of a file stays, because what was lost then is not known:
// every later Sync repeats it, and Commit refuses. A file that Abort closed after it was written to
// is an error too, so the order is Mark, Sync, Abort. A stream has nothing to sync.
func (o *Output) Sync() error {
	if o.folder == "" {
		return nil
	}
	o.disk.syncing.Lock()
	defer o.disk.syncing.Unlock()
	files, names := o.disk.take()
	var first error
	for _, d := range files {
		if err := d.Sync(); err != nil && first == nil {
			first = fmt.Errorf("output %s: %w", d.name, err)
		}
	}
	if names {
		if err := o.syncFolder(); err != nil {
			o.disk.namesAreDue()
			if first == nil {
				first = err
			}
		}
	}
	return first
}
