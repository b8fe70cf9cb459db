package journal

import (
	"errors"
	"fmt"
	"io/fs"
)

// Sync writes to the disk each record whose Append returned before Sync was called. It costs
// nothing if they are there already. Concurrent calls share one fsync, and an Append does not wait
// for it. An error stays, like that of an Append: after a failed fsync the content of the disk is
// unknown.
func (j *Journal) Sync() error {
	j.mu.Lock()
	want, file, err := j.size, j.file, j.err
	j.mu.Unlock()
	if err != nil {
		return err
	}
	j.syncing.Lock()
	defer j.syncing.Unlock()
	if j.synced >= want {
		return nil
	}
	if err := file.Sync(); err != nil {
		j.mu.Lock()
		defer j.mu.Unlock()
		if j.err != nil {
			return j.err
		}
		return j.fail(err)
	}
	if err := j.vouch(want); err != nil {
		j.mu.Lock()
		defer j.mu.Unlock()
		return j.fail(err)
	}
	j.synced = want
	return nil
}

// errClosed is the error of a closed journal.
var errClosed = errors.New("the journal is closed")

// Close writes the records to the disk, releases the lock and closes the journal. It returns the
// first error of the journal, if there was one. A second Close does nothing.
func (j *Journal) Close() error {
	err := j.Sync()
	j.syncing.Lock() // a Sync under way still needs the file
	defer j.syncing.Unlock()
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.closed {
		return nil
	}
	j.closed = true
	if err == nil {
		err = j.err
	}
	gone := j.root.Remove(lockName)
	if errors.Is(gone, fs.ErrNotExist) {
		gone = nil
	}
	if failure := errors.Join(
		gone,
		j.file.Close(),
		j.vouched.Close(),
		j.root.Close(),
	); err == nil &&
		failure != nil {
		err = fmt.Errorf("journal %s: %w", j.path(), failure)
	}
	if j.err == nil {
		_ = j.fail(errClosed)
	}
	return err
}
