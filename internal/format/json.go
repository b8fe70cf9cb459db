package format

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/cqlbulk/cqlbulk/pkg/jsonl"
)

// JSON is JSON lines: an object per line. Its members have names.
type JSON struct {
	rejects bool // the first line may be an array, which is rejected as a record
}

// Named implements Format.
func (JSON) Named() bool { return true }

// Rejected implements Format. Rejected records may begin with one that is an array.
func (JSON) Rejected() Format { return JSON{rejects: true} }

// Split implements Format.
func (j JSON) Split(in io.Reader, o SplitOptions) Splitter {
	if o.Line > 0 || j.rejects {
		return &jsonSplitter{jsonl.NewSplitter(in, o), nil}
	}
	b := bufio.NewReaderSize(in, arrayHead) // large reads bypass it
	return &jsonSplitter{jsonl.NewSplitter(b, o), b}
}

// ErrArray is the error of Splitter.Header for JSON that is one array instead of an object per
// line.
var ErrArray = errors.New("this is an array of JSON, where an object a line is read")

// jsonSplitter is a Splitter of JSON lines.
type jsonSplitter struct {
	*jsonl.Splitter
	begin *bufio.Reader // of the input; nil: the input begins in its middle
}

// arrayHead is the number of bytes of white space behind which an array is searched.
const arrayHead = 512

// Header implements Splitter. It refuses an array.
func (s *jsonSplitter) Header() (Header, error) {
	for n := 1; s.begin != nil && n <= arrayHead; n++ {
		head, err := s.begin.Peek(n)
		switch {
		case err != nil: // Next meets it again
			return Header{}, nil
		case head[n-1] == '[':
			return Header{}, ErrArray
		case strings.IndexByte(" \t\r\n\xef\xbb\xbf", head[n-1]) < 0: // no blank, no byte order mark
			return Header{}, nil
		}
	}
	return Header{}, nil
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
