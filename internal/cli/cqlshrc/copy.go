package cqlshrc

import (
	"slices"
	"strings"

	"github.com/cqlbulk/cqlbulk/internal/config"
	"github.com/cqlbulk/cqlbulk/internal/spec"
	"github.com/cqlbulk/cqlbulk/pkg/configparser"
	"github.com/cqlbulk/cqlbulk/pkg/cqlparse/copystmt"
)

// Option is a COPY option of a file.
type Option struct {
	Name    string // in lower case
	Value   string
	Section string
	Origin  config.Origin
	// Shared is whether its section is for both directions. It may then have options that only the
	// other direction has.
	Shared bool
}

// Place returns the file, the line and the section, for messages.
func (o *Option) Place() string { return placeOf(o.Origin, o.Section) }

// ui is the section of how values are shown.
const ui = "ui"

// sections returns the sections with COPY options for a table. A later one takes precedence.
func sections(direction copystmt.Direction, table spec.TableName) []string {
	copyTo := "copy-" + strings.ToLower(direction.String())
	name := ":" + table.Keyspace + "." + table.Table
	return []string{"copy", copyTo, "copy" + name, copyTo + name}
}

// Copy returns the COPY options for a table. If a name is repeated, the last one counts.
func (f *File) Copy(direction copystmt.Direction, table spec.TableName) []Option {
	var all []Option
	for i, section := range sections(direction, table) {
		if !f.parsed.Has(section) {
			continue
		}
		f.uses(section)
		for _, o := range f.parsed.Options(section) {
			all = append(all, Option{
				Name:    o.Name,
				Value:   o.Value,
				Section: section,
				Origin:  f.origin(o.Line),
				Shared:  i%2 == 0 || f.isDefault(section, o),
			})
		}
	}
	return all
}

// isDefault reports whether an option of a section is one of DEFAULT.
func (f *File) isDefault(section string, o configparser.Option) bool {
	for _, s := range f.parsed.Sections {
		if s.Name == section {
			return !slices.Contains(s.Options, o)
		}
	}
	return false
}

// Sections returns the names of the sections that [File.Copy] looks for, as a text.
func Sections(direction copystmt.Direction, table spec.TableName) string {
	return "[" + strings.Join(sections(direction, table), "], [") + "]"
}

// TimeFormat returns the pattern of timestamps in section ui, which is the default of
// DATETIMEFORMAT.
func (f *File) TimeFormat() (Option, bool) {
	v, ok := f.raw(ui, "time_format")
	return Option{
		Name:    "datetimeformat",
		Value:   v.text,
		Section: v.section,
		Origin:  v.origin,
		Shared:  true,
	}, ok
}

// Keyspace returns the keyspace of tables without one, as it is and not as CQL quotes it.
func (f *File) Keyspace() (string, error) {
	v, _, err := f.get(authentication, "keyspace")
	return v.text, err
}
