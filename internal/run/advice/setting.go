package advice

import (
	"fmt"
	"maps"
	"strings"

	"github.com/cqlbulk/cqlbulk/internal/spec"
	"github.com/cqlbulk/cqlbulk/internal/spec/setting"
)

// Setting is a setting as texts: one, or the elements of a list.
type Setting struct {
	Name  string
	Texts []string
	List  bool // it is a list, and the texts are its elements
	Truth bool // it is on or off
}

// Text is the value as a flag reads it.
func (s Setting) Text() string {
	if s.List {
		return setting.ListText(s.Texts)
	}
	return s.Texts[0]
}

// Words are the flag and its value as one types them into a shell.
func (s Setting) Words() (words []string) {
	if s.List {
		for _, text := range setting.FlagTexts(s.Name, s.Texts) {
			words = append(words, s.wordsOf(text)...)
		}
		return words
	}
	return s.wordsOf(s.Text())
}

func (s Setting) wordsOf(text string) []string {
	switch {
	case s.Truth && text == "true":
		return []string{"--" + s.Name}
	case s.Truth:
		return []string{"--" + s.Name + "=" + text}
	case strings.HasPrefix(text, "-"):
		return []string{setting.ShellQuote(fmt.Sprintf("--%s=%s", s.Name, text))}
	default:
		return []string{"--" + s.Name, setting.ShellQuote(text)}
	}
}

// SettingsOf returns settings of a load as texts, in the order of its flags.
func SettingsOf(o *spec.Load, values setting.Values) (all []Setting) {
	for _, s := range o.Settings() {
		texts, ok := values[s.Name]
		if !ok {
			continue
		}
		_, list := s.Field.(*[]string)
		_, truth := s.Field.(*bool)
		all = append(all, Setting{s.Name, texts, list, truth})
	}
	return all
}

// RecordedSettings returns the settings of a load that a journal names, in the order of the flags.
// It leaves out settings without a text.
func RecordedSettings(settings map[string][]string) []Setting {
	known := maps.Clone(settings)
	maps.DeleteFunc(known, func(_ string, texts []string) bool { return len(texts) == 0 })
	return SettingsOf(spec.NewLoad(), known)
}

// TypedSettings returns the present settings of a load that a user has to type. It leaves out
// defaults, even recorded ones, and the settings of a load of rejects. nulls replaces the value of
// --nulls; empty keeps it.
func TypedSettings(o *spec.Load, nulls string) setting.Values {
	values := o.Settings().Record(spec.NewLoad().Settings(), o.Given)
	delete(values, "rejects-of")
	if o.Consistency == spec.WriteConsistency {
		delete(values, spec.ConsistencyFlag)
	}
	var format string
	if err := spec.ChooseFormat(&format, o.Inputs[0]); err == nil && format == o.Format {
		delete(values, "format")
	}
	if nulls != "" {
		values["nulls"] = []string{nulls}
	}
	return values
}
