// Package setting gives the fields of a spec their names. A flag, a COPY statement and a run
// directory use these names. It is the only form in which the settings of an operation are written
// and read again.
//
// Start with [List], which a spec's Settings method returns. A list points into its spec, and is as
// safe for concurrent use as the spec is.
package setting

import (
	"fmt"
	"path/filepath"
	"strings"
)

// Use says where a setting goes besides its operation.
type Use uint8

const (
	// Recorded settings are kept in a run directory.
	Recorded Use = iota
	// Always is for settings that are kept even when they are as by default: what the run
	// promises does not change with that.
	Always
	// Path settings name files; they are kept so that they are found from any working
	// directory.
	Path
	// Private settings are not kept: secrets, and what is for one call alone.
	Private
)

// Setting is a field of a spec and its name.
type Setting struct {
	Name string
	// Field points to the value: *string, *bool, *int, *int64, *uint64, *float64,
	// *time.Duration, *Size, *Seconds, *Mode, *RowLimit, *[]string or *map[string]string.
	Field any
	Use   Use
	// Among are the values that a text may have; nil where there is no such list.
	Among []string
}

// List is the settings of a spec.
type List []Setting

// Given are the names of the settings that were chosen, even when what was chosen is the
// default.
type Given map[string]bool

// Values are settings as texts, by name: one text, or the elements of a list.
type Values map[string][]string

// Find looks a setting up by its name.
func (l List) Find(name string) (Setting, bool) {
	for _, s := range l {
		if s.Name == name {
			return s, true
		}
	}
	return Setting{}, false
}

// Record returns the values to keep in a run directory: those that are given, those that differ
// from defaults, and those that are always kept. The list of a new spec is the one for defaults.
// Private settings are left out.
func (l List) Record(defaults List, given Given) Values {
	values := make(Values)
	for i, s := range l {
		texts := s.Texts()
		if s.Use == Private ||
			s.Use != Always && !given[s.Name] && same(texts, defaults[i].Texts()) {
			continue
		}
		if s.Use == Path && texts[0] != "" {
			if path, err := filepath.Abs(texts[0]); err == nil {
				texts[0] = path
			}
		}
		values[s.Name] = texts
	}
	return values
}

// Apply sets settings to what was recorded; they count as given. An error names the
// setting.
func (l List) Apply(values Values, given Given) error {
	for name, texts := range values {
		if err := l.Set(name, texts...); err != nil {
			return err
		}
		given[name] = true
	}
	return nil
}

// Changes are settings for a run that is resumed.
type Changes struct {
	Values Values
	Typed  Given // those of them that were typed, and not found in a file or the environment
}

// Change sets what differs from the recorded run: what was typed, and what the file or
// the environment has where the recorded run had nothing. Names that are none of the list
// are passed over: they are of another command.
func (l List) Change(recorded Values, given Given, c Changes) error {
	for name, texts := range c.Values {
		_, ours := l.Find(name)
		if _, had := recorded[name]; !ours || had && !c.Typed[name] {
			continue
		}
		if err := l.Set(name, texts...); err != nil {
			return err
		}
		if c.Typed[name] {
			given[name] = true
		}
	}
	return nil
}

// Set sets one setting to a text, or to the elements of a list.
func (l List) Set(name string, texts ...string) error {
	s, ok := l.Find(name)
	if !ok {
		return fmt.Errorf("there is no flag --%s", name)
	}
	if list, ok := s.Field.(*[]string); ok {
		*list = append([]string{}, texts...)
		return nil
	}
	if len(texts) != 1 {
		return fmt.Errorf("--%s has %d values", name, len(texts))
	}
	if err := s.parse(texts[0]); err != nil {
		return fmt.Errorf("--%s: %w", name, err)
	}
	return nil
}

// same compares two settings. An empty list is no list.
func same(a, b []string) bool { return strings.Join(a, "\x00") == strings.Join(b, "\x00") }
