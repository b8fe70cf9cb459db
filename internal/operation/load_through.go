package operation

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/cqlbulk/cqlbulk/internal/ingest"
	"github.com/cqlbulk/cqlbulk/internal/operation/setting"
	"github.com/cqlbulk/cqlbulk/internal/resume"
	"github.com/cqlbulk/cqlbulk/internal/source"
	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
)

// through returns the command that loads an input through a filter, with the settings that were typed and with more.
func (o *LoadSpec) through(input, filter string, more ingest.Settings) string {
	spec, err := o.with(more)
	if err != nil {
		return filter
	}
	if _, err := spec.chooseFormat(input); err == nil {
		spec.Given["format"] = true // which the name of the file told
	}
	spec.Inputs, spec.Named = []string{resume.Standard}, nil
	values := spec.typed("")
	maps.DeleteFunc(values, func(name string, _ []string) bool { return !spec.Given[name] })
	s := spec.suggestion(spec.tableText(), values)
	if spec.RunDir != "" && spec.RejectsOf == "" {
		s.Settings = append(s.Settings, SettingTexts{Name: "run-dir", Texts: []string{spec.RunDir}})
	}
	return o.pipe(input, filter) + " | " + strings.Join(s.Words(), " ")
}

// pipe returns the command that writes what a filter makes of an input.
func (o *LoadSpec) pipe(input, filter string) string {
	if input == source.StdinName && slices.Contains(o.Inputs, resume.Standard) {
		return "... | " + filter
	}
	file := input
	if strings.HasPrefix(file, "-") {
		file = "./" + file // which is no flag
	}
	if unpack := source.Unpacker(input); unpack != "" {
		return unpack + " " + setting.ShellQuote(file) + " | " + filter
	}
	return filter + " " + setting.ShellQuote(file)
}

// tableText is the table as one types it.
func (n TableName) tableText() string {
	return cqltype.QuoteIdent(n.Keyspace) + "." + cqltype.QuoteIdent(n.Table)
}

// withCommands adds to errors about inputs that are no text the commands that load them all the same.
func (o *LoadSpec) withCommands(err error) error {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		var all []error
		for _, one := range joined.Unwrap() {
			all = append(all, o.withCommands(one))
		}
		return errors.Join(all...)
	}
	var form *source.FormError
	if !errors.As(err, &form) || form.Filter == "" {
		return err
	}
	return fmt.Errorf("%w: %s", err, o.through(form.Input, form.Filter, nil))
}
