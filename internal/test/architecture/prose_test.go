package architecture

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// columns is the longest line of Go and of Markdown, in columns.
const columns = 100

// words is the longest sentence, in words.
const words = 25

// banned has the words and phrases that a reader stumbles over, each with what stands for it in
// plain English. Each match has one of the hints in lower case: they spare most searches, which are
// slow.
var banned = []struct {
	hints  string
	phrase *regexp.Regexp
	use    string
}{
	{"side door|past cql", phrase(`side doors?|past CQL`), "streaming, bypassing CQL"},
	{" on", phrase(`go(es|ing)? on|went on|gone on`), "resumes, continues"},
	{"again|anew", phrase(`asked for again|taken up again|begun anew|anew`), "retried, resumed, restarted"},
	{"tell|told", phrase(`tells?|told|telling`), "reports, prints, logs, shows"},
	{"body|whoever", phrase(`nobody|somebody|anybody|whoever`), "a type, a function or the caller"},
	{"looked|nobody looks", phrase(`(is|are|was|were|be|been) looked( at)?|nobody looks`), "is checked"},
	{" down", phrase(`tak(es?|ing|en) down`), "records"},
	{"hang", phrase(`hangs? on`), "depends on"},
	{" many| much", phrase(`so many|as many as|so much`), "n, up to n"},
	{"at the ", phrase(`at the (most|least)`), "at most, at least"},
	{"settl", phrase(`settle[sd]?|settling`), "completed"},
	{"aside", phrase(`(kept|keeps?|put|puts|set|sets) aside`), "rejected; spilled to disk"},
	{"by and by|now and then", phrase(`by and by|every now and then`), "every N seconds"},
	{"what is over", phrase(`what is over`), "what remains; the finished run"},
	{"nothing without", phrase(`means? nothing without`), "requires"},
	{"of itself", phrase(`of itself`), "only"},
	{" be|alone", phrase(`lets? be|(is|are|was|were) (let be|left alone)`), "is unchanged"},
	{"sstables of", phrase(`makes? SSTables of`), "writes rows to SSTables"},
	{"whole sstable", phrase(`whole SSTables?`), "entire SSTables"},
	{"of wh|whose own", phrase(`of (which|whom)|whose own`), "a sentence of its own"},
	{"such as are|those of which|same for both", phrase(`such as are|those of which|the same for both`), "the noun"},
	{"lest", phrase(`lest`), "so that ... does not"},
}

// phrase matches words wherever they stand in a sentence.
func phrase(words string) *regexp.Regexp { return regexp.MustCompile(`(?i)\b(` + words + `)\b`) }

// A passage is a piece of prose: a paragraph of a page, a comment, a string.
type passage struct {
	line int
	text string
}

// A fault is a place that breaks a rule of plain English.
type fault struct {
	line int
	kind string // phrase, sentence or width
	what string
}

// faults returns the faults of passages, in their order.
func (p passage) faults() []fault {
	var all []fault
	lower := strings.ToLower(p.text)
	has := func(hint string) bool { return strings.Contains(lower, hint) }
	for _, b := range banned {
		if !slices.ContainsFunc(strings.Split(b.hints, "|"), has) {
			continue
		}
		for _, found := range b.phrase.FindAllString(p.text, -1) {
			all = append(all, fault{p.line, "phrase", strconv.Quote(found) + ": " + b.use})
		}
	}
	for _, s := range sentences(p.text) {
		if n := len(strings.Fields(s)); n > words {
			all = append(all, fault{p.line, "sentence", strconv.Itoa(n) + " words: " + s})
		}
	}
	return all
}

// end is where a sentence ends: a full stop before a capital letter, and what may stand between
// them.
var end = regexp.MustCompile("[.!?][\"')`*]*\\s+[\"'(`*\\[]*[A-Z0-9]")

// sentences splits a passage at the ends of sentences.
func sentences(text string) []string {
	var out []string
	for {
		at := end.FindStringIndex(text)
		if at == nil {
			return append(out, text)
		}
		out = append(out, text[:at[0]+1])
		text = text[at[0]+1:]
	}
}

// wide returns the lines that are longer than they may be. A line of one word, such as a link,
// cannot be broken.
func wide(lines []string, mayBe func(line string) bool) []fault {
	var all []fault
	for i, line := range lines {
		width := len([]rune(strings.ReplaceAll(line, "\t", "    ")))
		if width > columns && !mayBe(line) {
			all = append(all, fault{i + 1, "width", strconv.Itoa(width) + " columns"})
		}
	}
	return all
}

// goProse returns the comments and the messages of a Go file: strings of three words or more.
func goProse(file string) ([]passage, []string, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, nil, err
	}
	set := token.NewFileSet()
	parsed, err := parser.ParseFile(
		set,
		file,
		text,
		parser.ParseComments|parser.SkipObjectResolution,
	)
	if err != nil {
		return nil, nil, err
	}
	var all []passage
	for _, group := range parsed.Comments {
		all = append(all, paragraphs(group.Text(), set.Position(group.Pos()).Line)...)
	}
	ast.Inspect(parsed, func(n ast.Node) bool {
		literal, ok := n.(*ast.BasicLit)
		if !ok || literal.Kind != token.STRING {
			return true
		}
		value, err := strconv.Unquote(literal.Value)
		if err == nil && len(strings.Fields(value)) >= 3 {
			all = append(all, paragraphs(value, set.Position(literal.Pos()).Line)...)
		}
		return true
	})
	slices.SortStableFunc(all, func(a, b passage) int { return a.line - b.line })
	return all, strings.Split(string(text), "\n"), nil
}

// paragraphs splits text at empty lines and at the lines of lists, tables and code, which are no
// sentences together.
func paragraphs(text string, line int) []passage {
	var all []passage
	var now passage
	flush := func() {
		if now.text != "" {
			all = append(all, now)
		}
		now = passage{}
	}
	for i, l := range strings.Split(text, "\n") {
		trimmed := strings.TrimSpace(l)
		switch {
		case trimmed == "" || strings.HasPrefix(l, "\t") || strings.HasPrefix(l, "    "):
			flush()
			if trimmed != "" {
				all = append(all, passage{line + i, trimmed})
			}
			continue
		case strings.HasPrefix(trimmed, "- ") || strings.HasPrefix(trimmed, "* ") || numbered.MatchString(trimmed):
			flush()
		}
		if now.text == "" {
			now.line = line + i
		}
		now.text = strings.TrimSpace(now.text + " " + trimmed)
	}
	flush()
	return all
}

var numbered = regexp.MustCompile(`^\d+\. `)

// markdownProse returns the prose of a page: paragraphs, and the cells of its tables. Blocks of
// code are none.
func markdownProse(file string) ([]passage, []string, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, nil, err
	}
	lines := strings.Split(string(text), "\n")
	prose := slices.Clone(lines)
	var all []passage
	code := false
	for i, line := range lines {
		switch {
		case strings.HasPrefix(strings.TrimSpace(line), "```"):
			code = !code
			prose[i] = ""
		case code:
			prose[i] = ""
		case strings.HasPrefix(line, "|"):
			for _, cell := range strings.Split(line, "|") {
				if cell = strings.TrimSpace(cell); cell != "" {
					all = append(all, passage{i + 1, cell})
				}
			}
			prose[i] = ""
		case strings.HasPrefix(line, "#"):
			all = append(all, passage{i + 1, strings.TrimLeft(line, "# ")})
			prose[i] = ""
		}
	}
	all = append(all, paragraphs(strings.Join(prose, "\n"), 1)...)
	slices.SortStableFunc(all, func(a, b passage) int { return a.line - b.line })
	return all, lines, nil
}
