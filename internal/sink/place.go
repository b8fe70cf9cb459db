package sink

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/cqlbulk/cqlbulk/internal/human"
	"github.com/cqlbulk/cqlbulk/internal/store"
)

// place is where a file is written. The zero place is the stream.
type place struct {
	folder string
	file   string // in the folder
	name   string // in messages and manifests: that of a link, not of its file
}

func (p place) isStream() bool   { return p == place{} }
func (p place) path() string     { return store.Join(p.folder, p.file) }
func (p place) partPath() string { return p.path() + store.PartSuffix }

// String names the place in errors.
func (p place) String() string {
	if p.isStream() {
		return "stream"
	}
	return p.path()
}

// part is a file of the output and what is known of it.
type part struct {
	place
	File
	named bool // has its final name
}

// String is that of the place.
func (p *part) String() string { return p.place.String() }

// begin creates the file of a part, or takes the stream.
func (o *Output) begin(p *part) (target, error) {
	ctx := context.Background()
	if p.isStream() {
		stream := store.Stream{Out: o.options.Stream}
		w, err := stream.Create(ctx, store.Stdio, store.CreateOptions{})
		return streamTarget{w}, err
	}
	options := store.CreateOptions{Over: o.options.Force, Mode: o.options.Mode}
	w, err := o.store.Stage(ctx, p.path(), options)
	if err != nil {
		return nil, o.cannotMake(err)
	}
	return o.group.Add(w, p.String()), nil
}

// cannotMake adds to an error what to do if a file of the output cannot be created.
func (o *Output) cannotMake(err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("folder %s does not exist", o.folder)
	case errors.Is(err, fs.ErrPermission), errors.Is(err, unix.EROFS):
		return fmt.Errorf("%w; %s", err, o.options.another())
	default:
		return err
	}
}

// another names the flag that sends the output elsewhere.
func (o *Options) another() string {
	if o.Dir {
		return "--dir names another folder"
	}
	return "--output names another file"
}

// claimFile returns where one output file goes. A link leads to the file it names.
func claimFile(s store.StagedStore, path string, force bool) (place, error) {
	final, err := s.Claim(context.Background(), path, force)
	switch {
	case errors.Is(err, store.ErrFolder):
		return place{}, fmt.Errorf("output %s is a folder: --dir %[1]s writes files into it", path)
	case errors.Is(err, store.ErrNotPlain):
		return place{}, fmt.Errorf(
			"output %s is no plain file: send the standard output there instead",
			path,
		)
	case errors.Is(err, fs.ErrExist):
		return place{}, ExistsError(path)
	case errors.Is(err, store.ErrUnfinished):
		return place{}, fmt.Errorf(
			"output %s exists already, of a scan that was stopped or is under way: resume that one, or overwrite its output with --force",
			path+store.PartSuffix,
		)
	case err != nil:
		return place{}, fmt.Errorf("output %s: %w", path, err)
	}
	return place{
		folder: store.Dir(final),
		file:   filepath.Base(final),
		name:   filepath.Base(path),
	}, nil
}

// claimNumbered checks that numbered files can stand beside the first one, which is at a place.
func claimNumbered(s store.StagedStore, o *Options, at place) error {
	if !o.numbered() {
		return nil
	}
	if at.path() != store.Clean(o.Path) {
		return fmt.Errorf(
			"output %s is a link: name the file itself, beside which the others are to stand",
			o.Path,
		)
	}
	entries, err := s.List(context.Background(), at.folder)
	if errors.Is(err, fs.ErrNotExist) || o.Force {
		return nil
	}
	if err != nil {
		return fmt.Errorf("output %s: %w", o.Path, err)
	}
	numbered := numberedNames(at.file)
	for _, e := range entries {
		if numbered.MatchString(e.Base()) {
			return ExistsError(store.Join(at.folder, e.Base()))
		}
	}
	return nil
}

// claimFolder makes the folder, or checks that it is empty.
func claimFolder(s store.StagedStore, o *Options) error {
	there, err := folderThere(s, o.Path, o.Force)
	if err != nil || there && o.Spool == nil {
		return err
	}
	if err = s.MakeFolder(context.Background(), o.Path, o.FolderMode); err != nil {
		return fmt.Errorf("output folder %s: %w; --dir names another one", o.Path, err)
	}
	return nil
}

// folderThere reports whether the folder is there, and refuses one that is not empty.
func folderThere(s store.StagedStore, path string, force bool) (bool, error) {
	entries, err := s.List(context.Background(), path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	case err != nil:
		return true, fmt.Errorf("output folder %s: %w", path, err)
	}
	files, unfinished := 0, 0
	for _, e := range entries {
		if e.Kind != store.Folder {
			files++
		}
		if strings.HasSuffix(e.Base(), store.PartSuffix) {
			unfinished++
		}
	}
	if spool, ok := s.(*store.Spool); ok && files > 0 && files == unfinished && !force {
		return true, fmt.Errorf(
			"output folder %s: a scan into it was stopped or is under way, and %s of it are in %s: "+
				"resume that one, or overwrite its output with --force",
			path,
			human.Of(files, "unfinished file"),
			spool.Folder,
		)
	}
	if files > 0 && !force {
		return true, fmt.Errorf(
			"output folder %s is not empty (%s): name another folder, or write over it with --force",
			path,
			human.Of(files, "file"),
		)
	}
	return true, nil
}

// ExistsError is for a file that must not be there.
func ExistsError(path string) error {
	return fmt.Errorf(
		"output %s exists already: name another file, or write over it with --force",
		path,
	)
}

// TakenError is for a file that was not there when the output was begun.
func TakenError(path string) error {
	return fmt.Errorf(
		"output %s exists now, and did not when the run began: move it away, and resume",
		path,
	)
}

// Check returns what Open would refuse, and makes nothing.
func Check(o Options) error {
	if _, err := o.check(); err != nil {
		return err
	}
	var disk store.Disk
	at := o.Path
	switch {
	case o.Path == "":
		return nil
	case o.Dir:
		if _, err := folderThere(o.place(), o.Path, o.Force); err != nil {
			return err
		}
	default:
		claimed, err := claimFile(o.place(), o.Path, o.Force)
		if err == nil {
			err = claimNumbered(o.place(), &o, claimed)
		}
		if err != nil {
			return err
		}
		at = store.Dir(o.Path)
	}
	if o.Spool != nil {
		at = o.Spool.Folder
		o.Dir = true // which is not there yet
	}
	for o.Dir { // the first folder that is there
		_, err := disk.Stat(context.Background(), at)
		if !errors.Is(err, fs.ErrNotExist) || at == filepath.Dir(at) {
			break
		}
		at = filepath.Dir(at)
	}
	if err := disk.CheckWritable(at); err != nil {
		return fmt.Errorf(
			"output %s: nothing can be written in %s: %w; %s",
			o.Path,
			at,
			err,
			o.another(),
		)
	}
	return nil
}
