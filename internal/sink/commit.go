package sink

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/cqlbulk/cqlbulk/internal/fsync"
	"github.com/cqlbulk/cqlbulk/internal/human"
)

// Commit ends the output whole: it closes every file, has it on the disk, then
// gives all of them their names, and has those on the disk too. An output
// without a row becomes one file with nothing but the header.
//
// When anything fails before the first renaming, nothing is renamed, and Parts
// tells what is left; an earlier error of a Write is such a failure. Without
// Force a file that has come up under a final name meanwhile is one too.
func (o *Output) Commit() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.ended {
		return errEnded
	}
	err := o.settle()
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

// Settle takes the first step of Commit ahead: it closes every file, has it on the
// disk, and gives the mark of it, in which all files are finished. A journal that
// holds this mark before Commit gives the names can go on from a crash in the
// middle of that. Every Write after it fails; only Commit or Abort can follow. A
// second call gives the same.
func (o *Output) Settle() (*Mark, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.ended {
		return nil, errEnded
	}
	if err := o.settle(); err != nil {
		return nil, err
	}
	return o.mark()
}

// Ready says why the files could not get their names, if they could not: whether each
// part is the one that was written, and its name is free. Commit looks again.
func (o *Output) Ready() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.ended {
		return errEnded
	}
	if err := o.settle(); err != nil || o.options.Path == "" {
		return err
	}
	return o.allReady(o.parts())
}

// settle closes every file, whole, once.
func (o *Output) settle() error {
	if !o.settled {
		o.atLeastOne()
		o.settled = true
		o.settleErr = o.each((*series).settle)
	}
	return o.settleErr
}

// Abort ends the output as it is: it closes everything and keeps the part files,
// which may hold hours of work; Parts tells which. They hold every row that was
// handed over, unless writing failed; they are not waited for to be on the disk.
// Resume goes on from an earlier mark all the same. It does nothing after a Commit, whether that
// succeeded or not.
func (o *Output) Abort() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.ended {
		return nil
	}
	o.ended = true
	return o.each((*series).abandon)
}

// each does the same with every series, whatever becomes of the others. One
// error stands for all: a full disk is full for everybody.
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

// atLeastOne begins the file of an output without rows. An error stays with the
// series, which is settled next.
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

// name gives the files their names.
func (o *Output) name(parts []partAt) error {
	if err := o.allReady(parts); err != nil {
		return err
	}
	for i, at := range parts {
		p := at.part()
		if p.named {
			continue
		}
		if err := os.Rename(p.partPath(), p.path()); err != nil {
			return fmt.Errorf(
				"output %s: %w (%d of %d files have their names)",
				&p,
				err,
				i,
				len(parts),
			)
		}
		at.series.setNamed(at.index)
	}
	return o.syncFolder()
}

// allReady says why one of the parts may not get its name.
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

// syncFolder has the names of the files on the disk.
func (o *Output) syncFolder() error {
	if err := fsync.Folder(o.folder); err != nil {
		return fmt.Errorf("output folder %s: %w", o.folder, err)
	}
	return nil
}

// ready says whether a part may get its name: whether it is the file that was
// written, and not that of another run, and whether the name is free.
func (o *Output) ready(p *part) error {
	info, err := os.Lstat(p.partPath())
	switch {
	case err != nil:
		return fmt.Errorf("output %s: %w", p, err)
	case info.Size() != p.Bytes:
		return fmt.Errorf(
			"output %s: %s has %d bytes instead of the %d written: another run may be writing it",
			p,
			p.partPath(),
			info.Size(),
			p.Bytes,
		)
	case o.options.Force:
		return nil
	}
	if _, err := os.Lstat(p.path()); err == nil {
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

// RemoveEarlier removes the files of an earlier output from the folder: those that ours names, and
// part files. The caller calls it between Settle and Commit, so that a crash in between leaves part
// files to be seen.
func (o *Output) RemoveEarlier(ours func(name string) bool) (found Earlier, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.options.Dir || !o.options.Force {
		return Earlier{}, nil
	}
	parts, final := make(map[string]bool), make(map[string]bool)
	for _, at := range o.parts() {
		p := at.part()
		parts[p.file+partSuffix] = true
		if p.named {
			parts[p.file] = true
		} else {
			final[p.file] = true
		}
	}
	entries, err := os.ReadDir(o.folder)
	if err != nil {
		return Earlier{}, fmt.Errorf("output folder %s: %w", o.folder, err)
	}
	own := o.options.ownNames()
	for _, e := range entries {
		name := e.Name()
		if parts[name] || !e.Type().IsRegular() || !own.MatchString(name) {
			continue
		}
		unfinished := strings.HasSuffix(name, partSuffix)
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
		if err := os.Remove(filepath.Join(o.folder, name)); err != nil {
			return found, fmt.Errorf("output folder %s: %w", o.folder, err)
		}
	}
	return found, nil
}
