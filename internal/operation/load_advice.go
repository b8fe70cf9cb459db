package operation

import (
	"maps"
	"slices"

	"github.com/cqlbulk/cqlbulk/internal/doctor"
	"github.com/cqlbulk/cqlbulk/internal/schema"
)

// adviceForRejects are the settings of a warning that may read rows which were rejected. A setting that changes rows
// that are in already, as --timestamp-unit does, is none of them.
var adviceForRejects = []string{"encoding", "datetimeformat", "dateformat", "boolstyle", "decimalsep", "thousandssep", "null-string"}

// noteAdvice keeps the settings that a warning named, for the rows that are rejected. A guess is not kept.
func (l *Load) noteAdvice(f doctor.Finding) {
	if f.Guess != "" {
		return
	}
	for name, texts := range f.Settings {
		cqlsh := l.spec.Dialect.Name == dialectCQLSH && (name == "dateformat" || name == "null-string") // which it refuses
		json := l.spec.Format == "json" && name == "encoding"                                           // which is always UTF-8
		if !slices.Contains(adviceForRejects, name) || cqlsh || json {
			continue
		}
		if l.advice == nil {
			l.advice = make(map[string][]string)
		}
		if l.advice[name] == nil {
			l.advice[name] = texts
		}
	}
}

// rereadRejects are the settings by which rejected rows would be read, as far as that is known; nil: none are.
func (l *Load) rereadRejects() map[string][]string {
	all := maps.Clone(l.advice)
	for _, word := range l.moreNulls() {
		if all == nil {
			all = make(map[string][]string)
		}
		if name := "null-string"; !slices.Contains(all[name], word) {
			all[name] = append(slices.Clone(all[name]), word)
		}
	}
	return all
}

// rereadTexts are settings in the order of the flags. A journal may have one without a text, which is left out.
func rereadTexts(settings map[string][]string) []SettingTexts {
	known := maps.Clone(settings)
	maps.DeleteFunc(known, func(_ string, texts []string) bool { return len(texts) == 0 })
	return NewLoadSpec().textsOf(known)
}

// moreNulls are the texts for null with which most of the rejected rows would be read; nil: there
// are none that are known.
func (l *Load) moreNulls() []string {
	if l.spec.Dialect.Name == dialectCQLSH {
		return nil // cqlsh has one text for null
	}
	word := l.rejects.NullWord(func(column string) bool {
		i := slices.IndexFunc(l.t.table.Columns, func(c schema.Column) bool { return c.Name == column })
		return i >= 0 && l.t.table.Columns[i].Kind >= schema.Static
	})
	if l.spec.Format == "json" {
		word, _ = stringOf(word) // what is no string does not stand for null
	}
	if doctor.NullWord(word) == "" { // a value that is wrong again and again is no word for null
		return nil
	}
	return append(slices.Clone(l.spec.Nulls), word)
}
