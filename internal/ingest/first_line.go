package ingest

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/cqlbulk/cqlbulk/internal/format"
	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/pkg/cqltext"
)

// lineShown is the number of bytes that a hint quotes of a line.
const lineShown = 60

// guessComment guesses what the first line is if it begins with a character that often begins
// comments. The flag --comment leaves out every line of that kind. So the hint advises it only if
// none of them may be a row.
func (f Fields) guessComment(t *schema.Table, c byte) *hinted {
	h := &hinted{
		hint: fmt.Sprintf(
			"the first line begins with %c: if it is a comment, say --comment '%c'",
			c,
			c,
		),
		form: onNextLine,
	}
	text := f.firstText()
	cuts := f.cuts(t, text, c)
	if len(cuts) == 0 {
		h.hint += ", which leaves out all lines that begin so"
		return h
	}
	for _, cut := range cuts {
		row, first := cut.row(f, t, text)
		switch {
		case first:
			return nil
		case row != nil:
			h.hint = fmt.Sprintf(
				"the first line begins with %c, but not every such line is a comment: --comment '%c' would leave out rows such as %q; "+
					"pass over the comments before: %s",
				c,
				c,
				shown(row),
				f.skipLines(h, leading(text, c)),
			)
			return h
		}
		if cut.column == nil || cqltext.TextLike(cut.column.Type) {
			h.guess = fmt.Sprintf(
				"lines that begin with %c are comments in all of the file: rows that begin so would be left out",
				c,
			)
		}
	}
	h.settings = Settings{"comment": {string(c)}}
	return h
}

// cut is how a text may be cut into records and comments.
type cut struct {
	text     format.Delimited // without comments
	suspects [][]byte         // lines that would be comments, but for those before a header
	named    bool             // the first record behind the comments is a header
	width    int              // of a row
	column   *schema.Column   // of the first field; nil: it is not known
}

// cuts returns how to cut a text whose comments begin with the character c. If a delimiter
// separates names of columns behind the comments, it returns that one, or else every delimiter that
// yields several fields. It returns none if nothing is known.
func (f Fields) cuts(t *schema.Table, text []byte, c byte) (out []cut) {
	own := f.delimited()
	if len(text) == 0 || own.Delimiter == 0 {
		return nil
	}
	by := []string{own.DelimiterText()}
	for _, d := range delimiters {
		if d.text != by[0] {
			by = append(by, d.text)
		}
	}
	for _, delimiter := range by {
		one := cut{text: own, width: len(t.Columns)}
		one.text.SetDelimiter(delimiter)
		commented := one.text
		commented.Comment = c
		if commented.Validate() != nil {
			continue
		}
		all := commented.Records(text, 0)
		before, behind := between(text, all)
		if len(all) > 0 {
			one.width, one.named = len(all[0].Fields), f.known(t, format.HeaderOf(all[0]).Names) > 0
		}
		if one.width == 1 && len(t.Columns) > 1 && !one.named {
			continue // another delimiter stands between the fields
		}
		if one.suspects = behind; !one.named {
			one.suspects = append(before, behind...)
		}
		one.suspects = slices.DeleteFunc(
			one.suspects,
			func(line []byte) bool { return line[0] != c },
		)
		if one.named {
			one.column = f.firstColumn(t, format.HeaderOf(all[0]).Names)
			return []cut{one}
		}
		if one.width == len(t.Columns) {
			one.column = &t.Columns[0]
		}
		out = append(out, one)
	}
	return out
}

// firstColumn returns the column that the first field of a header goes to; nil: it is not known.
func (f Fields) firstColumn(t *schema.Table, names []string) *schema.Column {
	name := names[0]
	if column, ok := f.Renamed[name]; ok {
		name = column
	}
	for _, guessed := range f.guessColumns(t, names) {
		if guessed.field == name {
			name = guessed.column
		}
	}
	s, err := t.Select(name)
	if err != nil || !s.Plain {
		return nil
	}
	return &s.Column
}

// row returns a suspect that may be a row, or first if that is the first line of the text. It has
// as many fields as a row, and the column of the first field takes that field. Its other fields may
// only need other settings.
func (o cut) row(f Fields, t *schema.Table, text []byte) (row []byte, first bool) {
	var key *judge
	if o.column != nil {
		key = f.typedBy([]schema.Column{*o.column})
	}
	for i, line := range o.suspects {
		all := o.text.Records(line, 0)
		if len(all) != 1 || all[0].Err != nil || len(all[0].Fields) != o.width {
			continue
		}
		if i == 0 && bytes.HasPrefix(text, line) { // it is a comment, unless all of it fits
			if types := f.typedBy(t.Columns); types != nil && types.isRow(all[0]) {
				return nil, true
			}
			continue
		}
		takes := true
		if key != nil {
			takes, _ = key.takes(0, all[0].Fields[0].Text)
		}
		if takes {
			return line, false
		}
	}
	return nil, false
}

// leading returns the number of lines at the beginning of a text that are blank or begin with a
// character.
func leading(text []byte, c byte) (n int) {
	for line := range bytes.Lines(text) {
		if line[0] != c && len(bytes.TrimSpace(line)) > 0 {
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

// guessFirstLine guesses whether a first line without any name of a column is a header or a row. It
// has as many fields as the table has columns, and their types decide.
func (f Fields) guessFirstLine(t *schema.Table, names []string) *hinted {
	kind := eitherKind
	if types := f.typedBy(t.Columns); types != nil {
		next := f.delimited().Records(f.firstText(), 0)
		kind = types.kindOf(names, next[min(1, len(next)):])
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
			hint:     "no field of the first line is a column: if the input has no header line, say --header=false",
			form:     onNextLine,
			settings: Settings{"header": {"false"}},
		}
	case headerKind:
		return &hinted{
			hint: fmt.Sprintf(
				"the first line seems to be a header, and none of its names is a column: --map %s says which columns they are",
				mapped,
			),
			form: onNextLine,
		}
	default:
		return &hinted{
			hint: fmt.Sprintf(
				"no field of the first line is a column: if it is a header, --map %s says which columns they are; "+
					"if the input has no header line, say --header=false",
				mapped,
			),
			form: onNextLine,
		}
	}
}
