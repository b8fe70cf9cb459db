package help

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/cqlbulk/cqlbulk/internal/cli/flagset"
)

// Page is a page of the manual, in Markdown that is converted to roff.
type Page struct {
	Name     string // of its file, such as man1/cqlbulk-load.1
	Markdown string
}

// Pages returns the manual, made from the text of help: a page of the program root, one of each
// command and one of each topic. Each page has version and date at its foot.
func Pages(root *cobra.Command, version, date string) []Page {
	m := manual{root: root, foot: fmt.Sprintf("%q \"cqlbulk %s\"", date, version)}
	m.commands(root)
	for _, t := range topics {
		m.topic(t)
	}
	return m.pages
}

// manual collects the pages.
type manual struct {
	root  *cobra.Command
	foot  string
	pages []Page
	text  strings.Builder // of the page that is being written
}

func (m *manual) begin(name string, section int, short string) {
	m.text.Reset()
	fmt.Fprintf(&m.text, "%% %s %d %s \"cqlbulk\"\n", strings.ToUpper(name), section, m.foot)
	fmt.Fprintf(&m.text, "# NAME\n%s - %s\n\n", name, escaped(short))
}

func (m *manual) end(name string, section int) {
	file := filepath.Join(fmt.Sprintf("man%d", section), fmt.Sprintf("%s.%d", name, section))
	m.pages = append(m.pages, Page{file, m.text.String()})
}

// commands writes the page of a command, and those of the commands below it.
func (m *manual) commands(c *cobra.Command) {
	m.command(c)
	for _, sub := range c.Commands() {
		if sub.IsAvailableCommand() {
			m.commands(sub)
		}
	}
}

// command writes the page of a command.
func (m *manual) command(c *cobra.Command) {
	c.InitDefaultHelpFlag()
	name := strings.ReplaceAll(c.CommandPath(), " ", "-")
	m.begin(name, 1, c.Short)
	fmt.Fprintf(&m.text, "# SYNOPSIS\n%s\n\n", escaped(usageLine(c)))
	fmt.Fprint(&m.text, "# DESCRIPTION\n")
	m.paragraphs(c.Long)
	if c.HasAvailableSubCommands() {
		fmt.Fprint(&m.text, "# COMMANDS\n")
		for _, sub := range c.Commands() {
			if sub.IsAvailableCommand() {
				m.item("**"+escaped(name+"-"+sub.Name())+"**(1)", sub.Short)
			}
		}
	}
	fmt.Fprint(&m.text, "# OPTIONS\n")
	flags := flagsOf(c)
	for _, g := range flagset.Groups {
		m.flags("### "+string(g), flags, func(f *pflag.Flag) bool { return flagset.GroupOf(f) == g })
	}
	if c.Example != "" {
		fmt.Fprint(&m.text, "# EXAMPLES\n")
		m.verbatim(c.Example)
	}
	m.seeAlso(name)
	m.end(name, 1)
}

// topic writes the page of a topic.
func (m *manual) topic(t topic) {
	name := "cqlbulk-" + t.name
	m.begin(name, 7, t.short)
	fmt.Fprint(&m.text, "# DESCRIPTION\n")
	m.paragraphs(t.text())
	m.flags("# OPTIONS", t.flags(m.root), func(*pflag.Flag) bool { return true })
	m.seeAlso(name)
	m.end(name, 7)
}

func (m *manual) paragraphs(text string) {
	paragraphs(text, func(p string, verbatim bool) {
		if verbatim {
			m.verbatim(p)
		} else {
			fmt.Fprintf(&m.text, "%s\n\n", escaped(strings.Join(strings.Fields(p), " ")))
		}
	})
}

func (m *manual) verbatim(text string) { fmt.Fprintf(&m.text, "```\n%s\n```\n\n", text) }

func (m *manual) item(term, text string) {
	fmt.Fprintf(&m.text, "%s\n: %s\n\n", term, escaped(text))
}

// flags writes those flags that belong to a group.
func (m *manual) flags(title string, flags []*pflag.Flag, belongs func(*pflag.Flag) bool) {
	begun := false
	for _, f := range flags {
		if !belongs(f) {
			continue
		}
		if !begun {
			fmt.Fprintf(&m.text, "%s\n", title)
			begun = true
		}
		term := "**--" + escaped(f.Name) + "**"
		if f.Shorthand != "" {
			term = "**-" + f.Shorthand + "**, " + term
		}
		if kind := valueKind(f); kind != "" {
			term += " *" + kind + "*"
		}
		m.item(term, flagText(f, false))
	}
}

// seeAlso names the other pages.
func (m *manual) seeAlso(name string) {
	var others []string
	add := func(other string, section int) {
		if other != name {
			others = append(others, fmt.Sprintf("**%s**(%d)", escaped(other), section))
		}
	}
	add("cqlbulk", 1)
	for _, t := range topics {
		add("cqlbulk-"+t.name, 7)
	}
	fmt.Fprintf(&m.text, "# SEE ALSO\n%s\n", strings.Join(others, ", "))
}

// escaped is a text that Markdown takes as it is.
func escaped(text string) string {
	var b strings.Builder
	for _, r := range text {
		if strings.ContainsRune("\\`*_{}[]<>#~|&", r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}
