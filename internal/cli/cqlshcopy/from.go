package cqlshcopy

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/cqlbulk/cqlbulk/pkg/cqlparse/copystmt"
)

// What several options of either direction have in place of them.
const (
	insteadProcesses = "one process uses all processors; --inflight limits the requests under way"
	insteadInFlight  = "the number of requests under way follows what each node answers well, at most --inflight"
)

// fromRules are the options of COPY FROM, those among them that cqlsh does not document.
var fromRules = map[string]rule{
	"delimiter":       becomes("delimiter"),
	"quote":           becomes("quote"),
	"escape":          escapeRule,
	"header":          headerRule,
	"null":            unlessEmpty("null-string"),
	"datetimeformat":  unlessEmpty("datetimeformat"),
	"boolstyle":       becomes("boolstyle"),
	"decimalsep":      unlessEmpty("decimalsep"),
	"thousandssep":    unlessEmpty("thousandssep"),
	"skipcols":        skipColsRule,
	"skiprows":        skipRowsRule,
	"maxrows":         maxRowsRule,
	"ttl":             ttlRule,
	"ingestrate":      becomesNumber("ingestrate", anyNumber),
	"minbatchsize":    becomesNumber("minbatchsize", 1),
	"maxbatchsize":    becomesNumber("maxbatchsize", anyNumber),
	"maxattempts":     becomesNumber("maxattempts", 1),
	"maxparseerrors":  becomesNumber("maxparseerrors", -1),
	"maxinserterrors": becomesNumber("maxinserterrors", -1),
	"requesttimeout":  becomesSeconds("timeout"),

	"chunksize":       has("an input is cut into pieces as memory and processors allow"),
	"numprocesses":    inFlightRule,
	"reportfrequency": frequencyRule,
	"ratefile":        rateFileRule,
	"errfile":         errFileRule,
	"configfile":      configFileRule,
	"preparedstatements": has(
		"statements are always prepared, and values read before they are sent",
		"true",
	),
	"maxinflightmessages": inFlightRule,
	"maxbackoffattempts":  has(insteadInFlight),
	"maxpendingchunks":    has(insteadInFlight),
	"childtimeout":        has("there are no child processes"),
}

// fromFiles translates COPY FROM.
func (t *Command) fromFiles(s *copystmt.Statement, nulls string) error {
	t.command = "load"
	t.set("format", "csv")
	t.set("dialect", "cqlsh")
	t.header(s)
	t.columns(s)
	t.set("nulls", nulls)
	if err := t.options(s, fromRules, toRules); err != nil {
		return err
	}
	if s.Standard {
		t.Args = append(t.Args, "-")
		t.standardInput(s)
		return nil
	}
	for _, text := range s.Files {
		// No name that COPY FROM takes has a comma in it.
		for name := range strings.SplitSeq(text, ",") {
			path, err := copiedFile(strings.TrimSpace(name))
			if err != nil {
				return err
			}
			t.Args = append(t.Args, path)
		}
	}
	return nil
}

// standardInput prints a note if cqlsh counts the rows of the standard input differently from those
// of files.
func (t *Command) standardInput(s *copystmt.Statement) {
	if skip, _ := rowsOf(s, "skiprows"); skip > 0 {
		t.note(
			"SKIPROWS: all of these rows of STDIN are passed over, where cqlsh passes over one fewer",
		)
	}
	header, _ := s.Option("header")
	if rows, _ := rowsOf(s, "maxrows"); rows >= 0 && strings.EqualFold(header.Value, "true") {
		t.note("MAXROWS: the header of STDIN is none of these rows, where cqlsh counts it")
	}
}

// escapeRule sets the escape. When it is the quote, nothing but a quote is escaped.
func escapeRule(t *Command, _ *copystmt.Statement, o copystmt.Option) error {
	if o.Value == "" {
		return errors.New(
			"must be one character; the one of QUOTE is for files that double their quotes and escape nothing",
		)
	}
	t.set("escape", o.Value)
	return nil
}

// skipColsRule sets the columns that are not loaded.
func skipColsRule(t *Command, _ *copystmt.Statement, o copystmt.Option) error {
	var names []string
	for name := range strings.SplitSeq(o.Value, ",") {
		if name = strings.TrimSpace(name); name != "" {
			names = append(names, name)
		}
	}
	if len(names) > 0 {
		t.set("skipcols", names...)
	}
	return nil
}

// skipRowsRule sets how many rows are passed over.
func skipRowsRule(t *Command, s *copystmt.Statement, _ copystmt.Option) error {
	n, err := rowsOf(s, "skiprows")
	if n > 0 {
		t.set("skiprows", strconv.FormatInt(n, 10))
	}
	return err
}

// maxRowsRule sets how many rows are loaded. Of COPY's, those that are passed over are a part.
func maxRowsRule(t *Command, s *copystmt.Statement, _ copystmt.Option) error {
	n, err := rowsOf(s, "maxrows")
	if n < 0 || err != nil {
		return err
	}
	skip, err := rowsOf(s, "skiprows")
	skip = max(skip, 0)
	switch {
	case err != nil:
		return fmt.Errorf("SKIPROWS %w", err)
	case n <= skip:
		return fmt.Errorf(
			"no row would be loaded: SKIPROWS passes over %d, which count among them",
			skip,
		)
	}
	t.set("maxrows", strconv.FormatInt(n-skip, 10))
	return nil
}

// rowsOf is the number of rows that an option says, -1 when it is not given.
func rowsOf(s *copystmt.Statement, name string) (int64, error) {
	o, ok := s.Option(name)
	if !ok {
		return -1, nil
	}
	return wholeNumber(o)
}

// errFileRule sets the file for rejected rows. The name may be empty, where cqlsh fails with the
// first such row.
func errFileRule(t *Command, _ *copystmt.Statement, o copystmt.Option) error {
	if o.Value == "" {
		return nil
	}
	var err error
	if t.ErrFile, err = copiedFile(o.Value); err != nil {
		return err
	}
	t.copyAlone(
		"%s: copy writes that file; load keeps rejected rows in its run directory alone",
		shownOption(o),
	)
	return nil
}

// ttlRule sets a time to live. Below zero there is none to set.
func ttlRule(t *Command, _ *copystmt.Statement, o copystmt.Option) error {
	n, err := wholeNumber(o)
	switch {
	case err != nil || n < 0:
		return err
	case n == 0:
		t.note("%s is not done: rows expire as the table says, if it does", shownOption(o))
		return nil
	}
	t.set("ttl", strconv.FormatInt(n, 10))
	return nil
}
