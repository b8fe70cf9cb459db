package cqlshcopy

import (
	"slices"
	"strconv"
	"strings"

	"github.com/cqlbulk/cqlbulk/internal/spec/setting"
	"github.com/cqlbulk/cqlbulk/pkg/cqlparse/copystmt"
)

// insteadText is what options about the text of values have in place of them.
const insteadText = "the text is cqlbulk's own and lossless"

// toRules are the options of COPY TO.
var toRules = map[string]rule{
	"delimiter":   becomes("delimiter"),
	"quote":       becomes("quote"),
	"header":      headerRule,
	"null":        unlessEmpty("null-string"),
	"begintoken":  unlessEmpty("begintoken"),
	"endtoken":    unlessEmpty("endtoken"),
	"pagesize":    becomesNumber("pagesize", anyNumber),
	"pagetimeout": becomesSeconds("timeout"),
	"maxattempts": becomesNumber("maxattempts", 1),

	"maxoutputsize":   maxOutputSizeRule,
	"escape":          writtenEscapeRule,
	"datetimeformat":  has(insteadText, ""),
	"boolstyle":       has(insteadText, "true,false", "true, false"),
	"decimalsep":      has(insteadText, ".", ""),
	"thousandssep":    has(insteadText, ""),
	"floatprecision":  has(insteadText),
	"doubleprecision": has(insteadText),
	"encoding":        encodingRule,
	"maxrequests":     parallelRule,
	"numprocesses":    parallelRule,
	"reportfrequency": frequencyRule,
	"ratefile":        rateFileRule,
	"configfile":      has(insteadConfig, ""),
}

// toFile translates COPY TO.
func (t *Command) toFile(s *copystmt.Statement) error {
	t.command = "scan"
	output := "-"
	if !s.Standard {
		var err error
		if output, err = copiedFile(s.Files[0]); err != nil {
			return err
		}
		t.set("output", output)
	}
	t.set("format", "csv")
	t.header(s)
	t.columns(s)
	if err := t.options(s, toRules, fromRules); err != nil {
		return err
	}
	t.note(
		"the text is not that of cqlsh's COPY TO, but cqlbulk's lossless CSV, which COPY FROM misreads; it loads again with: %s",
		t.loadOf(output),
	)
	return nil
}

// The settings of a scan that a load must have, too, to read its text.
var textFlags = []string{
	"format",
	"header",
	"columns",
	"column-order",
	"delimiter",
	"quote",
	"null-string",
}

// loadOf is the command line that loads the output. Of several files only the first has a header,
// so that they are one input.
func (t *Command) loadOf(output string) string {
	var joined string
	load := &Command{command: "load"}
	for _, s := range t.Settings {
		if slices.Contains(textFlags, s.Flag) {
			load.Settings = append(load.Settings, s)
		}
		if s.Flag == "maxoutputsize" {
			file := setting.ShellQuote(output)
			joined, output = "cat "+file+" "+file+".[0-9]* | ", "-"
		}
	}
	load.Args = append(slices.Clone(t.Args), output)
	return joined + load.CommandLine(nil)
}

// maxOutputSizeRule limits the rows of a file. The others have its name and a number, as those of
// cqlsh.
func maxOutputSizeRule(t *Command, s *copystmt.Statement, o copystmt.Option) error {
	n, err := wholeNumber(o)
	switch {
	case err != nil || n <= 0:
		return err
	case s.Standard:
		t.note(
			"%s is passed over, as cqlsh does: there is no second standard output",
			shownOption(o),
		)
		return nil
	}
	t.set("maxoutputsize", strconv.FormatInt(n, 10))
	return nil
}

// writtenEscapeRule prints that there is no escape, unless it is the quote.
func writtenEscapeRule(t *Command, s *copystmt.Statement, o copystmt.Option) error {
	quote, ok := s.Option("quote")
	if !ok {
		quote.Value = `"`
	}
	return has("a quote in a field is doubled, and nothing is escaped", quote.Value)(t, s, o)
}

// encodings are the names that Python has for UTF-8 and for ASCII, which is a part of it.
var encodings = []string{
	"utf8", "utf_8", "u8", "utf", "cp65001", "utf8_ucs2", "utf8_ucs4",
	"ascii", "us_ascii", "us", "646", "iso646_us", "iso_ir_6", "cp367", "csascii", "ibm367",
	"ansi_x3.4_1968", "ansi_x3_4_1968", "ansi_x3.4_1986", "iso_646.irv_1991",
}

// encodingRule prints that text is in UTF-8, unless that is what the statement says. Python takes
// a hyphen or a blank in a name for an underscore.
func encodingRule(t *Command, _ *copystmt.Statement, o copystmt.Option) error {
	name := strings.NewReplacer("-", "_", " ", "_").Replace(strings.ToLower(o.Value))
	if !slices.Contains(encodings, name) {
		t.note("%s is not done: text is written in UTF-8, as by cqlsh", shownOption(o))
	}
	return nil
}
