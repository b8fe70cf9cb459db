package format

import (
	"github.com/cqlbulk/cqlbulk/internal/row"
	"github.com/cqlbulk/cqlbulk/pkg/cqljson"
)

// JSONOf returns values as the text of a JSON object on one line. It is empty if there are none.
// Bytes that are no value of their type are null.
func JSONOf(values []row.Value) string {
	if len(values) == 0 {
		return ""
	}
	text := []byte{'{'}
	for i, v := range values {
		if i > 0 {
			text = append(text, ',')
		}
		text = cqljson.AppendString(text, []byte(v.Name))
		text = append(text, ':')
		text = appendJSON(text, v)
	}
	return string(append(text, '}'))
}

// appendJSON appends the JSON of one value.
func appendJSON(text []byte, v row.Value) []byte {
	if v.Bytes != nil {
		if codec, err := cqljson.Plan(v.Type); err == nil {
			if longer, err := codec.AppendJSON(text, v.Bytes); err == nil {
				return longer
			}
		}
	}
	return append(text, "null"...)
}
