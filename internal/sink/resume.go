package sink

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strings"

	"github.com/cqlbulk/cqlbulk/internal/store"
)

// errWhole is the error of a Write after the one file is complete.
var errWhole = errors.New("the output is whole already, and takes no more rows")

// Resume opens an output again as it was at a mark, whatever became of it since. It cuts an
// unfinished file at the mark, and appends further rows, without another header. Limits
// continue to count, and finished files stay as they are. Part files of the output's own names
// (same Base, Ext and Compression) that the mark does not have were made after it, and are removed.
//
// The options must be those of Open, but for the limits, the level, Force and Verify. No other
// Output may have the files open. The mark should be the last one for which Sync had succeeded.
// Resume checks its numbers, and takes no name from it that the output would not give.
//
// If a file is gone, shorter than marked, longer though finished, or no plain file, Resume refuses,
// and has changed nothing. It reads the content only with Verify. A Commit that was interrupted may
// have given a file its final name already. Such a file counts as named if its size and checksum
// are those of the mark; see [Output.Complete] for the mark that records it so. Writers of one file
// that is finished get an error for every row.
//
// Other errors name the file. Resume then closes what it had opened, and can be called again.
func Resume(o Options, m Mark) (*Output, error) { return resume(o, m, o.place()) }

func resume(o Options, m Mark, place store.StagedStore) (*Output, error) {
	codec, err := o.check()
	if err != nil {
		return nil, err
	}
	if o.Path == "" {
		return nil, errors.New("a stream cannot be resumed")
	}
	o.Header = slices.Clone(o.Header)
	out := &Output{options: o, codec: codec, store: place, folder: o.Path}
	if !o.Dir {
		if out.at, err = claimFile(place, o.Path, true); err != nil {
			return nil, err
		}
		out.folder = out.at.folder
	}
	if err := m.check(&o, out.at.name); err != nil {
		return nil, fmt.Errorf("output %s cannot be resumed: %w", o.Path, err)
	}
	if err := out.restore(m); err != nil {
		return nil, err
	}
	if err := out.removeStrays(len(m.Series) == 0); err != nil {
		return nil, err
	}
	for i, s := range out.series {
		if err := s.reopen(m.Series[i].Open); err != nil {
			for _, s := range out.series {
				s.drop()
			}
			return nil, err
		}
	}
	out.handOut()
	return out, nil
}

// restore makes the series of a mark, and checks that each file is there. It changes no file.
func (o *Output) restore(m Mark) error {
	for _, sm := range m.Series {
		s := o.add(sm.Worker)
		o.workers = max(o.workers, sm.Worker)
		for i, f := range sm.all() {
			p := &part{place: s.where(i + 1)}
			p.File = File{
				Name:      p.name,
				Rows:      f.Rows,
				TextBytes: f.TextBytes,
				Bytes:     f.Bytes,
				Sum:       f.Sum,
			}
			unfinished := i == len(sm.Done)
			var err error
			if p.named, err = o.inspect(p, f, unfinished); err != nil {
				return err
			}
			if unfinished && !p.named {
				s.last = p
				continue
			}
			if p.Sum, err = f.sum(); err != nil {
				return fmt.Errorf("output %s: %w", p, err)
			}
			s.done = append(s.done, markOf(i+1, p.File))
			if p.named {
				s.setNamed(i)
				o.sent.skip(sm.Worker, i+1)
			}
		}
	}
	return nil
}

// removeStrays removes the part files that the mark does not have. A folder without a marked file
// may be missing, if its name was not synced.
func (o *Output) removeStrays(none bool) error {
	if !o.options.Dir && !o.options.numbered() {
		return nil
	}
	ctx := context.Background()
	// In object storage there is no folder before an object is sent.
	onDisk := o.options.Spool == nil
	if _, err := o.store.Stat(ctx, o.folder); none && onDisk && errors.Is(err, fs.ErrNotExist) {
		return claimFolder(
			o.store,
			&Options{Path: o.folder, FolderMode: o.options.FolderMode},
		)
	}
	entries, err := o.store.List(ctx, o.folder)
	if err != nil {
		return fmt.Errorf("output folder %s: %w", o.folder, err)
	}
	known := map[string]bool{}
	for _, p := range o.parts() {
		known[p.name()+store.PartSuffix] = true
	}
	own := regexp.MustCompile(`^` + regexp.QuoteMeta(o.options.Base) + `-\d{4,}-\d{4,}` +
		regexp.QuoteMeta(o.options.Ext+o.codec.ending+store.PartSuffix) + `$`)
	if !o.options.Dir {
		own = numberedNames(o.at.file)
	}
	for _, e := range entries {
		if known[e.Base()] || e.Kind != store.Object || !own.MatchString(e.Base()) ||
			!strings.HasSuffix(e.Base(), store.PartSuffix) {
			continue
		}
		if err := o.store.Remove(ctx, e.Name); err != nil {
			return fmt.Errorf("output folder %s: %w", o.folder, err)
		}
	}
	return nil
}

// reopen opens the unfinished file of the series for more rows, if it has one.
func (s *series) reopen(f *FileMark) error {
	s.changed = true
	p := s.last
	if p == nil {
		return nil
	}
	if err := s.makeChain(p); err != nil {
		return err
	}
	w, err := s.output.store.Restage(context.Background(), p.path(), f.Bytes)
	if err != nil {
		return s.fail(p, err)
	}
	s.open = true
	t := s.output.group.Add(w, p.String())
	if err := s.chain.resume(t, f.Bytes, f.State); err != nil {
		return s.fail(p, err)
	}
	return nil
}

// handOut prepares the series that Writer returns.
func (o *Output) handOut() {
	if !o.options.Dir {
		o.shared = o.series[0]
		if !o.shared.open {
			o.shared.err = fmt.Errorf("output %s: %w", o.at, errWhole)
			o.completed = true
		}
		return
	}
	o.idle = slices.Clone(o.series)
	slices.SortFunc(o.idle, func(a, b *series) int {
		if a.open != b.open {
			if a.open {
				return -1
			}
			return 1
		}
		return cmp.Compare(a.worker, b.worker)
	})
}
