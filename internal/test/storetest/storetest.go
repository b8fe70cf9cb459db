// Package storetest is the conformance suite of stores: what each implementation of [store.Store]
// has to do.
//
// [Run] runs it. A check returns an error instead of failing a test, so that the suite's own test
// can show that broken stores are rejected ([Checks]).
package storetest

import (
	"context"
	"fmt"
	"testing"

	"github.com/cqlbulk/cqlbulk/internal/store"
)

// Place is where a check works.
type Place struct {
	Store store.Store
	// Staged is Store again, if it is one.
	Staged store.StagedStore
	// Folder is one that is there and empty. No other check uses it. Names begin with it and a
	// slash.
	Folder string
	// Break has everything in the place fail from now on, as without its disk or its server. nil
	// leaves out the checks of failures.
	Break func()
}

// name returns a name in the place.
func (p Place) name(base string) string { return p.Folder + "/" + base }

// Check is one rule that a store has to keep.
type Check struct {
	Name string
	// Run returns how the place breaks the rule, or nil.
	Run func(ctx context.Context, p Place) error
	// needs reports whether the check applies to a place; nil: to each.
	needs func(p Place) bool
}

// Checks returns the checks that apply to a place.
func Checks(p Place) []Check {
	var all []Check
	for _, c := range append(objectChecks(), stagedChecks()...) {
		if c.needs == nil || c.needs(p) {
			all = append(all, c)
		}
	}
	return all
}

// Run runs every check that applies, each in a place of its own from the function.
func Run(t *testing.T, place func(t *testing.T) Place) {
	for _, c := range Checks(place(t)) {
		t.Run(c.Name, func(t *testing.T) {
			if err := c.Run(t.Context(), place(t)); err != nil {
				t.Error(err)
			}
		})
	}
}

// first returns the first error.
func first(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// because returns an error that says during which step another one came.
func because(step string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", step, err)
}
