package operation

import (
	"github.com/cqlbulk/cqlbulk/internal/human"
	"github.com/cqlbulk/cqlbulk/internal/source"
)

// warnOfChangedInputs warns of files that were added to the folders of the inputs after the load
// began, and of inputs whose size has changed since. The load does not read such additions. A retry
// does not warn: its inputs are rejects.
func (l *Load) warnOfChangedInputs() {
	if l.retried != nil {
		return
	}
	words := l.spec.Named
	if len(words) == 0 {
		words = l.spec.Inputs
	}
	now, _, err := source.Find(words, nil)
	if err != nil {
		return // a file that is gone was read, or the load has failed with it
	}
	sizes := make(map[string]int64, len(l.job.Inputs))
	for _, input := range l.job.Inputs {
		sizes[input.Name] = input.Size
	}
	var came, changed inputGroup
	for _, input := range now {
		switch size, listed := sizes[input.Name]; {
		case input.Stdin():
		case !listed:
			came.add(input.Name)
		case size != input.Size:
			changed.add(input.Name)
		}
	}
	if came.count > 0 && came.count < len(now) { // else a resumed load has other names for them
		l.env.Warn(
			"%s came into the folders of the inputs after the load began, %s first: %s not loaded",
			human.Of(came.count, "file"),
			came.first,
			human.Verb(came.count, "it is", "they are"),
		)
	}
	if changed.count > 0 {
		l.env.Warn(
			"%s changed while the load ran, %s first: what was written after the load read %s is not loaded",
			human.Of(changed.count, "input"),
			changed.first,
			human.Verb(changed.count, "it", "them"),
		)
	}
}

// inputGroup counts inputs, and has the name of the first.
type inputGroup struct {
	count int
	first string
}

func (g *inputGroup) add(name string) {
	if g.count++; g.count == 1 {
		g.first = name
	}
}
