package cli

import (
	"bytes"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/cli/flagset"
)

// Help of a command is a screen: 40 lines of 80 columns, and 45 of the two that have most
// flags.
func TestHelpFitsTheScreen(t *testing.T) {
	root := newRoot(streams{})
	var out bytes.Buffer
	fits := func(name string, most int) {
		t.Helper()
		lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
		require.LessOrEqual(t, len(lines), most, name)
		for _, line := range lines {
			require.LessOrEqual(t, len([]rune(line)), helpWidth, "%s: %s", name, line)
		}
		out.Reset()
	}
	for _, c := range allCommands(root) {
		most := 40
		if c.Name() == "load" || c.Name() == "scan" {
			most = 45
		}
		writeHelp(&out, c, false)
		fits(c.Name(), most)
	}
	for _, topic := range topics {
		topic.write(&out, root)
		fits(topic.name, 50)
	}
}

// allCommands are a command and those below it.
func allCommands(c *cobra.Command) []*cobra.Command {
	all := []*cobra.Command{c}
	for _, sub := range c.Commands() {
		all = append(all, allCommands(sub)...)
	}
	return all
}

// All help has all flags, each once, and what help of one screen has.
func TestAllHelpHasEverything(t *testing.T) {
	for _, c := range allCommands(newRoot(streams{}))[1:] {
		var short, all bytes.Buffer
		writeHelp(&short, c, false)
		writeHelp(&all, c, true)
		for _, f := range flagsOf(c) {
			names := flagNames(f)
			found := strings.Count(
				all.String(),
				"\n"+names+" ",
			) + strings.Count(
				all.String(),
				"\n"+names+"\n",
			)
			require.Equal(t, 1, found, "%s %s", c.Name(), names)
			if isShort(f) {
				require.Contains(t, short.String(), "\n"+names, c.Name())
			}
		}
		for line := range strings.Lines(firstParagraph(c.Example)) {
			require.Contains(t, all.String(), line)
		}
	}
}

// What help says of a flag's default is the default.
func TestFlagText(t *testing.T) {
	flags := pflag.NewFlagSet("", pflag.ContinueOnError)
	word, list, on, none := ",", []string{"a", "b"}, true, ""
	flagset.AddOwn(flags, &word, "word", "one word; more of it")
	flagset.AddOwn(flags, &list, "list", "some")
	flagset.AddOwn(flags, &on, "on", "is on")
	flagset.AddOwn(flags, &none, "none", "a file (default: none)", flagset.Path)
	text := func(name string, short bool) string { return flagText(flags.Lookup(name), short) }
	require.Equal(t, "one word; more of it (default ',')", text("word", false))
	require.Equal(t, "one word (default ',')", text("word", true))
	require.Equal(t, "some (default 'a,b')", text("list", false))
	require.Equal(t, "is on (default true)", text("on", false))
	require.Equal(t, "a file (default: none)", text("none", false))
	require.Equal(t, "      --none file", flagNames(flags.Lookup("none")))
	require.Equal(t, "      --on", flagNames(flags.Lookup("on")))
}

func TestWrap(t *testing.T) {
	require.Equal(t, []string{"aa bb", "cc", "dddddddd"}, wrap("aa  bb\ncc dddddddd", 6))
	require.Equal(t, []string{""}, wrap("", 6))
	require.Equal(t, "a b\n\n  kept  as\n  it is", reflow("a\nb\n\n  kept  as\n  it is\n"))
}
