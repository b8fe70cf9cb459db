package cqlshcopy

import (
	"errors"
	"fmt"
	"slices"

	"github.com/cqlbulk/cqlbulk/internal/cli/cqlshrc"
	"github.com/cqlbulk/cqlbulk/internal/config"
	"github.com/cqlbulk/cqlbulk/pkg/cqlparse/copystmt"
)

// ConfigFile is the name of the option that names a file of options.
const ConfigFile = "configfile"

var errConfigFile = errors.New("a file of options cannot name another one")

// configFileRule is the rule of CONFIGFILE. The options of the file are in the statement already.
func configFileRule(*Command, *copystmt.Statement, copystmt.Option) error { return nil }

// withOptions returns a statement with options of files before its own.
func withOptions(s *copystmt.Statement, ofFiles []cqlshrc.Option) *copystmt.Statement {
	with := *s
	with.Options = nil
	for _, o := range ofFiles {
		with.Options = append(with.Options, copystmt.Option{Name: o.Name, Value: o.Value})
	}
	with.Options = append(with.Options, s.Options...)
	return &with
}

// ofFile returns the option of a file that option i of the statement is; nil: it is the
// statement's own.
func (t *Command) ofFile(i int) *cqlshrc.Option {
	if i < len(t.ofFiles) {
		return &t.ofFiles[i]
	}
	return nil
}

// place is where option i stands, for errors.
func (t *Command) place(i int, o copystmt.Option) string {
	if file := t.ofFile(i); file != nil {
		return file.Place()
	}
	return fmt.Sprintf("the statement: line %d, column %d", o.At.Line, o.At.Column)
}

// attribute puts the place of an option of a file before the notes about it. It records the place
// as the origin of the settings that the option set. Before the option, the command had noted
// notes and set settings.
func (t *Command) attribute(i, noted, set int) {
	file := t.ofFile(i)
	if file == nil {
		return
	}
	for n := range t.Notes[noted:] {
		t.Notes[noted+n] = file.Place() + ": " + t.Notes[noted+n]
	}
	for _, s := range t.Settings[set:] {
		if t.Origins == nil {
			t.Origins = make(map[string]config.Origin)
		}
		t.Origins[s.Flag] = file.Origin
	}
}

// noteRepeated prints a note if a statement has an option twice. In files, the option of one table
// replaces that of all.
func (t *Command) noteRepeated(i int, o copystmt.Option) {
	if t.ofFile(i) == nil {
		t.note("%s is given again: the last one counts", shownOption(o))
	}
}

// noteOther prints a note about an option of the other direction, unless the section it is in is
// for both.
func (t *Command) noteOther(i int, o copystmt.Option) {
	if file := t.ofFile(i); file == nil || !file.Shared {
		t.note(
			"%s is passed over, as cqlsh does: it has no meaning for COPY %s",
			shownOption(o),
			t.Direction,
		)
	}
}

// noteQuotes prints a note if the value of an option of a file has quotes around it, which a
// statement needs.
func (t *Command) noteQuotes(i int, o copystmt.Option) {
	quotes := []string{`'`, `"`}
	last := len(o.Value) - 1
	if t.ofFile(i) != nil && last > 0 && o.Value[0] == o.Value[last] &&
		slices.Contains(quotes, o.Value[:1]) {
		t.note("%s: the quotes are part of the value, as with cqlsh", shownOption(o))
	}
}
