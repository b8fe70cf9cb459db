package operation

import (
	"github.com/cqlbulk/cqlbulk/internal/human"
	"github.com/cqlbulk/cqlbulk/internal/run/records"
	"github.com/cqlbulk/cqlbulk/internal/source"
)

// warnOfNewInputs warns of files that came into the folders of the inputs, or match their patterns,
// since the load listed them: it does not load these. A retry reads the files of its load alone.
func (l *Load) warnOfNewInputs() {
	words := l.spec.Named
	if len(words) == 0 {
		words = l.spec.Inputs
	}
	if l.outer != nil || len(words) == len(l.job.Inputs) && l.isOfFiles(words) {
		return
	}
	now, _, err := source.Find(words, nil)
	if err != nil {
		return // a file that is gone was read, or the load has failed with it
	}
	listed := make(map[string]bool, len(l.job.Inputs))
	for _, input := range l.job.Inputs {
		listed[input.Name] = true
	}
	count, first := 0, ""
	for _, input := range now {
		if listed[input.Name] || input.Stdin() {
			continue
		}
		if count == 0 {
			first = input.Name
		}
		count++
	}
	if count == 0 || count == len(now) {
		return // none, or a resumed load knows its inputs by other names
	}
	l.env.Warn(
		"%s came into the folders of the inputs after the load began, %s first: %s not loaded",
		human.Of(count, "file"),
		first,
		human.Verb(count, "it is", "they are"),
	)
}

// isOfFiles reports whether each word is an input itself, and no folder or pattern.
func (l *Load) isOfFiles(words []string) bool {
	for i, word := range words {
		if word != l.job.Inputs[i].Name && word != records.Standard {
			return false
		}
	}
	return true
}
