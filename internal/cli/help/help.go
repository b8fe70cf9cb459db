// Package help writes the help of commands, of topics and of the program, and makes the manual
// pages of the same text.
//
// Help of a command has two sizes. The flag --help shows one screen: the first paragraph of what
// the command does, the first of its examples, and its everyday flags. With --help-all, and in the
// manual pages, there are all paragraphs, and all flags by groups.
package help

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/cqlbulk/cqlbulk/internal/cli/flagset"
	"github.com/cqlbulk/cqlbulk/internal/human"
)

// AllFlag asks for all of a command's help.
const AllFlag = "help-all"

// Width is how wide help is, in columns.
const Width = 80

// Install has a command and those below it show this help.
func Install(root *cobra.Command) {
	flagset.AddOwn(
		root.PersistentFlags(),
		new(bool),
		AllFlag,
		"show all flags and all there is to say",
		flagset.Of(flagset.GroupEverywhere),
	)
	root.SetHelpFunc(func(c *cobra.Command, _ []string) { Write(c.OutOrStdout(), c, false) })
	root.SetHelpCommand(newHelpCommand(root))
}

// AllOf returns the command for which --help-all is given, or nil. It runs before arguments are
// checked, so that help needs none.
func AllOf(root *cobra.Command, args []string) *cobra.Command {
	for i, arg := range args {
		switch arg {
		case "--":
			return nil
		case "--" + AllFlag:
			if c, _, err := root.Find(
				slices.Delete(slices.Clone(args), i, i+1),
			); err == nil &&
				!strings.HasPrefix(c.Name(), "__") {
				return c
			}
		}
	}
	return nil
}

// Write writes a command's help: a screen, or all of it.
func Write(w io.Writer, c *cobra.Command, all bool) {
	c.InitDefaultHelpFlag()
	long, example := c.Long, c.Example
	if !all {
		long, example = firstParagraph(long), firstParagraph(example)
	}
	fmt.Fprintf(w, "%s\n\nUsage: %s\n", reflow(strings.Trim(long, "\n")), usageLine(c))
	if example != "" {
		fmt.Fprintf(w, "\nExamples:\n%s\n", example)
	}
	if c.HasAvailableSubCommands() {
		writeCommands(w, c)
	}
	if !c.HasParent() {
		writeTopics(w)
	}
	flags := flagsOf(c)
	if all {
		for _, g := range flagset.Groups {
			writeGroup(
				w,
				string(g)+":",
				flags,
				func(f *pflag.Flag) bool { return flagset.GroupOf(f) == g },
				false,
			)
		}
		return
	}
	shown := writeGroup(w, "Everyday flags:", flags, isShort, true)
	more := fmt.Sprintf("%s, and the details", human.Of(len(flags)-shown, "more flag"))
	if !c.HasParent() {
		fmt.Fprintf(
			w,
			"\ncqlbulk COMMAND --help shows the usual flags, and --help-all all of them.\n",
		)
		return
	}
	fmt.Fprintf(w, "\n%s --%s: %s\n", c.CommandPath(), AllFlag, more)
	fmt.Fprintf(w, "cqlbulk help %s\n", strings.Join(TopicNames(), "|"))
}

// isShort says whether a flag stands in the help of one screen.
func isShort(f *pflag.Flag) bool {
	_, ok := f.Annotations[flagset.IsEveryday]
	return ok
}

// usageLine is how a command is called.
func usageLine(c *cobra.Command) string {
	if !c.HasParent() {
		return "cqlbulk COMMAND [ARGUMENTS] [FLAGS]"
	}
	return c.UseLine()
}

// flagsOf are the flags of a command that are no secret.
func flagsOf(c *cobra.Command) []*pflag.Flag {
	var flags []*pflag.Flag
	take := func(f *pflag.Flag) {
		if !f.Hidden {
			flags = append(flags, f)
		}
	}
	c.LocalFlags().VisitAll(take)
	c.InheritedFlags().VisitAll(take)
	return flags
}

// writeGroup writes the flags that belong to a group, and returns how many they are.
func writeGroup(
	w io.Writer,
	title string,
	flags []*pflag.Flag,
	belongs func(*pflag.Flag) bool,
	short bool,
) int {
	var some []*pflag.Flag
	for _, f := range flags {
		if belongs(f) {
			some = append(some, f)
		}
	}
	if len(some) > 0 {
		fmt.Fprintf(w, "\n%s\n", title)
		writeFlags(w, some, short)
	}
	return len(some)
}

// maxNames is how wide the names of flags may be for their help to begin beside them.
const maxNames = 28

// writeFlags writes flags and their help, which in short ends at its first semicolon.
func writeFlags(w io.Writer, flags []*pflag.Flag, short bool) {
	column := 0
	for _, f := range flags {
		if n := len(flagNames(f)); n <= maxNames {
			column = max(column, n)
		}
	}
	indent := strings.Repeat(" ", column+2)
	for _, f := range flags {
		names := flagNames(f)
		lines := Wrap(flagText(f, short), Width-len(indent))
		switch {
		case len(names) > column:
			fmt.Fprintln(w, names)
		default:
			fmt.Fprintf(w, "%-*s%s\n", len(indent), names, lines[0])
			lines = lines[1:]
		}
		for _, line := range lines {
			fmt.Fprintln(w, indent+line)
		}
	}
}

// flagNames are the names of a flag, and what its value is.
func flagNames(f *pflag.Flag) string {
	names := "      --" + f.Name
	if f.Shorthand != "" {
		names = "  -" + f.Shorthand + ", --" + f.Name
	}
	if kind := valueKind(f); kind != "" {
		names += " " + kind
	}
	return names
}

// valueKind names the value of a flag; empty where there is none.
func valueKind(f *pflag.Flag) string {
	kind := f.Value.Type()
	paths, isPath := f.Annotations[flagset.IsPath]
	switch {
	case f.NoOptDefVal != "":
		return ""
	case len(paths) > 0:
		return paths[0]
	case kind == flagset.ListType:
		return "list"
	case kind == flagset.WholeType:
		return "pattern"
	case kind == flagset.PairsType:
		return "pairs"
	case kind == "string" && isPath:
		return "file"
	case kind == "string":
		return "text"
	default:
		return kind
	}
}

// flagText is what help says of a flag, with its default where the text has none.
func flagText(f *pflag.Flag, short bool) string {
	text := f.Usage
	if short {
		text, _, _ = strings.Cut(text, ";")
	}
	value := strings.Trim(f.DefValue, "[]")
	switch {
	case strings.Contains(text, "(default"),
		strings.Contains(text, "("+value+":"),
		value == "",
		value == "0",
		value == "false":
		return text
	case strings.ContainsAny(value, `, "`):
		value = "'" + value + "'"
	}
	return text + " (default " + value + ")"
}

// writeCommands lists the commands below one.
func writeCommands(w io.Writer, c *cobra.Command) {
	fmt.Fprintln(w, "\nCommands:")
	for _, sub := range c.Commands() {
		if sub.IsAvailableCommand() {
			fmt.Fprintf(w, "  %-11s%s\n", sub.Name(), sub.Short)
		}
	}
}

// firstParagraph is a text up to its first empty line.
func firstParagraph(text string) string {
	text, _, _ = strings.Cut(strings.Trim(text, "\n"), "\n\n")
	return text
}

// paragraphs are the paragraphs of a text; verbatim ones have lines that are indented, and
// keep them as they are.
func paragraphs(text string, each func(text string, verbatim bool)) {
	for _, p := range strings.Split(strings.Trim(text, "\n"), "\n\n") {
		p = strings.Trim(p, "\n")
		each(p, strings.HasPrefix(p, " ") || strings.Contains(p, "\n "))
	}
}

// reflow wraps the paragraphs of a text again.
func reflow(text string) string {
	var out []string
	paragraphs(text, func(p string, verbatim bool) {
		if !verbatim {
			p = strings.Join(Wrap(p, Width), "\n")
		}
		out = append(out, p)
	})
	return strings.Join(out, "\n\n")
}

// Wrap breaks a text into lines of up to width columns, at least one.
func Wrap(text string, width int) []string {
	lines := []string{""}
	for word := range strings.FieldsSeq(text) {
		last := &lines[len(lines)-1]
		switch {
		case *last == "":
			*last = word
		case len([]rune(*last))+1+len([]rune(word)) <= width:
			*last += " " + word
		default:
			lines = append(lines, word)
		}
	}
	return lines
}
