package storetest

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"net/url"
	"os"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/store"
)

// around is a store around another one, which a broken store changes in one respect. It has no
// unfinished objects, as a bucket has none.
type around struct{ store.Store }

func (around) Can() store.Abilities { return store.Abilities{Atomic: true, Ranged: true} }

// reading changes the readers of a store.
type reading struct {
	around
	change func(s store.Store, r store.Reader) store.Reader
}

func (b reading) Open(ctx context.Context, name string) (store.Reader, error) {
	r, err := b.around.Open(ctx, name)
	if err != nil {
		return nil, err
	}
	return b.change(b.Store, r), nil
}

// shortRanges reads less than it was asked for, without an error.
type shortRanges struct{ store.Reader }

func (r shortRanges) ReadAt(p []byte, at int64) (int, error) {
	if len(p) > 1000 {
		p = p[:len(p)-1]
	}
	return r.Reader.ReadAt(p, at)
}

// cutOff takes a connection that broke for the end of the object.
type cutOff struct {
	store.Reader
	left *int64
}

func (r cutOff) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p[:min(int64(len(p)), *r.left)])
	if *r.left -= int64(n); *r.left == 0 && err == nil {
		err = io.EOF
	}
	return n, err
}

// reopened opens the object again for each read, and does not ask whether it is the same one.
type reopened struct {
	store.Reader
	store store.Store
	at    *int64
}

func (r reopened) Read(p []byte) (int, error) {
	now, err := r.store.Open(context.Background(), r.Info().Name)
	if err != nil {
		return 0, err
	}
	defer now.Close()
	n, err := now.ReadAt(p, *r.at)
	*r.at += int64(n)
	return n, err
}

// otherVersion says of each object that it has one version.
type otherVersion struct{ store.Reader }

func (r otherVersion) Info() store.Info { return oneVersion(r.Reader.Info()) }

func oneVersion(i store.Info) store.Info {
	i.Version = "1"
	return i
}

// unchanging has one version of everything.
type unchanging struct{ reading }

func (b unchanging) Stat(ctx context.Context, name string) (store.Info, error) {
	info, err := b.reading.Stat(ctx, name)
	return oneVersion(info), err
}

// writing changes the writers of a store.
type writing struct {
	around
	change func(store.Writer) store.Writer
}

func (b writing) Create(
	ctx context.Context,
	name string,
	options store.CreateOptions,
) (store.Writer, error) {
	w, err := b.around.Create(ctx, name, options)
	if err != nil {
		return nil, err
	}
	return b.change(w), nil
}

// hiding does not report that a Commit fails.
type hiding struct {
	store.Writer
	ended bool
}

func (w *hiding) Commit(ctx context.Context) error {
	err := w.Writer.Commit(ctx)
	if !w.ended {
		err = nil
	}
	w.ended = true
	return err
}

// forgetful holds back some bytes, and loses them at Commit.
type forgetful struct {
	store.Writer
	held []byte
}

func (w *forgetful) Write(p []byte) (int, error) {
	_, err := w.Writer.Write(w.held)
	w.held = bytes.Clone(p)
	return len(p), err
}

// inPlace writes under the final name, and keeps what came before.
type inPlace struct{ around }

type inPlaceWriter struct {
	*os.File
	store.Writer // of the real object, which is given up
}

func (w inPlaceWriter) Write(p []byte) (int, error) { return w.File.Write(p) }

func (w inPlaceWriter) Commit(ctx context.Context) error {
	return errors.Join(w.Writer.Abort(ctx), w.File.Close())
}

func (w inPlaceWriter) Abort(ctx context.Context) error {
	return errors.Join(w.Writer.Abort(ctx), w.File.Close(), os.Remove(w.Name()))
}

func (b inPlace) Create(
	ctx context.Context,
	name string,
	options store.CreateOptions,
) (store.Writer, error) {
	w, err := b.around.Create(ctx, name, options)
	if err != nil {
		return nil, err
	}
	f, err := os.Create(name)
	return inPlaceWriter{f, w}, err
}

// copying puts an object under its name in two steps, instead of renaming it.
type copying struct {
	around
	steps *steps
}

// steps has the second step wait until the first was seen.
type steps struct {
	mu   sync.Mutex
	seen chan struct{} // nil: no object is between its steps
}

type copyingWriter struct {
	store.Writer
	name  string
	steps *steps
	text  []byte
}

func (w *copyingWriter) Write(p []byte) (int, error) {
	w.text = append(w.text, p...)
	return w.Writer.Write(p)
}

func (w *copyingWriter) Commit(ctx context.Context) error {
	if old, err := os.ReadFile(w.name); err == nil && len(old) > 0 {
		seen := make(chan struct{})
		w.steps.mu.Lock()
		err := os.WriteFile(w.name, w.text[:len(w.text)/2], 0o600)
		w.steps.seen = seen
		w.steps.mu.Unlock()
		if err != nil {
			return err
		}
		<-seen
	}
	return w.Writer.Commit(ctx)
}

func (b copying) Create(
	ctx context.Context,
	name string,
	options store.CreateOptions,
) (store.Writer, error) {
	w, err := b.around.Create(ctx, name, options)
	if err != nil || !options.Over {
		return w, err
	}
	return &copyingWriter{Writer: w, name: name, steps: b.steps}, nil
}

func (b copying) Open(ctx context.Context, name string) (store.Reader, error) {
	b.steps.mu.Lock()
	defer b.steps.mu.Unlock()
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	r, err := b.around.Open(ctx, name)
	if err != nil {
		return nil, err
	}
	if b.steps.seen != nil {
		close(b.steps.seen)
		b.steps.seen = nil
	}
	return snapshotReader{r, bytes.NewReader(text)}, nil
}

// snapshotReader reads the bytes that an object had when it was opened.
type snapshotReader struct {
	store.Reader
	text *bytes.Reader
}

func (r snapshotReader) Read(p []byte) (int, error) { return r.text.Read(p) }

// staleList remembers the first list of a folder.
type staleList struct {
	around
	mu    *sync.Mutex
	lists map[string][]store.Info
}

func (b staleList) List(ctx context.Context, folder string) ([]store.Info, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if had, ok := b.lists[folder]; ok {
		return had, nil
	}
	all, err := b.around.List(ctx, folder)
	b.lists[folder] = all
	return all, err
}

// careless replaces whatever has the name.
type careless struct{ around }

func (b careless) Create(
	ctx context.Context,
	name string,
	options store.CreateOptions,
) (store.Writer, error) {
	options.Over = true
	return b.around.Create(ctx, name, options)
}

// leaving commits what it was asked to give up.
type leaving struct{ store.Writer }

func (w leaving) Abort(ctx context.Context) error { return w.Commit(ctx) }

// vague has an error of its own for what is not there.
type vague struct{ around }

func (b vague) Stat(ctx context.Context, name string) (store.Info, error) {
	info, err := b.around.Stat(ctx, name)
	if errors.Is(err, fs.ErrNotExist) {
		err = errors.New("404")
	}
	return info, err
}

// unescaping takes a percent sign for the beginning of an escape.
type unescaping struct{ around }

func (b unescaping) Create(
	ctx context.Context,
	name string,
	options store.CreateOptions,
) (store.Writer, error) {
	if plain, err := url.PathUnescape(name); err == nil {
		name = plain
	}
	return b.around.Create(ctx, name, options)
}

// readers returns a function that breaks the readers of a store.
func readers(change func(store.Store, store.Reader) store.Reader) func(store.Store) store.Store {
	return func(s store.Store) store.Store { return reading{around{s}, change} }
}

// writers returns a function that breaks the writers of a store.
func writers(change func(store.Writer) store.Writer) func(store.Store) store.Store {
	return func(s store.Store) store.Store { return writing{around{s}, change} }
}

// TestBrokenStoresAreRejected: each store breaks one rule, and the check of that rule fails. The
// first store breaks none.
func TestBrokenStoresAreRejected(t *testing.T) {
	for _, c := range []struct {
		name   string
		broken func(store.Store) store.Store
		want   []string // checks that fail, besides others; none: all succeed
	}{
		{"a store that is right", func(s store.Store) store.Store { return around{s} }, nil},
		{
			"short reads of ranges",
			readers(func(_ store.Store, r store.Reader) store.Reader { return shortRanges{r} }),
			[]string{"a ranged read is whole", "reads at the same time"},
		},
		{
			"a read that is cut off and looks complete",
			readers(func(_ store.Store, r store.Reader) store.Reader {
				left := max(1, r.Info().Size-1)
				return cutOff{r, &left}
			}),
			[]string{"an object is what was written"},
		},
		{
			"a reader that mixes objects",
			readers(func(s store.Store, r store.Reader) store.Reader {
				return reopened{r, s, new(int64)}
			}),
			[]string{"an open reader never mixes two objects"},
		},
		{
			"a failure of Commit that is hidden",
			writers(func(w store.Writer) store.Writer {
				return &hiding{Writer: w}
			}),
			[]string{"a failure is reported by Commit"},
		},
		{
			"bytes that are lost at Commit",
			writers(func(w store.Writer) store.Writer {
				return &forgetful{Writer: w}
			}),
			[]string{"an object is what was written"},
		},
		{
			"an object that is seen while it is written",
			func(s store.Store) store.Store { return inPlace{around{s}} },
			[]string{"nothing is seen before Commit", "the old object is whole until Commit"},
		},
		{
			"a rename in two steps",
			func(s store.Store) store.Store { return copying{around{s}, &steps{}} },
			[]string{"Commit is one step"},
		},
		{
			"a list that is stale",
			func(s store.Store) store.Store {
				return staleList{around{s}, new(sync.Mutex), map[string][]store.Info{}}
			},
			[]string{"a list has what is there now"},
		},
		{
			"a version that stays",
			func(s store.Store) store.Store {
				change := func(_ store.Store, r store.Reader) store.Reader {
					return otherVersion{r}
				}
				return unchanging{reading{around{s}, change}}
			},
			[]string{"a version differs when the bytes do"},
		},
		{
			"a name that is taken without asking",
			func(s store.Store) store.Store { return careless{around{s}} },
			[]string{"a name that is taken"},
		},
		{
			"an aborted object that stays",
			writers(func(w store.Writer) store.Writer { return leaving{w} }),
			[]string{"nothing is left of an aborted object"},
		},
		{
			"an error that is not fs.ErrNotExist",
			func(s store.Store) store.Store { return vague{around{s}} },
			[]string{"what is not there"},
		},
		{
			"names that are escaped wrongly",
			func(s store.Store) store.Store { return unescaping{around{s}} },
			[]string{"names of all kinds"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			failed := []string{}
			for _, check := range Checks(onDisk(t, c.broken)) {
				if len(c.want) > 0 && !slices.Contains(c.want, check.Name) {
					continue
				}
				if err := check.Run(t.Context(), onDisk(t, c.broken)); err != nil {
					t.Logf("%s: %v", check.Name, err)
					failed = append(failed, check.Name)
				}
			}
			require.ElementsMatch(t, c.want, failed)
		})
	}
}

// uncut opens an unfinished object again, and leaves what is behind the mark.
type uncut struct{ store.Disk }

func (d uncut) Restage(ctx context.Context, name string, size int64) (store.StagedWriter, error) {
	info, err := d.Stat(ctx, name+store.PartSuffix)
	if err != nil || info.Size < size {
		return nil, errors.Join(err, errors.New("shorter than the mark"))
	}
	return d.Disk.Restage(ctx, name, info.Size)
}

// hopeful does not report that names were not given.
type hopeful struct{ store.Disk }

func (d hopeful) Publish(ctx context.Context, name string) error {
	_ = d.Disk.Publish(ctx, name)
	return nil
}

func (hopeful) SyncNames(context.Context, string) error { return nil }

// early has an unfinished object under its final name.
type early struct{ store.Disk }

func (d early) Stage(
	ctx context.Context,
	name string,
	options store.CreateOptions,
) (store.StagedWriter, error) {
	w, err := d.Disk.Stage(ctx, name, options)
	return w, errors.Join(err, os.Link(name+store.PartSuffix, name))
}

func TestBrokenStagedStoresAreRejected(t *testing.T) {
	for name, c := range map[string]struct {
		store store.StagedStore
		want  string
	}{
		"a mark that is not cut":          {uncut{}, "an unfinished object is cut at a mark"},
		"a failed Publish that is hidden": {hopeful{}, "a failure is reported by Publish"},
		"a name that is seen early":       {early{}, "an unfinished object is published"},
	} {
		t.Run(name, func(t *testing.T) {
			place := func() Place {
				p := onDisk(t, func(store.Store) store.Store { return c.store })
				p.Staged = c.store
				return p
			}
			checks := Checks(place())
			i := slices.IndexFunc(checks, func(k Check) bool { return k.Name == c.want })
			err := checks[i].Run(t.Context(), place())
			require.Error(t, err)
			t.Log(err)
		})
	}
}
