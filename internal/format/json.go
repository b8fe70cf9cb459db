package format

import (
	"bytes"
	"encoding/json"
	"io"
	"slices"

	"github.com/cqlbulk/cqlbulk/pkg/jsonl"
)

// JSON is JSON lines, an object per line, or one array of objects. The first byte of an input that
// is no blank says which. Members have names.
type JSON struct {
	rejects bool // lines, even if the first one is an array
}

// Named implements Format.
func (JSON) Named() bool { return true }

// Rejected implements Format. Rejected records are lines. The first one may be an array, which is
// rejected again.
func (JSON) Rejected() Format { return JSON{rejects: true} }

// Split implements Format. An array has no place to begin in its middle.
func (j JSON) Split(in io.Reader, o SplitOptions) Splitter {
	if j.rejects {
		return jsonSplitter{jsonl.NewLineSplitter(in, o)}
	}
	return jsonSplitter{jsonl.NewSplitter(in, o)}
}

// jsonSplitter is a Splitter of JSON.
type jsonSplitter struct{ *jsonl.Splitter }

// Header implements Splitter.
func (jsonSplitter) Header() (Header, error) { return Header{}, nil }

// Head returns the complete records of the first text of an input. It may change the text, whose
// memory it returns.
func Head(f Format, text []byte) []byte {
	if j, ok := f.(JSON); ok && !j.rejects {
		return jsonl.Head(text)
	}
	return text[:bytes.LastIndexByte(text, '\n')+1]
}

// Members are those of an object.
type Members struct{ fields []jsonl.Field }

// Names returns the names of the members.
func (m Members) Names() []string {
	names := make([]string, len(m.fields))
	for i, f := range m.fields {
		names[i] = string(f.Name)
	}
	return names
}

// IsObject reports whether the value of a member is an object.
func (m Members) IsObject(name string) bool {
	return slices.ContainsFunc(m.fields, func(f jsonl.Field) bool {
		return string(f.Name) == name && f.Value[0] == '{'
	})
}

// Texts returns the value of a member as the text of a field. It returns none if the value is null,
// a list or an object.
func (m Members) Texts(name string) [][]byte {
	i := slices.IndexFunc(m.fields, func(f jsonl.Field) bool { return string(f.Name) == name })
	if i < 0 {
		return nil
	}
	value := m.fields[i].Value
	var text string
	switch {
	case bytes.Equal(value, []byte("null")), value[0] == '[', value[0] == '{':
		return nil
	case json.Unmarshal(value, &text) == nil:
		return [][]byte{[]byte(text)}
	default:
		return [][]byte{value}
	}
}
