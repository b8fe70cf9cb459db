package sink

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/cqlbulk/cqlbulk/internal/human"
	"github.com/cqlbulk/cqlbulk/internal/store"
)

// Commit ends a complete output. It closes every file and syncs it, then gives all of them their
// names, and syncs those too. An output without a row becomes one file with nothing but the header.
//
// If anything fails before the first renaming, nothing is renamed, and Parts returns what remains.
// An earlier error of a Write is such a failure. Without Force, so is a file that has appeared
// under a final name meanwhile.
func (o *Output) Commit() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.ended {
		return errEnded
	}
	err := o.complete()
	o.ended = true
	if err != nil {
		return err
	}
	parts := o.parts()
	if o.options.Path != "" {
		if err := o.name(parts); err != nil {
			return err
		}
	}
	o.committed = true
	return nil
}

// Complete is the first step of Commit: it closes every file, syncs it, and returns the mark in
// which all files are finished. If a journal holds this mark before Commit gives the names, a run
// can resume after a crash in the middle of the renaming. After Complete every Write fails, and
// only Commit or Abort can follow. A second call returns the same mark.
func (o *Output) Complete() (*Mark, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.ended {
		return nil, errEnded
	}
	if err := o.complete(); err != nil {
		return nil, err
	}
	return o.mark()
}

// Ready returns why the files could not get their names, or nil. It checks that each part is the
// one that was written, and that its name is free. Commit checks again.
func (o *Output) Ready() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.ended {
		return errEnded
	}
	if err := o.complete(); err != nil || o.options.Path == "" {
		return err
	}
	return o.allReady(o.parts())
}

// complete completes and closes every file, once.
func (o *Output) complete() error {
	if !o.completed {
		o.atLeastOne()
		o.completed = true
		o.completeErr = o.each((*series).complete)
		if err := o.waitForSent(); o.completeErr == nil {
			o.completeErr = err
		}
	}
	return o.completeErr
}

// Abort ends the output as it is. It closes everything and keeps the part files, which may hold
// hours of work; Parts returns their paths. They hold every row that was handed over, unless
// writing failed. Abort does not sync them, and Resume continues from an earlier mark all the same.
// After a Commit, whether that succeeded or not, it does nothing.
func (o *Output) Abort() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.ended {
		return nil
	}
	o.ended = true
	o.sent.stop()
	err := o.each((*series).abandon)
	_ = o.waitForSent() // a file that was not sent is sent by the run that resumes this one
	return err
}

// each calls do for every series, also after an error. It returns the first error and the number of
// the others: a full disk is full for all files.
func (o *Output) each(do func(*series) error) error {
	var first error
	failed := 0
	for _, s := range o.series {
		if err := do(s); err != nil {
			if failed++; failed == 1 {
				first = err
			}
		}
	}
	if failed > 1 {
		return fmt.Errorf("%w (and %s failed)", first, human.Of(failed-1, "more file"))
	}
	return first
}

// atLeastOne begins the file of an output without rows. The series keeps an error, and the next
// complete returns it.
func (o *Output) atLeastOne() {
	for _, s := range o.series {
		if s.err != nil || s.files() > 0 {
			return
		}
	}
	s := o.shared
	switch {
	case s != nil:
	case len(o.series) > 0:
		s = o.series[0]
	default:
		s = o.addWorker()
	}
	_ = s.begin()
}

// name gives all files their names.
func (o *Output) name(parts []partAt) error {
	if err := o.allReady(parts); err != nil {
		return err
	}
	named, err := o.publishAll(parts)
	if err != nil {
		return fmt.Errorf("%w (%d of %d files have their names)", err, named, len(parts))
	}
	if err := o.refuseOthers(parts); err != nil {
		return err
	}
	return o.syncFolder()
}

// allReady returns why one of the parts cannot get its name, or nil.
func (o *Output) allReady(parts []partAt) error {
	for _, at := range parts {
		p := at.part()
		if p.named {
			continue
		}
		if err := o.ready(&p); err != nil {
			return err
		}
	}
	return nil
}

// syncFolder brings the names of the files to the disk.
func (o *Output) syncFolder() error {
	if err := o.store.SyncNames(context.Background(), o.folder); err != nil {
		return fmt.Errorf("output folder %s: %w", o.folder, err)
	}
	return nil
}

// ready returns an error if a part cannot get its name. Either the part is not the file that was
// written, but that of another run, or the name is taken.
func (o *Output) ready(p *part) error {
	ctx := context.Background()
	info, err := o.store.Lstat(ctx, p.partPath())
	switch {
	case err != nil:
		return fmt.Errorf("output %s: %w", p, err)
	case info.Size != p.Bytes:
		return fmt.Errorf(
			"output %s: %s has %d bytes instead of the %d written: another run may be writing it",
			p,
			p.partPath(),
			info.Size,
			p.Bytes,
		)
	case o.options.Force:
		return nil
	}
	if _, err := o.store.Lstat(ctx, p.path()); err == nil {
		return TakenError(p.path())
	} else if !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("output %s: %w", p, err)
	}
	return nil
}

// Earlier is what RemoveEarlier found in an output folder.
type Earlier struct {
	// files of the earlier output that are gone, among them those that Commit replaces
	Removed  int
	Left     []string // files that stay, though they have names of an output
	Replaced []string // files that Commit replaces, though they are not of the earlier output
}

// RemoveEarlier removes the files of an earlier output from the folder: those that ours accepts by
// name, and part files. Beside a file it looks only for numbered files of its name. If the output
// is none of those, it leaves alone what ours does not accept. The caller calls it between Complete
// and Commit, so that a crash in between leaves visible part files.
func (o *Output) RemoveEarlier(ours func(name string) bool) (found Earlier, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.options.Path == "" || !o.options.Force {
		return Earlier{}, nil
	}
	plain := !o.options.Dir && !o.options.numbered()
	parts, final := make(map[string]bool), make(map[string]bool)
	for _, at := range o.parts() {
		p := at.part()
		parts[p.file+store.PartSuffix] = true
		if p.named {
			parts[p.file] = true
		} else {
			final[p.file] = true
		}
	}
	ctx := context.Background()
	entries, err := o.store.List(ctx, o.folder)
	switch {
	case err != nil && plain: // a file can be written into a folder that cannot be listed
		return Earlier{}, nil
	case err != nil:
		return Earlier{}, fmt.Errorf("output folder %s: %w", o.folder, err)
	}
	own := numberedNames(o.at.file)
	if o.options.Dir {
		own = o.options.ownNames()
	}
	for _, e := range entries {
		name := e.Base()
		if parts[name] || e.Kind != store.Object || !own.MatchString(name) || plain && !ours(name) {
			continue
		}
		unfinished := strings.HasSuffix(name, store.PartSuffix)
		earlier := !unfinished && ours(name)
		if !earlier && !unfinished {
			if final[name] {
				found.Replaced = append(found.Replaced, name)
			} else {
				found.Left = append(found.Left, name)
			}
			continue
		}
		if earlier {
			found.Removed++
		}
		if final[name] {
			continue // which its successor replaces
		}
		if err := o.store.Remove(ctx, e.Name); err != nil {
			return found, fmt.Errorf("output folder %s: %w", o.folder, err)
		}
	}
	return found, nil
}
