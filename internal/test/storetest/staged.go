package storetest

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/cqlbulk/cqlbulk/internal/store"
)

// stagedChecks are the checks of [store.StagedStore].
func stagedChecks() []Check {
	needs := func(p Place) bool { return p.Staged != nil }
	return []Check{
		{Name: "an unfinished object is published", Run: checkPublished, needs: needs},
		{Name: "an unfinished object is cut at a mark", Run: checkCut, needs: needs},
		{Name: "an unfinished object is claimed", Run: checkClaimed, needs: needs},
		{
			Name:  "a failure is reported by Publish",
			Run:   checkPublishFails,
			needs: func(p Place) bool { return needs(p) && p.Break != nil },
		},
	}
}

// stage leaves an unfinished object.
func (p Place) stage(ctx context.Context, name string, b []byte, over bool) error {
	w, err := p.Staged.Stage(ctx, name, store.CreateOptions{Over: over})
	if err != nil {
		return because("Stage", err)
	}
	return first(because("Write", write(w, b)), because("Sync", w.Sync()), because("Close", w.Close()))
}

func checkPublished(ctx context.Context, p Place) error {
	s := p.Staged
	folder := p.name("folder")
	if err := s.MakeFolder(ctx, folder, 0); err != nil {
		return because("MakeFolder", err)
	}
	p.Folder = folder
	name, b := p.name("object"), text(200_000, 50)
	err := first(
		p.stage(ctx, name, b, false),
		p.hasNot(ctx, name),
		p.has(ctx, name+store.PartSuffix, b),
		because("Publish", s.Publish(ctx, name)),
		because("SyncNames", s.SyncNames(ctx, folder)),
		p.has(ctx, name, b),
		p.hasNot(ctx, name+store.PartSuffix),
	)
	if err != nil {
		return err
	}
	if err := s.Publish(ctx, name); !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("published nothing: %w instead of fs.ErrNotExist", noError(err))
	}
	return p.has(ctx, name, b)
}

func checkPublishFails(ctx context.Context, p Place) error {
	name := p.name("object")
	if err := p.stage(ctx, name, text(1000, 55), false); err != nil {
		return err
	}
	p.Break()
	if first(p.Staged.Publish(ctx, name), p.Staged.SyncNames(ctx, p.Folder)) == nil {
		return errors.New("no error for a place that fails")
	}
	return nil
}

func checkCut(ctx context.Context, p Place) error {
	s := p.Staged
	name, b, more := p.name("object"), text(200_000, 51), text(1000, 52)
	if err := p.stage(ctx, name, b, false); err != nil {
		return err
	}
	if _, err := s.Restage(ctx, name, int64(len(b)+1)); err == nil {
		return errors.New("an object is cut behind its end")
	}
	for _, size := range []int{len(b), 70_000, 0} {
		w, err := s.Restage(ctx, name, int64(size))
		if err != nil {
			return because("Restage", err)
		}
		b = append(slices.Clone(b[:size]), more...)
		err = first(because("Write", write(w, more)), because("Close", w.Close()))
		if err = first(err, p.has(ctx, name+store.PartSuffix, b), p.hasNot(ctx, name)); err != nil {
			return fmt.Errorf("cut at %d: %w", size, err)
		}
	}
	w, err := s.Restage(ctx, name, 500)
	if err != nil {
		return because("Restage", err)
	}
	return first(
		because("Commit", w.Commit(ctx)),
		p.has(ctx, name, b[:500]),
		p.hasNot(ctx, name+store.PartSuffix),
	)
}

func checkClaimed(ctx context.Context, p Place) error {
	s := p.Staged
	name, b := p.name("object"), text(1000, 53)
	if got, err := s.Claim(ctx, name, false); err != nil || got != name {
		return fmt.Errorf("claimed a name that is free: %q, %w", got, cmpErr(err))
	}
	if err := p.stage(ctx, name, text(2000, 54), false); err != nil {
		return err
	}
	if _, err := s.Claim(ctx, name, false); !errors.Is(err, store.ErrUnfinished) {
		return fmt.Errorf("claimed beside an unfinished object: %w", noError(err))
	}
	if _, err := s.Stage(ctx, name, store.CreateOptions{}); !errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("staged over an unfinished object: %w instead of fs.ErrExist", noError(err))
	}
	if _, err := s.Claim(ctx, name, true); err != nil {
		return because("Claim with over", err)
	}
	if err := first(p.stage(ctx, name, b, true), p.has(ctx, name+store.PartSuffix, b)); err != nil {
		return because("with Over", err)
	}
	if err := s.Publish(ctx, name); err != nil {
		return because("Publish", err)
	}
	if _, err := s.Claim(ctx, name, false); !errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("claimed a name that is taken: %w instead of fs.ErrExist", noError(err))
	}
	if _, err := s.Claim(ctx, p.Folder, true); !errors.Is(err, store.ErrFolder) {
		return fmt.Errorf("claimed a folder: %w", noError(err))
	}
	return nil
}
