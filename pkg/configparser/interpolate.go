package configparser

import (
	"errors"
	"fmt"
	"strings"
)

const (
	maxDepth        = 10 // of references to references, as Python has it
	maxInterpolated = 64 << 10
)

// Interpolate returns the value of an option of a section with every %(name)s replaced by the
// option of that name, and every %% by %. Any other percent sign is an error.
func (f *File) Interpolate(section string, o Option) (string, error) {
	var out expansion
	if err := f.interpolate(&out, section, o.Value, 1); err != nil {
		return "", err
	}
	return out.String(), nil
}

// expansion is a value whose references are replaced.
type expansion struct {
	strings.Builder
	references int // that were followed
}

// maxReferences bounds the references of a value, which may all be empty.
const maxReferences = 10_000

func (f *File) interpolate(out *expansion, section, rest string, depth int) error {
	if depth > maxDepth {
		return fmt.Errorf("references of %%(name)s are more than %d deep", maxDepth)
	}
	for {
		if out.references++; out.references > maxReferences {
			return fmt.Errorf("more than %d references of %%(name)s", maxReferences)
		}
		before, after, found := strings.Cut(rest, "%")
		out.WriteString(before)
		switch {
		case out.Len() > maxInterpolated:
			return errors.New("with what %(name)s stands for it is longer than 64KiB")
		case !found:
			return nil
		case strings.HasPrefix(after, "%"):
			out.WriteByte('%')
			rest = after[1:]
			continue
		}
		name, ok := strings.CutPrefix(after, "(")
		if ok {
			name, after, ok = strings.Cut(name, ")")
		}
		if rest, found = strings.CutPrefix(after, "s"); !ok || !found || name == "" {
			return errors.New("a percent sign must be %%, or begin a reference such as %(name)s")
		}
		o, ok := f.Get(section, name)
		if !ok {
			return fmt.Errorf("%%(%s)s: section [%s] has no such option", name, section)
		}
		if !strings.Contains(o.Value, "%") { // a level that Python does not count
			out.WriteString(o.Value)
		} else if err := f.interpolate(out, section, o.Value, depth+1); err != nil {
			return err
		}
	}
}
