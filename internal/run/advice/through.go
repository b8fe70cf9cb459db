package advice

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/cqlbulk/cqlbulk/internal/ingest"
	"github.com/cqlbulk/cqlbulk/internal/run/records"
	"github.com/cqlbulk/cqlbulk/internal/source"
	"github.com/cqlbulk/cqlbulk/internal/spec"
	"github.com/cqlbulk/cqlbulk/internal/spec/setting"
	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
)

// ThroughFilter returns the command that loads an input through a filter, with the settings that
// were typed and with more.
func ThroughFilter(o *spec.Load, input, filter string, more ingest.Settings) string {
	settings, err := o.With(more)
	if err != nil {
		return filter
	}
	if _, err := settings.ChooseFormat(input); err == nil {
		settings.Given["format"] = true // which the file's name determined
	}
	settings.Inputs, settings.Named = []string{records.Standard}, nil
	values := TypedSettings(&settings, "")
	maps.DeleteFunc(values, func(name string, _ []string) bool { return !settings.Given[name] })
	s := LoadOf(&settings, tableText(settings.TableName), values)
	if settings.RunDir != "" && settings.RejectsOf == "" {
		s.Settings = append(
			s.Settings,
			Setting{Name: "run-dir", Texts: []string{settings.RunDir}},
		)
	}
	return pipeOf(o, input, filter) + " | " + strings.Join(s.Words(), " ")
}

// pipeOf returns the command that writes what a filter makes of an input.
func pipeOf(o *spec.Load, input, filter string) string {
	if input == source.StdinName && slices.Contains(o.Inputs, records.Standard) {
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
func tableText(n spec.TableName) string {
	return cqltype.QuoteIdent(n.Keyspace) + "." + cqltype.QuoteIdent(n.Table)
}

// WithCommands adds to errors about inputs that are no text the commands that load them all the
// same.
func WithCommands(o *spec.Load, err error) error {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		var all []error
		for _, one := range joined.Unwrap() {
			all = append(all, WithCommands(o, one))
		}
		return errors.Join(all...)
	}
	var form *source.FormError
	if !errors.As(err, &form) || form.Filter == "" {
		return err
	}
	return fmt.Errorf("%w: %s", err, ThroughFilter(o, form.Input, form.Filter, nil))
}
