package cqlshtext

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
	"github.com/cqlbulk/cqlbulk/pkg/cqlwire"
)

// udtReader reads a user type, `{street: 'x', zip: 5}`. Fields may be in any order; missing fields
// are null.
type udtReader struct {
	name   string
	elems  []elem
	fields []string
	labels []label
	null   []byte
}

// label is a spelling of a field's name, before the colon.
type label struct {
	text  []byte
	field int
}

// newUDTReader collects the spellings: the name itself and the name as COPY TO escapes it. If the
// name is not a Python identifier, the spelling of cqlsh's driver is added: field_0_ for the first
// field.
func newUDTReader(t *cqltype.Type, elems []elem, null []byte) *udtReader {
	r := &udtReader{name: t.String(), elems: elems, fields: t.FieldNames, null: null}
	add := func(text []byte, field int) {
		if !slices.ContainsFunc(r.labels, func(l label) bool { return bytes.Equal(l.text, text) }) {
			r.labels = append(r.labels, label{text, field})
		}
	}
	for i, f := range t.FieldNames {
		add([]byte(f), i)
	}
	for i, f := range t.FieldNames {
		add(appendEscaped(nil, f), i)
		if !isPythonField(f) {
			add([]byte("field_"+strconv.Itoa(i)+"_"), i)
		}
	}
	// The longest spelling that matches is the right one.
	slices.SortStableFunc(r.labels, func(a, b label) int { return len(b.text) - len(a.text) })
	return r
}

// maxInline is the largest number of fields that a reader processes without an allocation.
const maxInline = 64

// span is the place of a field's value. begin is 0 if there is none, because a name precedes each
// value.
type span struct{ begin, end int }

func (r *udtReader) read(dst, text []byte, off int) ([]byte, error) {
	inner, off, err := openLiteral(text, off)
	if err != nil {
		return dst, err
	}
	var small [maxInline]span
	spans := small[:]
	if len(r.elems) > len(small) {
		spans = make([]span, len(r.elems))
	}
	for pos := 0; pos < len(inner); pos++ {
		field, begin, err := r.readLabel(inner, pos, off)
		if err != nil {
			return dst, err
		}
		if spans[field].begin > 0 {
			return dst, at(off+pos, fmt.Errorf("field %s occurs twice", r.fields[field]))
		}
		if pos, err = nextStop(inner, begin, ',', off); err != nil {
			return dst, err
		}
		spans[field] = span{begin, pos}
	}
	for i := range r.elems {
		s := spans[i]
		if s.begin == 0 {
			dst = cqlwire.AppendNull(dst)
			continue
		}
		word, wordOff := cut(inner, s.begin, s.end, off)
		if dst, err = r.elems[i].appendSized(dst, word, r.null, wordOff, inField); err != nil {
			return dst, fmt.Errorf("field %s: %w", r.fields[i], err)
		}
	}
	return dst, nil
}

var errField = errors.New("expected the name of a field, ':' and a value")

// readLabel reads the name of a field and the colon after it at text[pos:]. It returns the field's
// index in the type and the offset after the colon.
func (r *udtReader) readLabel(text []byte, pos, off int) (field, next int, err error) {
	for pos < len(text) && isSpace(text[pos]) {
		pos++
	}
	for _, l := range r.labels {
		if !bytes.HasPrefix(text[pos:], l.text) {
			continue
		}
		end := pos + len(l.text)
		for end < len(text) && isSpace(text[end]) {
			end++
		}
		if end < len(text) && text[end] == ':' {
			return l.field, end + 1, nil
		}
	}
	end, err := nextStop(text, pos, ':', off)
	if err != nil {
		return 0, pos, err
	}
	if end == len(text) || text[end] != ':' {
		return 0, pos, at(off+pos, errField)
	}
	word, wordOff := cut(text, pos, min(end, pos+maxInline), off)
	if field = slices.Index(r.fields, foldIdent(string(word))); field < 0 {
		return 0, pos, at(
			wordOff,
			fmt.Errorf("%s has no field %s, only %s", r.name, word, strings.Join(r.fields, ", ")),
		)
	}
	return field, end + 1, nil
}

// foldIdent returns the name of a CQL identifier: unchanged in double or single quotes, otherwise
// in lower case.
func foldIdent(word string) string {
	for _, quote := range []string{`"`, `'`} {
		if n := len(word); n >= 2 && word[:1] == quote && word[n-1:] == quote {
			return strings.ReplaceAll(word[1:n-1], quote+quote, quote)
		}
	}
	return strings.ToLower(word)
}

// pythonWords are the keywords of Python 3.
var pythonWords = strings.Fields(
	`False None True and as assert async await break class continue def del elif else
	except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield`,
)

// isPythonField reports whether cqlsh's driver keeps the name of a field. The name must be letters
// and digits of any script and underscores, with a letter first, and not a keyword.
func isPythonField(name string) bool {
	for i, c := range name {
		if !unicode.IsLetter(c) && (i == 0 || c != '_' && !unicode.IsNumber(c)) {
			return false
		}
	}
	return name != "" && !slices.Contains(pythonWords, name)
}
