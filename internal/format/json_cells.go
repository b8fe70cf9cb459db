package format

import (
	"time"

	"github.com/cqlbulk/cqlbulk/pkg/cqljson"
	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
)

// CellCodec returns the codec of values that are JSON in a field of delimited text. A timestamp
// that is a number counts units.
func (JSON) CellCodec(t *cqltype.Type, unit time.Duration) (Codec, error) {
	return cqljson.PlanDecoderIn(t, unit)
}

// CellText returns the text of values as JSON, for a field of delimited text.
func (JSON) CellText(t *cqltype.Type) (ValueText, error) {
	encoder, err := cqljson.Plan(t)
	return jsonCell{encoder}, err
}

// jsonCell is the text of values as JSON.
type jsonCell struct{ encoder cqljson.Encoder }

// IsNumber implements ValueText.
func (jsonCell) IsNumber() bool { return false }

// AppendText implements ValueText.
func (j jsonCell) AppendText(dst, wire []byte) ([]byte, error) {
	return j.encoder.AppendJSON(dst, wire)
}
