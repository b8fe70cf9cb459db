package ingest

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/pkg/cqltext"
	"github.com/cqlbulk/cqlbulk/pkg/dsv"
)

// lineShown is the number of bytes that a hint quotes of a line.
const lineShown = 60

// guessComment guesses what the first line is, which begins with a character that often begins comments.
// --comment leaves out every such line, so it is advised only if none of them may be a row.
func (f Fields) guessComment(t *schema.Table, c byte) *hinted {
	h := &hinted{hint: fmt.Sprintf("the first line begins with %c: if it is a comment, say --comment '%c'", c, c), form: onNextLine}
	text, commented := f.firstText(), f.format
	commented.Comment = c
	if len(text) == 0 || commented.Validate() != nil {
		h.hint += ", which leaves out all lines that begin so"
		return h
	}
	all := records(text, commented)
	suspects, behind := between(text, all)
	var m *Mapping // of the header behind the comments
	if len(all) > 0 && f.known(t, all[0]) > 0 {
		m, _ = MapHeader(t, all[0], Fields{Codec: f.Codec, Renamed: f.Renamed, Skipped: f.Skipped})
		suspects = nil // no row stands before the header
	}
	suspects = append(suspects, behind...)
	types := f.typedBy(t, m)
	if types == nil {
		return h
	}
	for i, line := range suspects {
		all := records(line, f.format)
		switch {
		case line[0] != c || len(all) != 1:
			continue
		case i == 0 && bytes.HasPrefix(text, line) && types.isRow(all[0]):
			return nil // the first line is a row itself
		case i == 0 && bytes.HasPrefix(text, line), !types.mayBeRow(all[0]):
			continue
		}
		h.hint = fmt.Sprintf("the first line begins with %c, but not every such line is a comment: --comment '%c' would leave out rows such as %q; "+
			"remove the comments first: tail -n +%d FILE | cqlbulk load TABLE -", c, c, shown(line), leading(text, c)+1)
		return h
	}
	h.settings = Settings{"comment": {string(c)}}
	if cqltext.TextLike(types.mapping.Columns[types.first()].Type) {
		h.guess = fmt.Sprintf("lines that begin with %c are comments in all of the file: rows that begin so would be left out", c)
	}
	return h
}

// first returns the column of the first field.
func (j *judge) first() int {
	for i, field := range j.mapping.fields {
		if field == 0 {
			return i
		}
	}
	return 0
}

// mayBeRow reports whether a record may be a row, or one that only needs other settings to be read: it has as many fields as
// a row, and the first column takes its own.
func (j *judge) mayBeRow(rec dsv.Record) bool {
	if rec.Err != nil || len(rec.Fields) != j.mapping.width {
		return false
	}
	takes, _ := j.takes(j.first(), rec)
	return takes
}

// leading returns the number of lines at the beginning of a text that begin with a character.
func leading(text []byte, c byte) (n int) {
	for line := range bytes.Lines(text) {
		if line[0] != c {
			break
		}
		n++
	}
	return n
}

// shown returns the beginning of a line.
func shown(line []byte) string {
	text := strings.TrimRight(string(line), "\r\n")
	if len(text) > lineShown {
		text = strings.ToValidUTF8(text[:lineShown], "") + "..."
	}
	return text
}

// guessFirstLine guesses whether a first line without any name of a column is a header or a row: as many
// fields as the table has columns, whose types tell.
func (f Fields) guessFirstLine(t *schema.Table, first dsv.Record, names []string) *hinted {
	kind := eitherKind
	if types := f.typedBy(t, nil); types != nil {
		next := records(f.firstText(), f.format)
		kind = types.kindOf(first, next[min(1, len(next)):])
	}
	pairs := make([]string, len(names))
	for i, name := range names {
		pairs[i] = name + "=COLUMN"
	}
	mapped := flagList(pairs)
	if len(mapped) > fieldsShown {
		mapped = "FIELD=COLUMN,..."
	}
	switch kind {
	case rowKind:
		return &hinted{
			hint: "no field of the first line is a column: if the input has no header line, say --header=false", form: onNextLine,
			settings: Settings{"header": {"false"}},
		}
	case headerKind:
		return &hinted{hint: fmt.Sprintf("the first line seems to be a header, and none of its names is a column: --map %s says which columns they are", mapped), form: onNextLine}
	default:
		return &hinted{hint: fmt.Sprintf("no field of the first line is a column: if it is a header, --map %s says which columns they are; "+
			"if the input has no header line, say --header=false", mapped), form: onNextLine}
	}
}
