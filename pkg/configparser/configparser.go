// Package configparser parses files of Python's configparser, such as a cqlshrc:
//
//	; a comment, as # is
//	[connection]
//	hostname = 10.0.0.1
//	port: 9042
//	[copy:demo.flights]
//	null = N/A
//
// # Where to start
//
// [Parse] returns a [File]. [File.Get] and [File.Options] return options as RawConfigParser does.
// [File.Interpolate] replaces %(name)s and %% in a value, as ConfigParser does.
//
// # Text
//
//   - A line that begins with # or ; is a comment, also between the lines of a value. There are no
//     comments behind a value, and no quotes: both are part of the value.
//   - Names of options are case-insensitive and in lower case. The first = or : ends them. Names of
//     sections are case-sensitive, and may hold any characters.
//   - A line that is indented more than the option before it continues the value.
//   - A section or an option that stands twice is an error. The section DEFAULT may stand several
//     times. Its options belong to every section of the file that does not have them itself.
//
// # Differences from Python
//
//   - The text must be UTF-8. A byte order mark at its start is left out; Python refuses it.
//   - The first error of the text is returned. Python collects some kinds of errors.
//   - An interpolated value has at most 64 KiB, because references to references multiply.
//   - Names become lower case rune by rune. Python has special cases, such as the last sigma of a
//     word.
//
// # Why not a library
//
// The maintained parsers of INI files (gopkg.in/ini.v1 and the ports of configparser) know no lines
// of options, and errors must name them. They also take quotes off, continue lines at a backslash,
// or let the last of two equal options win.
//
// # Concurrency
//
// A File is not changed after Parse. It is safe for concurrent use.
//
// # Sources
//
// Lib/configparser.py of CPython 3.11: RawConfigParser._read and BasicInterpolation, with the
// default arguments. A test compares with what they return.
package configparser

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// DefaultSection is the name of the section whose options belong to all others.
const DefaultSection = "DEFAULT"

// Option is an option of a section.
type Option struct {
	Name  string // in lower case
	Value string // lines are separated by \n
	Line  int    // of the name, from 1
}

// Section is a section of a file.
type Section struct {
	Name    string
	Line    int      // of the header, from 1
	Options []Option // in order, without those of DEFAULT
}

// option returns an option by its name, which is in lower case.
func (s *Section) option(name string) (Option, bool) {
	i := slices.IndexFunc(s.Options, func(o Option) bool { return o.Name == name })
	if i < 0 {
		return Option{}, false
	}
	return s.Options[i], true
}

// File is a parsed file.
type File struct {
	Sections []*Section // in order, without DEFAULT
	defaults Section
}

// section returns a section by its name; nil: the file does not have it.
func (f *File) section(name string) *Section {
	i := slices.IndexFunc(f.Sections, func(s *Section) bool { return s.Name == name })
	if i < 0 {
		return nil
	}
	return f.Sections[i]
}

// Has reports whether the file has a section. DEFAULT does not count.
func (f *File) Has(section string) bool { return f.section(section) != nil }

// Get returns an option of a section, or that of DEFAULT. The case of the name does not matter.
// There is none if the file does not have the section.
func (f *File) Get(section, name string) (Option, bool) {
	s := f.section(section)
	if s == nil {
		return Option{}, false
	}
	name = strings.ToLower(name)
	if o, ok := s.option(name); ok {
		return o, true
	}
	return f.defaults.option(name)
}

// Options returns the options of a section: first those of DEFAULT that the section does not have,
// then its own. There are none if the file does not have the section.
func (f *File) Options(section string) []Option {
	s := f.section(section)
	if s == nil {
		return nil
	}
	var all []Option
	for _, o := range f.defaults.Options {
		if _, ok := s.option(o.Name); !ok {
			all = append(all, o)
		}
	}
	return append(all, s.Options...)
}

// Error is what is wrong with a text.
type Error struct {
	Line    int    // from 1
	Section string // that the line is in; empty: none
	Text    string // of the line; it may be a secret
	Reason  string
}

// Error returns the line, its text and the reason.
func (e *Error) Error() string { return fmt.Sprintf("line %d: %q: %s", e.Line, e.Text, e.Reason) }

// Parse parses a text. Its error is an *[Error].
func Parse(text string) (*File, error) {
	p := parser{file: &File{defaults: Section{Name: DefaultSection}}}
	text = strings.TrimPrefix(text, "\ufeff")
	text = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text)
	for line := range strings.SplitSeq(text, "\n") {
		p.number++
		if reason := p.line(line); reason != "" {
			e := &Error{Line: p.number, Text: trim(line), Reason: reason}
			if p.section != nil {
				e.Section = p.section.Name
			}
			return nil, e
		}
	}
	p.endValue()
	return p.file, nil
}

// parser is the state between two lines.
type parser struct {
	file    *File
	number  int      // of the line
	section *Section // nil: before the first header
	value   []string // lines of the last option of the section; nil: there is no option yet
	indent  int      // of the last line that began something, in characters
}

// line parses a line and returns what is wrong with it.
func (p *parser) line(line string) (reason string) {
	if !utf8.ValidString(line) {
		return "not text in UTF-8"
	}
	text := trim(line)
	switch {
	case strings.HasPrefix(text, "#"), strings.HasPrefix(text, ";"):
		return ""
	case text == "":
		if p.value != nil {
			p.value = append(p.value, "")
		}
		return ""
	}
	indent := 0
	for _, r := range line {
		if !isSpace(r) {
			break
		}
		indent++
	}
	if p.value != nil && indent > p.indent {
		p.value = append(p.value, text)
		return ""
	}
	p.indent = indent
	if end := strings.LastIndexByte(text, ']'); text[0] == '[' && end > 1 {
		return p.header(text[1:end])
	}
	return p.option(text)
}

// header begins a section.
func (p *parser) header(name string) (reason string) {
	p.endValue()
	switch s := p.file.section(name); {
	case s != nil:
		return fmt.Sprintf("section [%s] stands in line %d already", name, s.Line)
	case name == DefaultSection:
		p.section = &p.file.defaults
	default:
		p.section = &Section{Name: name, Line: p.number}
		p.file.Sections = append(p.file.Sections, p.section)
	}
	return ""
}

// option begins an option.
func (p *parser) option(text string) (reason string) {
	at := strings.IndexAny(text, "=:")
	switch {
	case p.section == nil:
		return "a section such as [copy] must come before it"
	case at < 0:
		return "neither [section] nor name = value"
	}
	name := strings.ToLower(trim(text[:at]))
	if name == "" {
		return "the name of an option is missing"
	}
	if o, ok := p.section.option(name); ok {
		return fmt.Sprintf("option %s stands in line %d already", name, o.Line)
	}
	p.endValue()
	p.section.Options = append(p.section.Options, Option{Name: name, Line: p.number})
	p.value = []string{trim(text[at+1:])}
	return ""
}

// endValue gives the last option of the section its value.
func (p *parser) endValue() {
	if p.value != nil {
		options := p.section.Options
		options[len(options)-1].Value = strings.TrimRightFunc(
			strings.Join(p.value, "\n"),
			isSpace,
		)
		p.value = nil
	}
}

func trim(s string) string { return strings.TrimFunc(s, isSpace) }

// isSpace reports whether Python's str.isspace has a character for a space.
func isSpace(r rune) bool { return unicode.IsSpace(r) || 0x1c <= r && r <= 0x1f }
