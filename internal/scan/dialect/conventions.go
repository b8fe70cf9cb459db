package dialect

import (
	"github.com/cqlbulk/cqlbulk/internal/format"
	"github.com/cqlbulk/cqlbulk/internal/spec"
	"github.com/cqlbulk/cqlbulk/pkg/cqlshtext"
	"github.com/cqlbulk/cqlbulk/pkg/cqltext"
	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
)

// conventionText returns the text of booleans by other words, and of numbers with separators; nil:
// the text is CQL's.
func conventionText(o *spec.ScanText, t *cqltype.Type) (format.ValueText, error) {
	yes, no, err := spec.BoolWords(o.BoolStyle)
	if err != nil {
		return nil, err
	}
	separators := cqlshtext.Separators{Point: o.DecimalSep, Thousands: o.ThousandsSep}
	fraction := false
	switch t.Kind {
	case cqltype.Boolean:
		if yes == "" {
			return nil, nil
		}
	case cqltype.Float, cqltype.Double, cqltype.Decimal:
		fraction = true
	case cqltype.Tinyint, cqltype.Smallint, cqltype.Int, cqltype.Bigint, cqltype.Counter,
		cqltype.Varint:
	default:
		return nil, nil
	}
	own, err := cqltext.Plan(t)
	switch {
	case err != nil:
		return nil, err
	case t.Kind == cqltype.Boolean:
		return words{own, yes, no}, nil
	case separators.Thousands == "" && (!fraction || separators.Point == ""):
		return nil, nil
	default:
		return separated{own, separators}, nil
	}
}

// separated writes numbers with separators.
type separated struct {
	own        cqltext.Codec
	separators cqlshtext.Separators
}

// IsNumber implements format.ValueText. JSON has no such numbers.
func (separated) IsNumber() bool { return false }

// AppendText implements format.ValueText.
func (s separated) AppendText(dst, wire []byte) ([]byte, error) {
	mark := len(dst)
	dst, err := s.own.AppendText(dst, wire)
	if err != nil {
		return dst, err
	}
	return s.separators.Apply(dst, mark), nil
}

// words writes booleans.
type words struct {
	own     cqltext.Codec
	yes, no string
}

// IsNumber implements format.ValueText.
func (words) IsNumber() bool { return false }

// AppendText implements format.ValueText.
func (w words) AppendText(dst, wire []byte) ([]byte, error) {
	switch {
	case len(wire) != 1:
		return w.own.AppendText(dst, wire)
	case wire[0] != 0:
		return append(dst, w.yes...), nil
	default:
		return append(dst, w.no...), nil
	}
}
