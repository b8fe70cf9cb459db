package cqlshcopy

import (
	"slices"
	"strconv"
	"strings"

	"github.com/cqlbulk/cqlbulk/pkg/cqlparse/copystmt"
)

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
	"escape":          escapeRule,
	"datetimeformat":  unlessEmpty("datetimeformat"),
	"boolstyle":       becomes("boolstyle"),
	"decimalsep":      unlessEmpty("decimalsep"),
	"thousandssep":    unlessEmpty("thousandssep"),
	"floatprecision":  becomesNumber("floatprecision", 1),
	"doubleprecision": becomesNumber("doubleprecision", 1),
	"encoding":        encodingRule,
	"maxrequests":     parallelRule,
	"numprocesses":    parallelRule,
	"reportfrequency": frequencyRule,
	"ratefile":        rateFileRule,
	"configfile":      configFileRule,
}

// toFile translates COPY TO.
func (t *Command) toFile(s *copystmt.Statement) error {
	t.command = "scan"
	if !s.Standard {
		output, err := copiedFile(s.Files[0])
		if err != nil {
			return err
		}
		t.set("output", output)
	}
	t.set("format", "csv")
	t.set("dialect", "cqlsh")
	t.header(s)
	t.columns(s)
	return t.options(s, toRules, fromRules)
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
