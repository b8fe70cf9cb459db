package sink

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/cqlbulk/cqlbulk/internal/filesum"
	"github.com/cqlbulk/cqlbulk/internal/store"
)

const changedSince = "it was changed or removed since"

// inspect checks that the file of a mark is there, without changing it, and reports whether it has
// its final name already. It has that after a crash in the middle of Commit.
func (o *Output) inspect(p *part, f FileMark, open bool) (named bool, err error) {
	path := p.partPath()
	ctx := context.Background()
	info, err := o.store.Lstat(ctx, path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return true, o.checkNamed(p, f)
	case err != nil:
		return false, fmt.Errorf("output %s: %w", path, err)
	case info.Kind != store.Object:
		return false, fmt.Errorf("output %s: is no plain file: %s", path, changedSince)
	case info.Size < f.Bytes, info.Size > f.Bytes && !open:
		return false, fmt.Errorf(
			"output %s: has %d bytes, the journal vouches for %d: %s",
			path,
			info.Size,
			f.Bytes,
			changedSince,
		)
	}
	if !o.options.Force {
		final, err := o.store.Lstat(ctx, p.path())
		if err == nil && o.options.Spool != nil && !open && final.Size == f.Bytes {
			// It was sent, and the run was stopped before it removed the part.
			if err := o.checkContent(p.path(), f); err != nil {
				return false, err
			}
			return true, o.store.Remove(ctx, path)
		}
		if err == nil {
			return false, TakenError(p.path())
		} else if !errors.Is(err, fs.ErrNotExist) {
			return false, fmt.Errorf("output %s: %w", p, err)
		}
	}
	if o.options.Verify {
		return false, o.checkContent(path, f)
	}
	return false, nil
}

// checkNamed checks a file whose part is gone and that has its final name. The size and the sum
// must be those of the mark, because an earlier output may have had that name.
func (o *Output) checkNamed(p *part, f FileMark) error {
	info, err := o.store.Lstat(context.Background(), p.path())
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf(
			"output %s: is gone, the journal vouches for %d bytes: %s",
			p.partPath(),
			f.Bytes,
			changedSince,
		)
	case err != nil:
		return fmt.Errorf("output %s: %w", p, err)
	case info.Kind != store.Object:
		return fmt.Errorf(
			"output %s: is gone, and %s is no plain file: %s",
			p.partPath(),
			p.file,
			changedSince,
		)
	case info.Size != f.Bytes:
		return fmt.Errorf(
			"output %s: is gone, and %s (%d bytes) is not what the journal vouches for (%d bytes): %s",
			p.partPath(),
			p.file,
			info.Size,
			f.Bytes,
			changedSince,
		)
	}
	if o.options.early() {
		return nil // it was free when this output sent it
	}
	return o.checkContent(p.path(), f)
}

// checkContent reads the bytes that the mark vouches for and compares their sum.
func (o *Output) checkContent(path string, f FileMark) error {
	want, err := f.sum()
	if err != nil {
		return fmt.Errorf("output %s: %w", path, err)
	}
	r, err := o.store.Open(context.Background(), path)
	if err != nil {
		return fmt.Errorf("output %s: %w", path, err)
	}
	defer func() { _ = r.Close() }() // it was only read
	sum := filesum.New(want.Algorithm())
	if _, err := io.CopyN(sum, r, f.Bytes); err != nil {
		return fmt.Errorf("output %s: %w", path, err)
	}
	if got := sum.Result(); !got.Equal(want) {
		return fmt.Errorf(
			"output %s: the first %d bytes have %s, the journal vouches for %s: %s",
			path,
			f.Bytes,
			got,
			want,
			changedSince,
		)
	}
	return nil
}

// sum is that of the marked bytes.
func (f *FileMark) sum() (filesum.Sum, error) {
	if !f.IsZero() {
		return f.Sum, nil
	}
	return stateSum(f.State)
}
