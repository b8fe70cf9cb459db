package doctest

import (
	"fmt"
	"regexp"
	"strings"
)

// anything stands on a page for what is left out: within a line, or as a line for any number of
// lines.
const anything = "..."

// varying is what differs from run to run, in this order: a figure of it on a page stands for every
// figure of its kind.
var varying = []struct {
	what *regexp.Regexp
	kind string
}{
	{regexp.MustCompile(`\d{8}T\d{6}Z-\d+`), "<run>"},
	{
		regexp.MustCompile(`\S+ \((\d+\.){3}\d+(:\d+)?( and \d+ more)?\)`),
		"<cluster>",
	}, // its name, and a contact point
	// Of now, and not of the sample data, which are of 2013.
	{regexp.MustCompile(`20[2-9]\d-\d\d-\d\d([T ]\d\d:\d\d(:\d\d)?(\.\d+)?Z?)?`), "<time>"},
	{regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`), "<id>"},
	{regexp.MustCompile(`(\w)-[0-9a-f]{32}\b`), "$1-<id>"},
	{regexp.MustCompile(`\bcqlbulk (\(devel\)|v?\d\S*)`), "cqlbulk <version>"},
	{regexp.MustCompile(`(^|[^\d.])\d+\.\d+\.\d+($|[^\d.])`), "$1<version>$2"},
	{regexp.MustCompile(`\d[\d,]*(\.\d+)?k? rows/s`), "<speed>"},
	{regexp.MustCompile(`\d[\d,]*(\.\d+)? ?[KMG]?i?B(/s)?\b`), "<size>"},
	{regexp.MustCompile(`\b(\d+(\.\d+)?(h|m|s|ms|us|µs))+\b|\b\d+(\.\d+)? m?s\b`), "<duration>"},
	{regexp.MustCompile(`\d+(\.\d+)?%`), "<share>"},
	{regexp.MustCompile(`\b(seed|pid|^files) \d+`), "$1 <number>"},
	{
		regexp.MustCompile(`\b\d+ files?\b`),
		"<number> files",
	}, // a scan writes up to one for each processor
	{regexp.MustCompile(`^(cluster +)[^ ,]+`), "$1<name>"},
}

// measured are lines whose figures, and what is not known, depend on the machine, the cluster, or
// the moment.
var measured = regexp.MustCompile(
	`^((in|requests|ranges|parallel \(N\)|splits \(M\)|estimate|recorded|begun|pace|running|stopped|partly|complete|\S+:9042) |rows +[\d,]+ (read|written)\b)`,
)

var figure = regexp.MustCompile(`\d[\d,]*(\.\d+)?|\?|<share>`)

// counted is what a measured number is of: with another number it may be in the singular, or the
// plural.
var counted = regexp.MustCompile(`(<number> [A-Za-z]+?)(ies|y|s)?\b`)

// shape is a line without what differs from run to run, and without what lines up columns.
func shape(line string) string {
	all := measured.MatchString(line)
	for _, v := range varying {
		line = v.what.ReplaceAllString(line, v.kind)
	}
	words := strings.Fields(line)
	if all {
		for i, word := range words {
			if word == "-" { // what is not known yet
				word = "<number>"
			}
			words[i] = figure.ReplaceAllString(word, "<number>")
		}
		return counted.ReplaceAllString(strings.Join(words, " "), "$1")
	}
	return strings.Join(words, " ")
}

// Lines cuts what was printed into lines as pages show them.
func Lines(printed string) []string {
	printed = strings.TrimRight(printed, "\n")
	if printed == "" {
		return nil
	}
	return strings.Split(printed, "\n")
}

// Compare holds lines that were printed against those that a page shows. The error names the first
// that is another.
func Compare(shown, printed []string) error {
	// reached[j] says whether the lines of the page so far can be the first j that were printed.
	reached := make([]bool, len(printed)+1)
	reached[0] = true
	for _, line := range shown {
		next := make([]bool, len(printed)+1)
		furthest := 0
		if strings.TrimSpace(line) == anything {
			any := false
			for j, was := range reached {
				any = any || was
				next[j] = any
			}
			reached = next
			continue
		}
		fits := pattern(line)
		matched := false
		for j, was := range reached {
			if !was {
				continue
			}
			furthest = j
			if j < len(printed) && fits.MatchString(shape(printed[j])) {
				next[j+1], matched = true, true
			}
		}
		if !matched {
			was := "nothing more"
			if furthest < len(printed) {
				was = fmt.Sprintf("%q", printed[furthest])
			}
			return fmt.Errorf("the page shows %q, and printed was %s", line, was)
		}
		reached = next
	}
	if !reached[len(printed)] {
		last := 0
		for j, was := range reached {
			if was {
				last = j
			}
		}
		return fmt.Errorf("the page does not show %q", printed[last])
	}
	return nil
}

// pattern is what the shape of a line must be like to be the line of a page.
func pattern(line string) *regexp.Regexp {
	parts := strings.Split(shape(line), anything)
	for i, part := range parts {
		parts[i] = regexp.QuoteMeta(part)
	}
	return regexp.MustCompile("^" + strings.Join(parts, ".*") + "$")
}
