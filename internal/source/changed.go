package source

import (
	"fmt"

	"github.com/cqlbulk/cqlbulk/internal/human"
)

// Changes describes what has changed since a load found its inputs. These are files that were added
// to folders, and inputs of another size. The load does not read such additions. words are those of
// Find, and sizes has the size of each input by name. If the words cannot be
// found any more, Changes has no notes. A file that is gone was read, or the load has failed.
func (f Finder) Changes(words []string, sizes map[string]int64) (notes []string) {
	now, _, err := f.Find(WordsOf(words))
	if err != nil {
		return nil
	}
	var added, changed inputGroup
	for _, input := range now {
		switch size, listed := sizes[input.Name]; {
		case input.Stdin():
		case !listed:
			added.add(input.Name)
		case size != input.Size:
			changed.add(input.Name)
		}
	}
	// If all are new, a resumed load has other names for them.
	if added.count > 0 && added.count < len(now) {
		notes = append(notes, fmt.Sprintf(
			"%s came into the folders of the inputs after the load began, %s first: %s not loaded",
			human.Of(added.count, "file"),
			added.first,
			human.Verb(added.count, "it is", "they are"),
		))
	}
	if changed.count > 0 {
		notes = append(notes, fmt.Sprintf(
			"%s changed while the load ran, %s first: what was written after the load read %s is not loaded",
			human.Of(changed.count, "input"),
			changed.first,
			human.Verb(changed.count, "it", "them"),
		))
	}
	return notes
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
