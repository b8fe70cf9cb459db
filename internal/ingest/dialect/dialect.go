// Package dialect returns how a load reads the text of records ([Reading]). It has the codecs for
// dates, numbers and truth values in other forms than CQL's.
package dialect

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/cqlbulk/cqlbulk/internal/format"
	"github.com/cqlbulk/cqlbulk/internal/ingest"
	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/internal/spec"
	"github.com/cqlbulk/cqlbulk/pkg/cqlshtext"
	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
)

// Reading returns how a load understands the text of records. In the text format, it sets how
// records are cut.
func Reading(o *spec.Load, text *format.TextFormat) (ingest.Reading, error) {
	r := ingest.Reading{Columns: o.Columns, Nulls: o.Nulls}
	r.Fields = ingest.Fields{
		Renamed: o.Map,
		Skipped: o.SkipCols,
		Timed:   o.PreserveTimes,
		Extra:   o.Dialect.ExtraFields == spec.FieldsIgnore,
		Missing: o.Dialect.MissingFields == spec.FieldsNull,
		Rejects: o.RejectsOf != "",
	}
	if o.IfNotExists {
		r.Fields.Untimed = "a conditional insert has one time for the whole row"
	}
	plan, err := codecsOf(&o.Dialect, o.Format, o.Nulls, text)
	if err != nil {
		return r, err
	}
	if o.Format == "json" {
		r.Fields.Strings = plan
		if o.Dialect.DecimalIntegers() {
			r.Fields.Numbers = wholeNumber
		}
	} else {
		r.Fields.Codec = plan
	}
	columns, err := o.Dialect.PatternsByColumn()
	if err != nil {
		return r, err
	}
	r.Fields.Patterned = func(column string) bool { return len(columns[column].Texts) > 0 }
	if r.Fields.TimestampUnit, err = o.Dialect.Unit(); err != nil {
		return r, err
	}
	r.Latin1, err = o.Latin1()
	return r, err
}

// FormerReadings returns how earlier runs of a load read its text. It returns an error if one of
// them would cut records otherwise than the format.
func FormerReadings(specs []spec.Load, text format.TextFormat) ([]ingest.Reading, error) {
	var former []ingest.Reading
	for i := range specs {
		same := text
		r, err := Reading(&specs[i], &same)
		if err == nil && same != text {
			err = errors.New("records would be cut otherwise")
		}
		if err != nil {
			return nil, fmt.Errorf("how text was read before: %w", err)
		}
		former = append(former, r)
	}
	return former, nil
}

// codecsOf sets in a text format how the dialect cuts records. It returns the function that plans
// the codecs of columns, or in JSON those of strings; nil: cqlbulk's own codecs.
func codecsOf(
	o *spec.Dialect,
	form string,
	nulls []string,
	text *format.TextFormat,
) (func(schema.Column) (format.Codec, error), error) {
	cqlsh := o.Name == spec.DialectCQLSH
	switch {
	case !slices.Contains(spec.Dialects, o.Name):
		return nil, spec.ErrDialect(o.Name)
	case cqlsh && form == "json":
		return nil, errors.New("--dialect cqlsh: cqlsh knows no JSON")
	case cqlsh && len(nulls) > 1:
		return nil, errors.New(
			"--dialect cqlsh: cqlsh knows one text for null: give --null-string once",
		)
	case o.DecimalSep != "" && o.DecimalSep == o.ThousandsSep:
		return nil, spec.ErrSeparators(o.DecimalSep)
	case !cqlsh && o.Unescape:
		return nil, errors.New("--unescape requires --dialect cqlsh")
	case o.SkipLines < 0:
		return nil, fmt.Errorf("--skiplines %d: must not be negative", o.SkipLines)
	case form == "json" && o.SkipLines > 0:
		return nil, errors.New("--skiplines is for delimited text, not for JSON")
	case form == "json" && o.EscapeInQuotes:
		return nil, errors.New("--escape-in-quotes is for delimited text, not for JSON")
	case form == "json" && o.NewlineEscapes:
		return nil, spec.ErrNewlineEscapes("it is for delimited text; JSON has escapes of its own")
	case form == "json" && (o.Comment != "" || o.Trailing || o.Trim || o.LineEnd == "cr"):
		return nil, errors.New(
			"--comment, --trailing-delimiter, --trim and --line-end are for delimited text, not for JSON",
		)
	}
	if err := errors.Join(
		o.CheckFields(form),
		o.CheckCQLSH(o.Name),
		o.CheckValues(o.Name, form),
		o.CheckNumbers(),
	); err != nil {
		return nil, err
	}
	if err := cutFormat(o, text); err != nil {
		return nil, err
	}
	for _, null := range nulls {
		if err := spec.CheckNull(text, null); err != nil && !cqlsh {
			return nil, err
		}
	}
	options, err := cqlshOptions(o, nulls)
	if err != nil {
		return nil, err
	}
	location, err := o.Location()
	if err != nil {
		return nil, err
	}
	columns, err := o.PatternsByColumn()
	c := conventions{
		Options:    options,
		timestamps: spec.Patterns(o.DateTimeFormats),
		dates:      spec.Patterns(o.DateFormats),
		times:      spec.Patterns(o.TimeFormats),
		columns:    columns,
		base64:     o.Binary == spec.BinaryBase64,
		json:       o.Collections == spec.CollectionsJSON,
		integers:   o.DecimalIntegers(),
		currency:   o.Currency,
		location:   location,
	}
	switch {
	case err != nil:
		return nil, err
	case cqlsh:
		return func(c schema.Column) (format.Codec, error) {
			return cqlshtext.Plan(c.Type, options)
		}, nil
	case form == "json":
		return c.other, nil
	case c.none():
		return nil, nil
	}
	return c.plan, nil
}

// cutFormat sets in a text format where records and fields end.
func cutFormat(o *spec.Dialect, text *format.TextFormat) error {
	for _, c := range []struct {
		flag, text string
		into       *byte
	}{{"escape", o.Escape, &text.Escape}, {"comment", o.Comment, &text.Comment}} {
		if len(c.text) > 1 {
			return fmt.Errorf("--%s %q: must be one ASCII character", c.flag, c.text)
		}
		if c.text != "" {
			*c.into = c.text[0]
		}
	}
	if o.Escape == "" && o.Name == spec.DialectCQLSH {
		text.Escape = spec.CQLSHEscape[0]
	}
	if !slices.Contains(spec.LineEnds, o.LineEnd) {
		return fmt.Errorf(
			"--line-end %q: must be %s",
			o.LineEnd,
			strings.Join(spec.LineEnds, " or "),
		)
	}
	cqlsh := o.Name == spec.DialectCQLSH
	if err := spec.SetEscapes(text, cqlsh, o.EscapeInQuotes, o.NewlineEscapes); err != nil {
		return err
	}
	text.Trailing, text.CR, text.Trim = o.Trailing, o.LineEnd == "cr", o.Trim
	if err := text.Validate(); err != nil {
		return fmt.Errorf("--escape, --delimiter, --quote or --comment: %w", err)
	}
	return nil
}

// cqlshOptions returns the options for codecs of cqlsh's texts. Conventions use them, too.
func cqlshOptions(o *spec.Dialect, nulls []string) (cqlshtext.Options, error) {
	unit, err := o.Unit()
	if err != nil {
		return cqlshtext.Options{}, err
	}
	options := cqlshtext.Options{
		DecimalSep:    o.DecimalSep,
		ThousandsSep:  o.ThousandsSep,
		Unescape:      o.Unescape,
		TimestampUnit: unit,
	}
	options.BoolTrue, options.BoolFalse, err = spec.BoolWords(o.BoolStyle)
	if err != nil {
		return options, err
	}
	if len(nulls) == 1 {
		options.Null = nulls[0]
	}
	if err := o.CheckPatterns(o.Name == spec.DialectCQLSH); err != nil {
		return options, err
	}
	patterns := spec.Patterns(o.DateTimeFormats)
	if o.Name == spec.DialectCQLSH && len(patterns) > 0 {
		options.DateTimeFormat = patterns[0]
	}
	if _, err := cqlshtext.Plan(&cqltype.Type{Kind: cqltype.Timestamp}, options); err != nil {
		return options, fmt.Errorf(
			"--datetimeformat, --boolstyle, --decimalsep or --thousandssep: %w",
			err,
		)
	}
	return options, nil
}
