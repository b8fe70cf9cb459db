package dialect

import (
	"encoding/base64"

	"github.com/cqlbulk/cqlbulk/internal/format"
	"github.com/cqlbulk/cqlbulk/internal/spec"
	"github.com/cqlbulk/cqlbulk/pkg/cqlshtext"
	"github.com/cqlbulk/cqlbulk/pkg/cqltext"
	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
)

// conventionText returns the text of values that is not CQL's; nil: it is. Booleans have other
// words, numbers separators, blobs base64, and collections are JSON.
func conventionText(o *spec.ScanText, t *cqltype.Type) (format.ValueText, error) {
	yes, no, err := spec.BoolWords(o.BoolStyle)
	if err != nil {
		return nil, err
	}
	separators := cqlshtext.Separators{Point: o.DecimalSep, Thousands: o.ThousandsSep}
	fraction := false
	switch t.Kind {
	case cqltype.Blob:
		if o.Binary == spec.BinaryBase64 {
			return base64Blob{}, nil
		}
		return nil, nil
	case cqltype.List, cqltype.Set, cqltype.Map, cqltype.Tuple, cqltype.UDT, cqltype.Vector:
		if o.Collections != spec.CollectionsJSON {
			return nil, nil
		}
		return format.JSON{}.CellText(t)
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

// base64Blob writes blobs in base64, with padding. An empty blob is 0x, which is not null.
type base64Blob struct{}

// IsNumber implements format.ValueText.
func (base64Blob) IsNumber() bool { return false }

// AppendText implements format.ValueText.
func (base64Blob) AppendText(dst, wire []byte) ([]byte, error) {
	if len(wire) == 0 {
		return append(dst, "0x"...), nil
	}
	return base64.StdEncoding.AppendEncode(dst, wire), nil
}
