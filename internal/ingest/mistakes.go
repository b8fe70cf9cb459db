package ingest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/cqlbulk/cqlbulk/internal/format"
	"github.com/cqlbulk/cqlbulk/internal/human"
	"github.com/cqlbulk/cqlbulk/internal/schema"
)

// What follows guesses what was meant by an input that does not fit. Each guess is a hint
// behind the error and changes nothing.

// delimiters are what stands between the fields of files that people have, and how it is
// written on a command line.
var delimiters = []delimited{
	{",", "--delimiter ,"},
	{";", "--delimiter ';'"},
	{"\t", "--format tsv"},
	{"||", "--delimiter '||'"}, // before its half, which makes as many names
	{"|", "--delimiter '|'"},
}

// delimited is what stands between fields.
type delimited struct{ text, flag string }

func (d delimited) settings() Settings {
	if d.text == "\t" {
		return Settings{"format": {"tsv"}}
	}
	return Settings{"delimiter": {d.text}}
}

// OtherDelimiter begins the hint that another character than the delimiter seems to stand between
// the fields of an input.
const OtherDelimiter = "another character seems to stand between"

// Settings are settings of a load that its text needs, by their names; a list has its elements, and
// map its pairs.
type Settings map[string][]string

// hinted is an error with a hint. form is how both are printed.
type hinted struct {
	err        error
	hint, form string
	settings   Settings // that do what the hint says; nil: none do
	guess      string   // what the settings take for granted; empty: nothing
}

// The forms of a hint: on a line of its own, and behind the error.
const (
	onNextLine  = "%v\n%s"
	inBrackets  = "%v (%s)"
	behindColon = "%v: %s"
)

func (h *hinted) Error() string { return fmt.Sprintf(h.form, h.err, h.hint) }
func (h *hinted) Unwrap() error { return h.err }

// guess guesses what a first line is if its fields are no columns. It returns nil if it does not
// know.
type guess func(t *schema.Table, header format.Header, f Fields) *hinted

// hintHeader adds to the error about a header why its names may be no columns. It tries JSON,
// another end of lines, a comment, lines before the header, another delimiter, no header at all,
// and names with other spellings.
func hintHeader(err error, t *schema.Table, header format.Header, f Fields) error {
	return hintBy(
		err,
		t,
		header,
		f,
		guessJSON,
		guessLines,
		guessPreamble,
		guessDelimiter,
		guessEncoding,
		guessTrailing,
		guessNames,
	)
}

// hintBroken adds to the error about a first line that is no text of the format what it may be.
func hintBroken(err error, t *schema.Table, header format.Header, f Fields) error {
	return hintBy(err, t, header, f, guessJSON, guessLines, guessPreamble, guessDelimiter)
}

// hintBy adds to an error what the first of some guesses finds.
func hintBy(err error, t *schema.Table, header format.Header, f Fields, guesses ...guess) error {
	for _, guess := range guesses {
		if h := guess(t, header, f); h != nil {
			h.err = err
			return h
		}
	}
	return err
}

// guessJSON guesses that each line is an object of JSON.
func guessJSON(_ *schema.Table, header format.Header, f Fields) *hinted {
	first := header.Raw
	if len(first) == 0 { // of a record that does not end
		first, _, _ = bytes.Cut(bytes.TrimLeft(f.firstText(), " \t\r\n"), []byte{'\n'})
	}
	if !isObject(first) {
		return nil
	}
	return &hinted{hint: objectHint, form: onNextLine, settings: settingsJSON}
}

// isObject reports whether a line is an object of JSON.
func isObject(line []byte) bool {
	line = bytes.TrimSpace(line)
	return len(line) > 0 && line[0] == '{' && json.Valid(line)
}

const objectHint = "the input holds JSON, an object a line: --format json"

// guessLines guesses that the first line is not where it seems to end, or is a comment.
func guessLines(t *schema.Table, header format.Header, f Fields) *hinted {
	if f.delimited().Delimiter == 0 {
		return nil
	}
	if loneCR(header.Raw) {
		return &hinted{hint: lineEndHint, form: onNextLine, settings: settingsCR}
	}
	c := header.Raw[:min(1, len(header.Raw))]
	if len(c) == 0 || strings.IndexByte("#%!", c[0]) < 0 || c[0] == f.delimited().Delimiter ||
		f.known(t, header.Names) > 0 {
		return nil
	}
	return f.guessComment(t, c[0])
}

const lineEndHint = "lines seem to end in a carriage return alone: --line-end cr"

// loneCR reports whether there are CRs in a record, and no LF where it ends.
func loneCR(raw []byte) bool {
	return len(raw) > 0 && raw[len(raw)-1] != '\n' &&
		bytes.IndexByte(raw[:len(raw)-1], '\r') >= 0 &&
		bytes.IndexByte(raw, '\n') < 0
}

func guessDelimiter(t *schema.Table, header format.Header, f Fields) *hinted {
	h := hintDelimiter(t, string(header.Raw), f.delimited().DelimiterText())
	if h != nil && f.Rejects {
		h.hint = fmt.Sprintf(
			"a file of rejects keeps its delimiter, %q: another program has written it with another one",
			f.delimited().DelimiterText(),
		)
		h.settings = nil // it cannot be changed
	}
	return h
}

// guessEncoding guesses that a name is in another encoding.
func guessEncoding(_ *schema.Table, header format.Header, _ Fields) *hinted {
	for _, name := range header.Names {
		if !utf8.ValidString(name) {
			return &hinted{
				hint:     latin1Hint,
				form:     "%v; it is not UTF-8: %s",
				settings: Settings{"encoding": {"latin1"}},
			}
		}
	}
	return nil
}

// guessTrailing guesses what a field without a name is.
func guessTrailing(_ *schema.Table, header format.Header, _ Fields) *hinted {
	last := len(header.Names) - 1
	for i, name := range header.Names {
		switch {
		case name != "":
		case i == last && last > 0:
			return &hinted{hint: trailingHint, form: inBrackets, settings: settingsTrailing}
		default:
			return &hinted{
				hint: "--columns names all fields, whatever the header says",
				form: inBrackets,
			}
		}
	}
	return nil
}

const trailingHint = "each line seems to end in a delimiter: --trailing-delimiter"

// guessNames guesses which columns the names stand for that are none.
func guessNames(t *schema.Table, header format.Header, f Fields) *hinted {
	names := header.Names
	var unknown []string
	for _, name := range names {
		if !f.fits(t, name) {
			unknown = append(unknown, name)
		}
	}
	columns := f.likely(t, header, f.guessColumns(t, names))
	keys := f.missingKeys(t, names, columns)
	switch {
	case len(unknown) == 0:
		return nil
	case len(columns) == 0 && len(unknown) == len(names) && looksLikeJSON(header.Raw):
		return &hinted{
			hint:     "this looks like JSON: if it holds objects, say --format json",
			form:     onNextLine,
			settings: settingsJSON,
		}
	case len(columns) == 0 && len(unknown) == len(names) && f.Unread != nil: // of keys
		return &hinted{
			hint:     "no field of the first line is a column: if the input has no header line, say --header=false",
			form:     onNextLine,
			settings: Settings{"header": {"false"}},
		}
	case len(columns) == 0 && len(unknown) == len(names) && len(names) != len(t.Columns):
		return &hinted{
			hint: fmt.Sprintf(
				"no field of the first line is a column: if the input has no header line, say --header=false and --columns "+
					"with the names of its %s",
				human.Of(len(names), "field"),
			),
			form: onNextLine,
		}
	case len(columns) == 0 && len(unknown) == len(names):
		return f.guessFirstLine(t, names)
	}
	if around := f.hintAround(t, unknown); around != nil {
		return around
	}
	mayHold := func(column, field string) bool {
		return f.mayHold(t, column, f.valuesOf(header, field))
	}
	return &hinted{
		hint:     hintNames(t, columns, unknown, keys, mayHold),
		form:     inBrackets,
		settings: f.naming(columns, unknown, keys),
		guess:    describeGuesses(columns),
	}
}

// hintAround guesses that blanks or apostrophes around all unknown names are no part of them. It
// returns nil if the names are of no columns without these.
func (f Fields) hintAround(t *schema.Table, unknown []string) *hinted {
	text, isDelimited := f.format.(format.Delimited)
	if !isDelimited {
		return nil
	}
	within := func(inner func(name string) string) bool {
		return !slices.ContainsFunc(unknown, func(name string) bool {
			_, err := t.Select(inner(name))
			return inner(name) == name || err != nil
		})
	}
	trim := func(name string) string { return strings.Trim(name, " \t") }
	unquote := func(name string) string {
		inner, begins := strings.CutPrefix(name, "'")
		inner, ends := strings.CutSuffix(inner, "'")
		if !begins || !ends {
			return name
		}
		return inner
	}
	switch {
	case !text.Trim && within(trim):
		return &hinted{
			hint:     "blanks stand around the names: if they are no part of the fields, say --trim",
			form:     onNextLine,
			settings: Settings{"trim": {"true"}},
		}
	case within(unquote):
		return &hinted{
			hint:     `apostrophes stand around the names: if they are quotes, say --quote "'"`,
			form:     onNextLine,
			settings: Settings{"quote": {"'"}},
		}
	}
	return nil
}

func looksLikeJSON(line []byte) bool {
	line = bytes.TrimLeft(line, " \t")
	return len(line) > 0 && (line[0] == '{' || line[0] == '[')
}

// known returns the number of names that stand for columns, or may.
func (f Fields) known(t *schema.Table, names []string) (n int) {
	for _, name := range names {
		if f.fits(t, name) {
			n++
		}
	}
	return n + len(f.guessColumns(t, names))
}

// fits says whether a field's name stands for a column, or is left out.
func (f Fields) fits(t *schema.Table, name string) bool {
	if f.skips(name) {
		return true
	}
	if column, ok := f.Renamed[name]; ok {
		name = column
	}
	_, err := t.Select(name)
	return err == nil
}

// hintDelimiter guesses that a header has another delimiter: the one that makes more of its fields
// columns. If none does, it is the only one that yields several fields. It returns nil if there is
// none.
func hintDelimiter(t *schema.Table, line, delimiter string) *hinted {
	if delimiter == "" {
		return nil
	}
	line = strings.TrimRight(line, "\r\n")
	columns := make(map[string]bool)
	for _, name := range t.Names() {
		columns[folded(name)] = true
	}
	by := func(delimiter string) (known, all int) {
		for _, name := range strings.Split(line, delimiter) {
			if _, err := t.Select(strings.Trim(name, `"`)); err == nil || columns[folded(name)] {
				known++
			}
			all++
		}
		return known, all
	}
	most, several := by(delimiter)
	var best *hinted
	for _, d := range delimiters {
		if d.text == delimiter {
			continue
		}
		known, all := by(d.text)
		more := known > most
		if best == nil && known == most {
			whole := known == all && all < several // || and not |
			more = whole || known == 0 && several == 1 && all > 1
		}
		if more {
			most, best = known, &hinted{
				hint:     OtherDelimiter + " the fields: " + d.flag,
				form:     onNextLine,
				settings: d.settings(),
			}
		}
	}
	return best
}

// hintFault adds to a fault of a record of delimited text what may be done about it. raw is the
// record.
func (p *parser) hintFault(fault *format.Fault, raw []byte) {
	var width *format.WidthError
	text, ok := p.run.job.Format.(format.Delimited)
	if !ok || !errors.As(fault.Err, &width) {
		return
	}
	if h := p.guessWidth(width, text.DelimiterText(), raw); h != nil {
		h.err, h.form = fault.Err, behindColon
		fault.Err = h
	}
}

// guessWidth guesses why a record has another number of fields than planned; nil: it is not known.
func (p *parser) guessWidth(width *format.WidthError, delimiter string, raw []byte) *hinted {
	for _, d := range delimiters {
		if d.text != delimiter && width.Fields == 1 && width.Want > 1 &&
			bytes.Count(raw, []byte(d.text)) == width.Want-1 {
			return &hinted{hint: OtherDelimiter + " them: " + d.flag, settings: d.settings()}
		}
	}
	job := p.run.job
	switch {
	case width.Fields == width.Want+1 && width.EmptyEnd:
		return &hinted{hint: trailingHint, settings: settingsTrailing}
	case loneCR(raw):
		return &hinted{hint: lineEndHint, settings: settingsCR}
	case isObject(raw):
		return &hinted{hint: objectHint, settings: settingsJSON}
	case !job.Header && len(job.Columns) == 0 && width.Fields < width.Want:
		return &hinted{
			hint: "without a header the fields go to the table's columns in the table's order; " +
				"--columns names those that the file has",
		}
	case !job.Header && width.Fields > width.Want:
		return &hinted{
			hint: "--columns names all of them, and --skipcols those that are not loaded",
		}
	}
	return nil
}

// Settings of hints that many rows may have.
var (
	settingsTrailing = Settings{"trailing-delimiter": {"true"}}
	settingsCR       = Settings{"line-end": {"cr"}}
	settingsEscape   = Settings{"escape": {`\`}}
	settingsJSON     = Settings{"format": {"json"}}
)

// hintEscape adds to the reason for a damaged record of delimited text what may be done about it.
func (p *parser) hintEscape(rej *Reject, raw []byte) {
	text, ok := p.run.job.Format.(format.Delimited)
	if !ok {
		return
	}
	if isObject(raw) {
		rej.Reason += "; " + objectHint
		rej.Settings = settingsJSON
		return
	}
	if text.Escape == 0 && bytes.Contains(raw, []byte{'\\', text.Quote}) {
		rej.Reason += `; if a backslash stands before quotes in values: --escape '\'`
		rej.Settings = settingsEscape
	}
}

// latin1Hint is the advice for text that is not UTF-8.
const latin1Hint = "--encoding latin1 reads windows-1252 and ISO 8859-1"

// hintEncoding adds to a reason the advice for text that is not UTF-8.
func (p *parser) hintEncoding(reason string, text []byte) string {
	if p.view.latin1 || p.run.job.Format.Named() || utf8.Valid(text) {
		return reason
	}
	return reason + "; " + latin1Hint
}
