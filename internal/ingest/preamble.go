package ingest

import (
	"bytes"
	"fmt"
	"maps"
	"strconv"
	"strings"

	"github.com/cqlbulk/cqlbulk/internal/format"
	"github.com/cqlbulk/cqlbulk/internal/schema"
)

// preambleLines is the number of lines before a header that a guess looks behind.
const preambleLines = 50

// guessPreamble guesses that lines stand before the header: titles, or the line sep=; that names
// the delimiter for Excel.
func guessPreamble(t *schema.Table, header format.Header, f Fields) *hinted {
	own := f.delimited()
	if own.Delimiter == 0 {
		return nil
	}
	text := f.firstText()
	if len(text) == 0 { // of a pipe
		text = header.Raw
	}
	number := 0
	var first []byte // that is no comment
	var named byte   // by a line of Excel's
	for line := range bytes.Lines(text) {
		line = bytes.TrimRight(line, "\r\n")
		if number++; number > preambleLines {
			break
		}
		if len(line) == 0 || own.Comment != 0 && line[0] == own.Comment {
			continue
		}
		begins := first == nil
		if begins {
			first, named = line, excelDelimiter(line)
		}
		if d, isHeader := f.headedBy(t, line); isHeader && begins {
			return nil
		} else if isHeader {
			return f.hintPreamble(number, d, first, named != 0)
		}
	}
	if named != 0 {
		return f.hintPreamble(
			2,
			delimited{string(named), "--delimiter " + quotedDelimiter(named)},
			first,
			true,
		)
	}
	return nil
}

// excelDelimiter returns the delimiter that a line such as sep=; names; 0: it is no such line.
func excelDelimiter(line []byte) byte {
	if name, char, _ := bytes.Cut(
		bytes.Trim(line, `"`),
		[]byte{'='},
	); strings.EqualFold(string(name), "sep") &&
		len(char) == 1 {
		return char[0]
	}
	return 0
}

func quotedDelimiter(char byte) string {
	for _, d := range delimiters {
		if d.text == string(char) {
			return strings.TrimPrefix(d.flag, "--delimiter ")
		}
	}
	return "'" + string(char) + "'"
}

// headedBy returns the delimiter that makes a line a header: at least two of its names, and at
// least half of them, are columns. The present delimiter comes first.
func (f Fields) headedBy(t *schema.Table, line []byte) (delimited, bool) {
	best, most := delimited{}, 1
	own := f.delimited()
	for _, d := range append([]delimited{{own.DelimiterText(), ""}}, delimiters...) {
		by := own
		by.SetDelimiter(d.text)
		if by.Validate() != nil {
			continue
		}
		all := by.Records(line, 0)
		if len(all) != 1 || all[0].Err != nil {
			continue
		}
		names := format.HeaderOf(all[0]).Names
		if known := f.known(t, names); known > most && 2*known >= len(names) {
			best, most = d, known
		}
	}
	return best, most > 1
}

// hintPreamble returns the hint that the header is a later line. If its delimiter is not the
// present one, the hint names it.
func (f Fields) hintPreamble(header int, d delimited, first []byte, excel bool) *hinted {
	h := &hinted{form: onNextLine}
	flags := f.skipLines(h, header-1)
	if d.flag != "" && d.text != f.delimited().DelimiterText() {
		maps.Copy(h.settings, d.settings())
		flags += " " + d.flag
	}
	if excel {
		h.hint = fmt.Sprintf("the first line %q is for Excel, and no header: %s", first, flags)
	} else {
		h.hint = fmt.Sprintf(
			"the header seems to be line %d: %s",
			f.before+int64(header),
			flags,
		)
	}
	return h
}

// skipLines sets a hint's settings: a number of lines is passed over, besides those that are
// already. It returns the flag.
func (f Fields) skipLines(h *hinted, lines int) string {
	n := strconv.FormatInt(f.before+int64(lines), 10)
	h.settings = Settings{"skiplines": {n}}
	return "--skiplines " + n
}
