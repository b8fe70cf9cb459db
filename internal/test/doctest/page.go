// Package doctest reads the pages of the manual, README.md and docs, for a test. It finds the
// commands in their fenced blocks, and the output that the page shows for each. It runs the
// commands in a shell, and compares what they print with the page, apart from what differs from run
// to run.
//
// The word behind a fence says what a block is:
//
//	console  commands behind "$ ", the further lines of one behind "> ", and below each all that it prints
//	sh       commands, a line each; a line that is indented, or follows a backslash, belongs to
//	         the one before
//	cql      statements of CQL, which end with a semicolon
//	yaml     a configuration file
//	text     what is shown, and neither typed nor compared
//
// Start at ReadPage. Values are used by one goroutine at a time.
package doctest

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// kinds are the words that may stand behind a fence.
var kinds = []string{"console", "sh", "cql", "yaml", "text"}

// A Page is a page of the manual.
type Page struct {
	Name     string // its path from the top folder of the repository, such as docs/scan.md
	Lines    []string
	Commands []Command // in their order
}

// A Command is what a page has its reader type.
type Command struct {
	Page string
	Line int    // the first of its own, from 1
	Kind string // console, sh or cql
	Text string // for the shell, or of cql a statement without its semicolon
	// Shown is what a console shows below the command, lines without their ends: all that it
	// prints.
	Shown []string
}

// At is the command's place, for messages.
func (c Command) At() string { return fmt.Sprintf("%s:%d", c.Page, c.Line) }

// Words is the command's text as it counts when commands are compared: without remarks and
// superfluous blanks.
func (c Command) Words() string {
	var lines []string
	for line := range strings.Lines(c.Text) {
		line, _, _ = strings.Cut(line, " # ")
		lines = append(lines, strings.Fields(line)...)
	}
	return strings.Join(lines, " ")
}

// Pages lists the pages of the manual below the top folder of the repository. Pages of measurements
// are no part of it: the program that ran those writes them.
func Pages(root string) ([]string, error) {
	found, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
	if err != nil {
		return nil, err
	}
	pages := []string{"README.md"}
	for _, path := range found {
		if name := filepath.Base(path); !strings.HasPrefix(name, "bench-") {
			pages = append(pages, "docs/"+name)
		}
	}
	return pages, nil
}

// ReadPage reads a page. It is an error when a block is not one of those that there are.
func ReadPage(root, name string) (*Page, error) {
	text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
	if err != nil {
		return nil, err
	}
	return parse(name, string(text))
}

func parse(name, text string) (*Page, error) {
	p := &Page{Name: name, Lines: strings.Split(text, "\n")}
	for i := 0; i < len(p.Lines); i++ {
		kind, fenced := strings.CutPrefix(p.Lines[i], "```")
		if !fenced {
			continue
		}
		begin := i + 1
		if !slices.Contains(kinds, kind) {
			return nil, fmt.Errorf(
				"%s:%d: a block of kind %q; there are %s",
				name,
				begin,
				kind,
				strings.Join(kinds, ", "),
			)
		}
		for i++; i < len(p.Lines) && p.Lines[i] != "```"; i++ {
		}
		if i == len(p.Lines) {
			return nil, fmt.Errorf("%s:%d: a block that does not end", name, begin)
		}
		commands, err := parseBlock(kind, p.Lines[begin:i])
		for _, c := range commands {
			c.Page, c.Kind, c.Line = name, kind, c.Line+begin+1
			p.Commands = append(p.Commands, c)
		}
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, begin, err)
		}
	}
	return p, nil
}

// parseBlock gives the commands of a block, whose lines count from 0.
func parseBlock(kind string, lines []string) ([]Command, error) {
	switch kind {
	case "console":
		return parseConsole(lines)
	case "sh":
		return parseShell(lines), nil
	case "cql":
		return parseCQL(lines)
	}
	return nil, nil
}

func parseConsole(lines []string) (commands []Command, err error) {
	for i, line := range lines {
		if text, typed := strings.CutPrefix(line, "$ "); typed {
			commands = append(commands, Command{Line: i, Text: text})
			continue
		}
		if len(commands) == 0 {
			return nil, fmt.Errorf("a console that does not begin with \"$ \"")
		}
		last := &commands[len(commands)-1]
		if text, typed := strings.CutPrefix(line, "> "); typed && len(last.Shown) == 0 {
			last.Text += "\n" + text
			continue
		}
		last.Shown = append(last.Shown, line)
	}
	return commands, nil
}

func parseShell(lines []string) (commands []Command) {
	for i, line := range lines {
		if text := strings.TrimSpace(line); text == "" || text[0] == '#' {
			continue
		}
		if n := len(
			commands,
		) - 1; n >= 0 &&
			(line[0] == ' ' || strings.HasSuffix(commands[n].Text, `\`)) {
			commands[n].Text += "\n" + line
			continue
		}
		commands = append(commands, Command{Line: i, Text: line})
	}
	return commands
}

func parseCQL(lines []string) (commands []Command, err error) {
	open := false
	for i, line := range lines {
		line, _, _ = strings.Cut(line, " -- ")
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		if !open {
			commands = append(commands, Command{Line: i})
		}
		c := &commands[len(commands)-1]
		text, ended := strings.CutSuffix(line, ";")
		c.Text = strings.TrimSpace(c.Text + "\n" + text)
		open = !ended
	}
	if open {
		return nil, fmt.Errorf("a statement without a semicolon")
	}
	return commands, nil
}

// Show puts what was printed in place of what the page shows of its i-th command, which is one of a
// console.
func (p *Page) Show(i int, printed []string) {
	c := &p.Commands[i]
	first := c.Line + strings.Count(c.Text, "\n") // the line behind the command, from 0
	p.Lines = slices.Replace(p.Lines, first, first+len(c.Shown), printed...)
	for j := range p.Commands[i+1:] {
		p.Commands[i+1+j].Line += len(printed) - len(c.Shown)
	}
	c.Shown = printed
}
