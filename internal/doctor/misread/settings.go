package misread

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

// rejectSettings are the settings of a warning that may read rows which were rejected. A setting
// that changes rows that are in already, as --timestamp-unit does, is none of them.
var rejectSettings = []string{
	"encoding",
	"datetimeformat",
	"dateformat",
	"boolstyle",
	"decimalsep",
	"thousandssep",
	"null-string",
	"integers",
	"currency",
}

// noteSettings keeps the settings that a warning named, for the rows that are rejected. A guess is
// not kept.
func (c *Check) noteSettings(f doctor.Finding) {
	for name, texts := range f.Retry {
		c.keepSetting(name, texts)
	}
	if f.Guess != "" {
		return
	}
	for name, texts := range f.Settings {
		if slices.Contains(rejectSettings, name) {
			c.keepSetting(name, texts)
		}
	}
}

func (c *Check) keepSetting(name string, texts []string) {
	cqlsh := c.spec.Dialect.Name == spec.DialectCQLSH &&
		(name == "dateformat" || name == "null-string") // which it refuses
	json := c.spec.Format == "json" &&
		name == "encoding" // which is always UTF-8
	if cqlsh || json || c.named[name] != nil {
		return
	}
	if c.named == nil {
		c.named = make(map[string][]string)
	}
	c.named[name] = texts
}

// nullWordsIn returns the words for null that are set, and those among the values of rejected rows
// in columns that may be null. It returns nil if the rejected rows add none.
func (c *Check) nullWordsIn(rejects doctor.Sample) []string {
	if c.spec.Dialect.Name == spec.DialectCQLSH {
		return nil // cqlsh has one text for null
	}
	found := slices.Clone(c.spec.Nulls)
	words := slices.Concat(
		c.named["null-string"],
		slices.Sorted(maps.Keys(rejects.Nulls)),
		c.nullWords(),
	)
	for _, word := range words {
		if !slices.Contains(found, word) {
			found = append(found, word)
		}
	}
	if len(found) == len(c.spec.Nulls) {
		return nil
	}
	return found
}

// nullWords are the words for null among the bad values of all rejected rows, in columns that may
// be null.
func (c *Check) nullWords() (words []string) {
	for _, value := range c.rejects.BadWords(func(column string) bool { return !c.isKey(column) }) {
		if c.spec.Format == "json" {
			value, _ = sample.StringOf(value) // what is no string does not stand for null
		}
		if word := doctor.NullWord(value); word != "" && !slices.Contains(words, word) {
			words = append(words, word)
		}
	}
	return words
}

// Causes returns why rows were rejected, most rows first. If the value of a cause is a word for
// null in a column of the primary key, it adds that no setting mends it.
func (c *Check) Causes() []reject.Cause {
	causes := c.rejects.Causes()
	for i := range causes {
		first := &causes[i].First
		value := first.Value
		if text, isString := sample.StringOf(value); isString && c.spec.Format == "json" {
			value = text
		}
		word := doctor.NullWord(value)
		if word != "" && first.Stage == ingest.Parse && c.isKey(first.Column) {
			first.Reason += fmt.Sprintf(
				"; %s cannot be read as null here: a column of the primary key is never null",
				word,
			)
		}
	}
	return causes
}

// isKey reports whether a column is of the primary key.
func (c *Check) isKey(name string) bool {
	return slices.ContainsFunc(
		c.job.Table.Columns,
		func(c schema.Column) bool { return c.Name == name && c.IsKey() },
	)
}
