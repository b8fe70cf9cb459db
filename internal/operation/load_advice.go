package operation

import (
	"fmt"
	"maps"
	"slices"

	"github.com/cqlbulk/cqlbulk/internal/doctor"
	"github.com/cqlbulk/cqlbulk/internal/doctor/sample"
	"github.com/cqlbulk/cqlbulk/internal/ingest"
	"github.com/cqlbulk/cqlbulk/internal/run/reject"
	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/internal/spec"
)

// adviceForRejects are the settings of a warning that may read rows which were rejected. A setting
// that changes rows that are in already, as --timestamp-unit does, is none of them.
var adviceForRejects = []string{
	"encoding",
	"datetimeformat",
	"dateformat",
	"boolstyle",
	"decimalsep",
	"thousandssep",
	"null-string",
}

// noteAdvice keeps the settings that a warning named, for the rows that are rejected. A guess is
// not kept.
func (l *Load) noteAdvice(f doctor.Finding) {
	for name, texts := range f.Retry {
		l.keepAdvice(name, texts)
	}
	if f.Guess != "" {
		return
	}
	for name, texts := range f.Settings {
		if slices.Contains(adviceForRejects, name) {
			l.keepAdvice(name, texts)
		}
	}
}

func (l *Load) keepAdvice(name string, texts []string) {
	cqlsh := l.spec.Dialect.Name == spec.DialectCQLSH &&
		(name == "dateformat" || name == "null-string") // which it refuses
	json := l.spec.Format == "json" &&
		name == "encoding" // which is always UTF-8
	if cqlsh || json || l.advice[name] != nil {
		return
	}
	if l.advice == nil {
		l.advice = make(map[string][]string)
	}
	l.advice[name] = texts
}

// nullWordsIn returns the words for null that are set, and those among the values of rejected rows
// in columns that may be null. It returns nil if the rejected rows add none.
func (l *Load) nullWordsIn(rejects doctor.Sample) []string {
	if l.spec.Dialect.Name == spec.DialectCQLSH {
		return nil // cqlsh has one text for null
	}
	found := slices.Clone(l.spec.Nulls)
	for _, word := range slices.Concat(l.advice["null-string"], slices.Sorted(maps.Keys(rejects.Nulls)), l.nullWords()) {
		if !slices.Contains(found, word) {
			found = append(found, word)
		}
	}
	if len(found) == len(l.spec.Nulls) {
		return nil
	}
	return found
}

// nullWords are the words for null among the bad values of all rejected rows, in columns that may
// be null.
func (l *Load) nullWords() (words []string) {
	for _, value := range l.rejects.BadWords(func(column string) bool { return !l.isKey(column) }) {
		if l.spec.Format == "json" {
			value, _ = sample.StringOf(value) // what is no string does not stand for null
		}
		if word := doctor.NullWord(value); word != "" && !slices.Contains(words, word) {
			words = append(words, word)
		}
	}
	return words
}

// explainKeys adds to the causes whose value is a word for null in a column of the primary key that
// no setting mends them.
func (l *Load) explainKeys(causes []reject.Cause) []reject.Cause {
	for i, c := range causes {
		value := c.First.Value
		if text, isString := sample.StringOf(value); isString && l.spec.Format == "json" {
			value = text
		}
		if word := doctor.NullWord(
			value,
		); word != "" && c.First.Stage == ingest.Parse &&
			l.isKey(c.First.Column) {
			causes[i].First.Reason += fmt.Sprintf(
				"; %s cannot be read as null here: a column of the primary key is never null",
				word,
			)
		}
	}
	return causes
}

// isKey reports whether a column is of the primary key.
func (l *Load) isKey(name string) bool {
	return slices.ContainsFunc(
		l.t.Schema.Columns,
		func(c schema.Column) bool { return c.Name == name && c.IsKey() },
	)
}
