// Package advice is what a user can do next, as commands to type: a resume, a retry, or a load that
// fits its inputs.
package advice

import (
	"path/filepath"
	"slices"

	"github.com/cqlbulk/cqlbulk/internal/run"
	"github.com/cqlbulk/cqlbulk/internal/spec"
	"github.com/cqlbulk/cqlbulk/internal/store/stores"
)

// Step is what a user can do after a run: one command.
type Step struct {
	Command       string // resume, retry, status or load; empty: nothing
	RunDir        string // that the command is for
	RepeatInDoubt bool   // retry: with rows that may have been written
	// retry: files of rejected rows, which are rejected again if they are not edited
	Edit []string
	// that the command needs: how rows are read now, or which limit no longer holds
	Settings   []Setting
	KeepLoaded bool  // resume: the settings read only what is left
	Piped      bool  // resume: the standard input must be the same bytes again
	StartOver  *Load // load: all inputs, with settings that records are cut by
}

// FromAnywhere returns the step with absolute paths, for readers whose folder is not known, such as
// those of a page.
func (n Step) FromAnywhere() Step {
	if path, err := filepath.Abs(n.RunDir); err == nil {
		n.RunDir = path
	}
	if n.StartOver != nil {
		load := *n.StartOver
		load.Args = slices.Clone(load.Args)
		for i, name := range load.Args[1:] {
			if path, err := stores.Abs(name); err == nil {
				load.Args[i+1] = path
			}
		}
		n.StartOver = &load
	}
	n.Edit = slices.Clone(n.Edit)
	for i, name := range n.Edit {
		if path, err := filepath.Abs(name); err == nil {
			n.Edit[i] = path
		}
	}
	return n
}

// StartOver returns the step that loads all inputs of a spec from the start, with more settings
// besides those of the spec. The load is that of the run directory dir.
func StartOver(o spec.Load, dir, table string, more map[string][]string) (Step, error) {
	settings, err := o.With(more)
	if err != nil {
		return Step{}, err
	}
	s := LoadOf(&settings, table, TypedSettings(&settings, ""))
	return Step{Command: run.CommandLoad, RunDir: dir, StartOver: &s}, nil
}
