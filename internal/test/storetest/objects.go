package storetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"sync"

	"github.com/cqlbulk/cqlbulk/internal/store"
)

// large is the size of an object that stores with parts send in several (the least part of S3 has
// 5 MiB).
const large = 11 << 20

// objectChecks are the checks of [store.Store].
func objectChecks() []Check {
	breaks := func(p Place) bool { return p.Break != nil }
	return []Check{
		{Name: "abilities", Run: checkAbilities},
		{Name: "an object is what was written", Run: checkContent},
		{Name: "a ranged read is whole", Run: checkRanges},
		{Name: "reads at the same time", Run: checkParallel},
		{Name: "nothing is seen before Commit", Run: checkUnseen},
		{Name: "the old object is whole until Commit", Run: checkReplaced},
		{Name: "Commit is one step", Run: checkOneStep},
		{Name: "an open reader never mixes two objects", Run: checkReaderOfOld},
		{Name: "nothing is left of an aborted object", Run: checkAborted},
		{Name: "a name that is taken", Run: checkTaken},
		{Name: "two writers of one name", Run: checkTwoWriters},
		{Name: "a writer ends once", Run: checkEnded},
		{Name: "a failure is reported by Commit", Run: checkBroken, needs: breaks},
		{Name: "a version differs when the bytes do", Run: checkVersion},
		{Name: "a list has what is there now", Run: checkList},
		{Name: "names of all kinds", Run: checkNames},
		{Name: "what is not there", Run: checkMissing},
	}
}

// text returns size bytes that have no period, so that bytes in the wrong place are seen.
func text(size int, seed uint32) []byte {
	b := make([]byte, size)
	x := seed*2654435761 + 1
	for i := range b {
		x ^= x << 13
		x ^= x >> 17
		x ^= x << 5
		b[i] = byte(x)
	}
	return b
}

// put creates an object and commits it.
func (p Place) put(ctx context.Context, name string, b []byte, over bool) error {
	w, err := p.Store.Create(ctx, name, store.CreateOptions{Over: over})
	if err != nil {
		return because("Create", err)
	}
	if err := write(w, b); err != nil {
		return errors.Join(because("Write", err), w.Abort(ctx))
	}
	return because("Commit", w.Commit(ctx))
}

// write writes in pieces that are no power of two.
func write(w io.Writer, b []byte) error {
	for piece := range slices.Chunk(b, 70_001) {
		n, err := w.Write(piece)
		if err == nil && n < len(piece) {
			err = io.ErrShortWrite
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// get reads an object from its beginning to its end.
func (p Place) get(ctx context.Context, name string) ([]byte, error) {
	r, err := p.Store.Open(ctx, name)
	if err != nil {
		return nil, because("Open", err)
	}
	b, err := io.ReadAll(r)
	return b, first(because("Read", err), because("Close", r.Close()))
}

// has checks that an object of that name has exactly these bytes, by each method that says so.
func (p Place) has(ctx context.Context, name string, want []byte) error {
	got, err := p.get(ctx, name)
	if err != nil {
		return err
	}
	if !bytes.Equal(got, want) {
		return fmt.Errorf("%s: read %d bytes that are not the %d written", name, len(got), len(want))
	}
	info, err := p.Store.Stat(ctx, name)
	switch {
	case err != nil:
		return because("Stat", err)
	case info.Kind != store.Object || info.Size != int64(len(want)) || info.Name != name:
		return fmt.Errorf("%s: Stat returns %+v for an object of %d bytes", name, info, len(want))
	case info.Version == "":
		return fmt.Errorf("%s: Stat returns no version", name)
	}
	return p.listed(ctx, name, true)
}

// hasNot checks that there is no such object, by each method that says so.
func (p Place) hasNot(ctx context.Context, name string) error {
	if r, err := p.Store.Open(ctx, name); err == nil {
		return errors.Join(fmt.Errorf("%s: can be opened", name), r.Close())
	} else if !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s: Open returns %w instead of fs.ErrNotExist", name, err)
	}
	if info, err := p.Store.Stat(ctx, name); err == nil {
		return fmt.Errorf("%s: Stat returns %+v", name, info)
	} else if !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s: Stat returns %w instead of fs.ErrNotExist", name, err)
	}
	return p.listed(ctx, name, false)
}

// listed checks whether the place's folder has a name.
func (p Place) listed(ctx context.Context, name string, want bool) error {
	all, err := p.Store.List(ctx, p.Folder)
	if err != nil {
		return because("List", err)
	}
	got := slices.ContainsFunc(all, func(i store.Info) bool { return i.Name == name })
	if got != want {
		return fmt.Errorf("%s: whether it is in the list: %t instead of %t", name, got, want)
	}
	return nil
}

func checkAbilities(_ context.Context, p Place) error {
	can := p.Store.Can()
	staged := p.Staged != nil
	switch {
	case !can.Atomic:
		return errors.New("objects are seen before Commit, by the store's own word")
	case staged != (can.Marks() == store.MarkBytes):
		return fmt.Errorf("marks are %d, and whether it is a StagedStore is %t", can.Marks(), staged)
	case can != p.Store.Can():
		return errors.New("abilities change")
	}
	return nil
}

func checkContent(ctx context.Context, p Place) error {
	for i, size := range []int{0, 1, 4096, 100_000, large} {
		name, b := p.name(fmt.Sprintf("object-%d", size)), text(size, uint32(i))
		if err := first(p.put(ctx, name, b, false), p.has(ctx, name, b)); err != nil {
			return fmt.Errorf("%d bytes: %w", size, err)
		}
	}
	return nil
}

// open puts an object and opens it.
func (p Place) open(ctx context.Context, b []byte) (store.Reader, error) {
	name := p.name("object")
	if err := p.put(ctx, name, b, true); err != nil {
		return nil, err
	}
	r, err := p.Store.Open(ctx, name)
	return r, because("Open", err)
}

func checkRanges(ctx context.Context, p Place) error {
	b := text(300_000, 1)
	r, err := p.open(ctx, b)
	if err != nil || !p.Store.Can().Ranged {
		return err
	}
	return errors.Join(ranges(r, b), because("Close", r.Close()))
}

// ranges checks ReadAt and Seek within the bytes, at their end and beyond.
func ranges(r store.Reader, b []byte) error {
	if !r.Info().Ranged() || r.Info().Size != int64(len(b)) {
		return fmt.Errorf("the reader's Info is %+v", r.Info())
	}
	for _, at := range []int{0, 1, 4095, 65_536, len(b) - 10, len(b), len(b) + 5} {
		for _, size := range []int{0, 1, 10, 70_000} {
			got := make([]byte, size)
			want := b[min(at, len(b)):min(at+size, len(b))]
			n, err := r.ReadAt(got, int64(at))
			if n != len(want) || !bytes.Equal(got[:n], want) {
				return fmt.Errorf("ReadAt(%d bytes, %d) reads %d: %w", size, at, n, cmpErr(err))
			}
			end := errors.Is(err, io.EOF)
			if n < size && !end || n == size && err != nil && !end {
				return fmt.Errorf("ReadAt(%d bytes, %d) reads %d: %w", size, at, n, noError(err))
			}
		}
	}
	for _, at := range []int64{200_001, 3, 299_999} {
		if _, err := r.Seek(at, io.SeekStart); err != nil {
			return because("Seek", err)
		}
		got, err := io.ReadAll(r)
		if err != nil || !bytes.Equal(got, b[at:]) {
			return fmt.Errorf("after Seek(%d) there are %d bytes: %w", at, len(got), cmpErr(err))
		}
	}
	return nil
}

func checkParallel(ctx context.Context, p Place) error {
	b := text(1<<20, 2)
	r, err := p.open(ctx, b)
	if err != nil || !p.Store.Can().Ranged {
		return err
	}
	errs := make([]error, 8)
	var group sync.WaitGroup
	for i := range errs {
		group.Go(func() {
			for at := i * 1000; at < len(b); at += 97_003 {
				got := make([]byte, min(50_000, len(b)-at))
				_, err := r.ReadAt(got, int64(at))
				if err != nil || !bytes.Equal(got, b[at:at+len(got)]) {
					errs[i] = fmt.Errorf("ReadAt(%d): %w", at, cmpErr(err))
					return
				}
			}
		})
	}
	group.Wait()
	return errors.Join(append(errs, because("Close", r.Close()))...)
}

// cmpErr names the fault of bytes that came without an error.
func cmpErr(err error) error {
	if err == nil {
		return errors.New("other bytes than those written")
	}
	return err
}

func checkUnseen(ctx context.Context, p Place) error {
	name, b := p.name("object"), text(large, 3)
	w, err := p.Store.Create(ctx, name, store.CreateOptions{})
	if err != nil {
		return because("Create", err)
	}
	err = p.hasNot(ctx, name)
	for half := range slices.Chunk(b, len(b)/2) {
		err = first(err, write(w, half), p.hasNot(ctx, name))
	}
	if err != nil {
		return errors.Join(because("before Commit", err), w.Abort(ctx))
	}
	return first(because("Commit", w.Commit(ctx)), p.has(ctx, name, b))
}

func checkReplaced(ctx context.Context, p Place) error {
	name, old, b := p.name("object"), text(200_000, 4), text(large, 5)
	if err := p.put(ctx, name, old, false); err != nil {
		return err
	}
	w, err := p.Store.Create(ctx, name, store.CreateOptions{Over: true})
	if err != nil {
		return because("Create", err)
	}
	err = first(p.has(ctx, name, old), write(w, b), p.has(ctx, name, old))
	if err != nil {
		return errors.Join(because("before Commit", err), w.Abort(ctx))
	}
	return first(because("Commit", w.Commit(ctx)), p.has(ctx, name, b))
}

// checkOneStep reads the object over and over while it is replaced.
func checkOneStep(ctx context.Context, p Place) error {
	name, old, b := p.name("object"), text(200_000, 60), text(300_000, 61)
	if err := p.put(ctx, name, old, false); err != nil {
		return err
	}
	w, err := p.Store.Create(ctx, name, store.CreateOptions{Over: true})
	if err != nil {
		return because("Create", err)
	}
	if err := write(w, b); err != nil {
		return errors.Join(because("Write", err), w.Abort(ctx))
	}
	committed := make(chan error, 1)
	go func() { committed <- w.Commit(ctx) }()
	for {
		select {
		case err := <-committed:
			return first(because("Commit", err), p.has(ctx, name, b))
		default:
		}
		got, err := p.get(ctx, name)
		if errors.Is(err, store.ErrChanged) {
			continue
		}
		if err == nil && !bytes.Equal(got, old) && !bytes.Equal(got, b) {
			err = fmt.Errorf("%d bytes that are neither the old object nor the new one", len(got))
		}
		if err != nil {
			return because("during Commit", first(err, <-committed))
		}
	}
}

func checkReaderOfOld(ctx context.Context, p Place) error {
	old := text(2<<20, 6)
	r, err := p.open(ctx, old)
	if err != nil {
		return err
	}
	got := make([]byte, 1000)
	if _, err := io.ReadFull(r, got); err != nil {
		return errors.Join(because("Read", err), r.Close())
	}
	if err := p.put(ctx, p.name("object"), text(2<<20, 7), true); err != nil {
		return errors.Join(err, r.Close())
	}
	rest, err := io.ReadAll(r)
	if err == nil && !bytes.Equal(append(got, rest...), old) {
		err = errors.New("a reader that was open has bytes of the object that came after it")
	} else {
		err = nil
	}
	return errors.Join(err, r.Close())
}

func checkAborted(ctx context.Context, p Place) error {
	for _, size := range []int{0, 1000, large} {
		name := p.name("object")
		for _, old := range [][]byte{nil, text(1000, 8)} {
			if old != nil {
				if err := p.put(ctx, name, old, false); err != nil {
					return err
				}
			}
			w, err := p.Store.Create(ctx, name, store.CreateOptions{Over: true})
			if err != nil {
				return because("Create", err)
			}
			if err := first(write(w, text(size, 9)), w.Abort(ctx)); err != nil {
				return because("Abort", err)
			}
			all, err := p.Store.List(ctx, p.Folder)
			switch {
			case err != nil:
				return because("List", err)
			case old == nil && len(all) > 0:
				return fmt.Errorf("after Abort the folder has %+v", all)
			case old == nil:
				err = p.hasNot(ctx, name)
			default:
				err = first(p.has(ctx, name, old), p.Store.Remove(ctx, name), p.hasNot(ctx, name))
			}
			if err != nil {
				return because("after Abort", err)
			}
		}
	}
	return nil
}

func checkTaken(ctx context.Context, p Place) error {
	name, old := p.name("object"), text(1000, 10)
	if err := p.put(ctx, name, old, false); err != nil {
		return err
	}
	if err := p.put(ctx, name, text(2000, 11), false); !errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("an object of a name that is taken: %w instead of fs.ErrExist", noError(err))
	}
	return p.has(ctx, name, old)
}

// noError is the error of what should have failed, and has not.
func noError(err error) error {
	if err == nil {
		return errors.New("no error")
	}
	return err
}

func checkTwoWriters(ctx context.Context, p Place) error {
	for _, over := range []bool{false, true} {
		name := p.name(fmt.Sprintf("object-%t", over))
		options := store.CreateOptions{Over: over}
		var writers []store.Writer
		var texts [][]byte
		for i := range 2 {
			w, err := p.Store.Create(ctx, name, options)
			if err != nil {
				if i == 0 || over {
					return because("Create", err)
				}
				continue // it found out at once
			}
			b := text(100_000, uint32(12+i))
			if err := write(w, b); err != nil {
				return because("Write", err)
			}
			writers, texts = append(writers, w), append(texts, b)
		}
		var committed []byte
		count := 0
		for i, w := range writers {
			if err := w.Commit(ctx); err == nil {
				committed = texts[i]
				count++
			}
		}
		if count == 0 || count > 1 && !over {
			return fmt.Errorf("%d of two writers committed, over %t", count, over)
		}
		if err := p.has(ctx, name, committed); err != nil {
			return because("after the last Commit", err)
		}
	}
	return nil
}

func checkEnded(ctx context.Context, p Place) error {
	name, b := p.name("object"), text(1000, 14)
	w, err := p.Store.Create(ctx, name, store.CreateOptions{})
	if err != nil {
		return because("Create", err)
	}
	if err := first(write(w, b), w.Commit(ctx)); err != nil {
		return because("Commit", err)
	}
	if w.Commit(ctx) == nil || w.Abort(ctx) == nil {
		return errors.New("a writer that was committed is ended again without an error")
	}
	if n, err := w.Write(b); err == nil {
		return fmt.Errorf("a writer that was committed takes %d bytes", n)
	}
	if err := p.has(ctx, name, b); err != nil {
		return err
	}
	r, err := p.Store.Open(ctx, name)
	if err != nil {
		return because("Open", err)
	}
	if err := r.Close(); err != nil {
		return because("Close", err)
	}
	if n, err := r.Read(make([]byte, 1)); err == nil || errors.Is(err, io.EOF) {
		return fmt.Errorf("a reader that was closed reads %d bytes, and its error is %w", n, noError(err))
	}
	return nil
}

func checkBroken(ctx context.Context, p Place) error {
	w, err := p.Store.Create(ctx, p.name("object"), store.CreateOptions{})
	if err != nil {
		return because("Create", err)
	}
	if err := write(w, text(1<<20, 15)); err != nil {
		return because("Write", err)
	}
	p.Break()
	if err := write(w, text(1000, 16)); err != nil {
		_ = w.Abort(ctx) // it fails like the rest
		return nil
	}
	if w.Commit(ctx) == nil {
		return errors.New("Commit returns no error for a place that fails")
	}
	return nil
}

func checkVersion(ctx context.Context, p Place) error {
	name := p.name("object")
	seen := map[string]int{}
	for i := range 3 {
		// the same size, one right after the other
		if err := p.put(ctx, name, text(1000, uint32(20+i)), true); err != nil {
			return err
		}
		info, err := p.Store.Stat(ctx, name)
		if err != nil {
			return because("Stat", err)
		}
		again, err := p.Store.Stat(ctx, name)
		if err != nil || info != again {
			return fmt.Errorf("by Stat %+v, then %+v: %w", info, again, cmpErr(err))
		}
		if old, ok := seen[info.Version]; ok && (old == i-1 || info.Version == "") {
			return fmt.Errorf("object %d has the version of object %d: %q", i, old, info.Version)
		}
		seen[info.Version] = i
		r, err := p.Store.Open(ctx, name)
		if err != nil {
			return because("Open", err)
		}
		changed, err := r.Changed()
		if opened := r.Info(); err != nil || changed || opened.Version != info.Version {
			err = fmt.Errorf("opened as %+v, of %+v, changed %t: %w", opened, info, changed, cmpErr(err))
			return errors.Join(err, r.Close())
		}
		if err := r.Close(); err != nil {
			return because("Close", err)
		}
	}
	return nil
}

func checkList(ctx context.Context, p Place) error {
	var want []string
	for i, base := range []string{"b", "a", "a.b", "a-b", "B"} {
		if err := p.put(ctx, p.name(base), text(i, 30), false); err != nil {
			return err
		}
		want = append(want, p.name(base))
		slices.Sort(want)
		if err := p.lists(ctx, want); err != nil {
			return err
		}
	}
	for len(want) > 0 {
		if err := because("Remove", p.Store.Remove(ctx, want[0])); err != nil {
			return err
		}
		want = want[1:]
		if err := p.lists(ctx, want); err != nil {
			return err
		}
	}
	return nil
}

// lists checks what is in the folder, in order.
func (p Place) lists(ctx context.Context, want []string) error {
	all, err := p.Store.List(ctx, p.Folder)
	if err != nil {
		return because("List", err)
	}
	got := []string{}
	for _, i := range all {
		if i.Kind != store.Object {
			return fmt.Errorf("the list has %+v for an object", i)
		}
		if i.Size >= 0 {
			info, err := p.Store.Stat(ctx, i.Name)
			if err != nil || info != i {
				return fmt.Errorf("the list has %+v, Stat %+v: %w", i, info, cmpErr(err))
			}
		}
		got = append(got, i.Name)
	}
	if !slices.Equal(got, want) {
		return fmt.Errorf("the list has %q instead of %q", got, want)
	}
	return nil
}

func checkNames(ctx context.Context, p Place) error {
	for i, base := range []string{
		"a b", "a+b", "a%20b", "a%b", "ä ö", "日本", "a&b=c?d#e", "-", "a'b\"c", "a*[b]", "~a", "a\\b",
	} {
		name, b := p.name(base), text(100+i, 40)
		if err := first(p.put(ctx, name, b, false), p.has(ctx, name, b)); err != nil {
			return fmt.Errorf("%q: %w", base, err)
		}
		if err := first(p.Store.Remove(ctx, name), p.hasNot(ctx, name)); err != nil {
			return fmt.Errorf("%q: %w", base, err)
		}
	}
	return nil
}

func checkMissing(ctx context.Context, p Place) error {
	name := p.name("object")
	if err := p.hasNot(ctx, name); err != nil {
		return err
	}
	if err := p.Store.Remove(ctx, name); !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("removed what is not there: %w instead of fs.ErrNotExist", noError(err))
	}
	return nil
}
