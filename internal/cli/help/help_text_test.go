package help

import (
	"testing"

	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/cli/flagset"
)

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
	require.Equal(t, []string{"aa bb", "cc", "dddddddd"}, Wrap("aa  bb\ncc dddddddd", 6))
	require.Equal(t, []string{""}, Wrap("", 6))
	require.Equal(t, "a b\n\n  kept  as\n  it is", reflow("a\nb\n\n  kept  as\n  it is\n"))
}
