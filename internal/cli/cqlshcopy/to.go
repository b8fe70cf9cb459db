package cqlshcopy

import (
	"errors"
	"strconv"

	"github.com/cqlbulk/cqlbulk/internal/spec/setting"
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
	"encoding":        has("text is in UTF-8", "utf8", "utf-8"),
	"maxrequests":     has("as many requests are under way as the cluster answers well"),
	"numprocesses":    has(insteadProcesses),
	"reportfrequency": has(insteadReports),
	"ratefile":        has(insteadRateFile, ""),
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

// maxOutputSizeRule refuses to write several files, whose names cqlbulk gives otherwise.
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
	return errors.New("cqlbulk writes several files into a folder of their own: say cqlbulk scan " +
		setting.ShellQuote(t.Args[0]) + " --dir FOLDER --maxoutputsize " + strconv.FormatInt(n, 10))
}
