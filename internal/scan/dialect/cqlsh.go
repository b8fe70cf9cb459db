package dialect

import (
	"slices"

	"github.com/cqlbulk/cqlbulk/internal/format"
	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/internal/spec"
	"github.com/cqlbulk/cqlbulk/pkg/cqlshtext"
	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
)

// cqlshText is the text of a value in cqlsh's dialect.
type cqlshText struct{ *cqlshtext.Writer }

// IsNumber implements format.ValueText.
func (cqlshText) IsNumber() bool { return false }

// cqlshTexts returns the texts of all types.
func cqlshTexts(o *spec.ScanText) (func(schema.Selector) (format.ValueText, error), error) {
	options, err := cqlshOptions(o)
	if err != nil {
		return nil, err
	}
	return func(column schema.Selector) (format.ValueText, error) {
		w, err := cqlshtext.PlanWriter(column.Type, options)
		return cqlshText{w}, err
	}, nil
}

func cqlshOptions(o *spec.ScanText) (options cqlshtext.WriterOptions, err error) {
	options.FloatPrecision, options.DoublePrecision = o.FloatPrecision, o.DoublePrecision
	options.Null, options.DecimalSep, options.ThousandsSep = o.Null, o.DecimalSep, o.ThousandsSep
	for _, pattern := range spec.Patterns(o.DateTimeFormats) {
		options.DateTimeFormat = pattern
	}
	options.BoolTrue, options.BoolFalse, err = spec.BoolWords(o.BoolStyle)
	return options, err
}

// Rounds reports whether values of a type lose digits, since no precision is given for them. By
// default, COPY TO writes few digits.
func Rounds(o *spec.ScanText, t *cqltype.Type) bool {
	switch {
	case !o.CQLSH():
		return false
	case t.Kind == cqltype.Double:
		return o.DoublePrecision == 0
	default:
		return o.FloatPrecision == 0 && hasFloat(t)
	}
}

// hasFloat reports whether a type is a float or double, or contains one.
func hasFloat(t *cqltype.Type) bool {
	return t.Kind == cqltype.Float || t.Kind == cqltype.Double ||
		slices.ContainsFunc(t.Elems, hasFloat)
}
