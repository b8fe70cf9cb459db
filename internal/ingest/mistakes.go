package ingest

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/cqlbulk/cqlbulk/internal/amount"
	"github.com/cqlbulk/cqlbulk/internal/safetext"
	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/pkg/dsv"
	"github.com/cqlbulk/cqlbulk/pkg/levenshtein"
)

// What follows guesses what was meant by an input that does not fit. Each guess is a hint
// behind the error and changes nothing.

// delimiters are what stands between the fields of files that people have, and how it is
// written on a command line.
var delimiters = []struct {
	char byte
	flag string
}{{',', "--delimiter ,"}, {';', "--delimiter ';'"}, {'\t', "--format tsv"}, {'|', "--delimiter '|'"}}

// OtherDelimiter begins what is said where something else seems to stand between the fields of an input than what they are
// read by.
const OtherDelimiter = "another character seems to stand between"

// hinted is an error and what may be done about it, told as form has them.
type hinted struct {
	err        error
	hint, form string
}

// onNextLine has a hint on a line of its own.
const onNextLine = "%v\n%s"

func (h *hinted) Error() string { return fmt.Sprintf(h.form, h.err, h.hint) }
func (h *hinted) Unwrap() error { return h.err }

// hintHeader adds to the error about a header why its names may be no columns: another
// delimiter, no header at all, or fields too many.
func hintHeader(err error, t *schema.Table, header dsv.Record, f Fields) error {
	if hint := hintDelimiter(t, string(header.Raw), f.delimiter); hint != "" {
		return &hinted{err, hint, onNextLine}
	}
	var unknown []string
	known := 0
	for _, field := range header.Fields {
		name := string(field.Text)
		if !utf8.ValidString(name) {
			return &hinted{err, latin1Hint, "%v; it is not UTF-8: %s"}
		}
		if f.fits(t, name) {
			known++
		} else {
			unknown = append(unknown, name)
		}
	}
	switch {
	case known == 0 && looksLikeJSON(header.Raw):
		return &hinted{err, "this looks like JSON: if it is an object a line, say --format json", onNextLine}
	case known == 0:
		return &hinted{err, "no field of the first line is a column: if the input has no header line, say --header=false", onNextLine}
	case len(unknown) > 0:
		return &hinted{err, hintField(t, unknown...), "%v (%s)"}
	}
	return err
}

func looksLikeJSON(line []byte) bool {
	line = bytes.TrimLeft(line, " \t")
	return len(line) > 0 && (line[0] == '{' || line[0] == '[')
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

// fieldsShown is how long a list of fields is that a hint names.
const fieldsShown = 200

// hintField says what can be done with fields that are no columns.
func hintField(t *schema.Table, names ...string) string {
	if list := flagList(names); len(list) <= fieldsShown {
		column := cmp.Or(levenshtein.Nearest(names[0], t.Names()), "COLUMN")
		return fmt.Sprintf("--skipcols %s leaves out what is no column, --map %s says which one it is", list, flagList([]string{names[0] + "=" + column}))
	}
	return "--skipcols leaves out what is no column, --map FIELD=COLUMN says which one it is"
}

// flagList writes names as the value of a flag, as one types it into a shell.
func flagList(names []string) string {
	quoted := make([]string, len(names))
	for i, name := range names {
		if strings.ContainsAny(name, `,"`) {
			name = `"` + strings.ReplaceAll(name, `"`, `""`) + `"`
		}
		quoted[i] = name
	}
	return safetext.ShellWord(strings.Join(quoted, ","))
}

// hintDelimiter guesses that a header has another delimiter: one by which more of its
// fields are columns, or where none is, the only one by which it has several fields. Empty: there is none.
func hintDelimiter(t *schema.Table, line string, delimiter byte) string {
	if delimiter == 0 {
		return ""
	}
	line = strings.TrimRight(line, "\r\n")
	columns := func(char byte) (known, all int) {
		for _, name := range strings.Split(line, string(char)) {
			if _, err := t.Select(strings.Trim(name, `"`)); err == nil {
				known++
			}
			all++
		}
		return known, all
	}
	most, several := columns(delimiter)
	best := ""
	for _, d := range delimiters {
		if d.char == delimiter {
			continue
		}
		known, all := columns(d.char)
		if known > most || known == 0 && most == 0 && several == 1 && all > 1 && best == "" {
			most, best = known, d.flag
		}
	}
	if best == "" {
		return ""
	}
	return OtherDelimiter + " the fields: " + best
}

// fieldsError says that a record has not as many fields as there should be.
func (p *parser) fieldsError(rec dsv.Record, width int) error {
	text := fmt.Sprintf("row has %s instead of %d", amount.Of(len(rec.Fields), "field"), width)
	job := p.run.job
	for _, d := range delimiters {
		if d.char != job.Format.Delimiter && len(rec.Fields) == 1 && width > 1 && bytes.Count(rec.Raw, []byte{d.char}) == width-1 {
			return fmt.Errorf("%s: %s them: %s", text, OtherDelimiter, d.flag)
		}
	}
	if !job.Header && len(rec.Fields) > width {
		text += ": --columns names all of them, and --skipcols those that are not loaded"
	}
	return errors.New(text)
}

// refuseArray refuses JSON that is one array, where an object a line is read, and gives a
// reader that begins where in does.
func refuseArray(in io.Reader) (io.Reader, error) {
	b := bufio.NewReaderSize(in, arrayHead) // which large reads pass by
	for n := 1; n <= arrayHead; n++ {
		head, err := b.Peek(n)
		switch {
		case err != nil: // reading meets it again
			return b, nil
		case head[n-1] == '[':
			return nil, errors.New("this is an array of JSON, where an object a line is read: jq -c '.[]' FILE | cqlbulk load TABLE - --format json")
		case strings.IndexByte(" \t\r\n\xef\xbb\xbf", head[n-1]) < 0: // neither white space nor a byte order mark
			return b, nil
		}
	}
	return b, nil
}

// arrayHead is how far an array is looked for behind white space.
const arrayHead = 512

// latin1Hint says what may be done about text that is not UTF-8.
const latin1Hint = "--encoding latin1 reads windows-1252 and ISO 8859-1"

// hintEncoding adds to a reason what may be done about text that is not UTF-8.
func (p *parser) hintEncoding(reason string, text []byte) string {
	if p.view.latin1 || utf8.Valid(text) {
		return reason
	}
	return reason + "; " + latin1Hint
}
