package mistakes

import (
	"fmt"
	"net/netip"
	"os"
	"regexp"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// units are what may be written behind a number.
var units = regexp.MustCompile(`^(?i:[kmg](i?b)?|b|ms|s|m|min|h|d)$`)

// bareNumber matches a number without a unit.
var bareNumber = regexp.MustCompile(`^[0-9]+(\.[0-9]+)?$`)

// wordBehindValue finds a word behind the value of a flag that belongs to the value: --hosts a b,
// --ingestrate 10 k.
func wordBehindValue(root *cobra.Command, args []string) error {
	c, rest, err := root.Find(args)
	if err != nil {
		return nil // reported elsewhere
	}
	for i := 0; i+2 < len(rest); i++ {
		if rest[i] == "--" {
			return nil
		}
		f := longFlag(c, rest[i])
		if f == nil || f.NoOptDefVal != "" {
			continue
		}
		value, word := rest[i+1], rest[i+2]
		if _, err := os.Lstat(word); err == nil {
			continue
		}
		if typed, meant := blankInList(f, rest[i:]); meant != "" {
			return fmt.Errorf("--%s %s: a blank ends the list: --%[1]s %[3]s", f.Name, typed, meant)
		}
		switch {
		case strings.HasSuffix(f.Name, "hosts") && isAddress(word):
			return fmt.Errorf(
				"--%s %s %s: contact points are separated by commas: --%[1]s %[2]s,%[3]s",
				f.Name,
				value,
				word,
			)
		case bareNumber.MatchString(value) && units.MatchString(word):
			return fmt.Errorf(
				"--%s %s %s: a unit follows its number without a blank: --%[1]s %[2]s%[3]s",
				f.Name,
				value,
				word,
			)
		}
	}
	return nil
}

// oneDash finds the name of a flag behind one dash: -delimiter, which is otherwise read as -d with
// a value.
func oneDash(root *cobra.Command, args []string) error {
	c, rest, err := root.Find(args)
	if err != nil {
		return nil // reported elsewhere
	}
	for i, word := range rest {
		if word == "--" {
			return nil
		}
		name, isFlag := strings.CutPrefix(word, "-")
		name, _, _ = strings.Cut(name, "=")
		if !isFlag || len(name) < 2 {
			continue
		}
		meant := name
		if here := flagsElsewhere[name]; len(here) > 0 && longFlag(c, "--"+name) == nil {
			meant, _, _ = strings.Cut(here[0], "=")
		}
		if longFlag(c, "--"+meant) == nil {
			continue
		}
		if isValue(c, rest, i) {
			continue
		}
		return fmt.Errorf(
			"-%s: the long name of an option has two dashes: --%s (see %s --help)",
			name,
			meant,
			c.CommandPath(),
		)
	}
	return nil
}

// isValue reports whether the word at i is the value of the flag before it.
func isValue(c *cobra.Command, words []string, i int) bool {
	if i == 0 {
		return false
	}
	before := longFlag(c, words[i-1])
	return before != nil && before.NoOptDefVal == ""
}

// longFlag is the flag that a word names, without a value in the same word; nil: none.
func longFlag(c *cobra.Command, word string) *pflag.Flag {
	name, isName := strings.CutPrefix(word, "--")
	if !isName {
		return nil
	}
	if f := c.Flags().Lookup(name); f != nil {
		return f
	}
	return c.InheritedFlags().Lookup(name)
}

// isAddress says whether a word is an IP address, with a port or without.
func isAddress(word string) bool {
	if _, err := netip.ParseAddr(strings.Trim(word, "[]")); err == nil {
		return true
	}
	_, err := netip.ParseAddrPort(word)
	return err == nil
}
