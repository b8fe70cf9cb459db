package mistakes

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/cqlbulk/cqlbulk/internal/config"
)

// flagInText finds the name of a flag in a message.
var flagInText = regexp.MustCompile(`--[a-z][a-z0-9-]*`)

// Blame replaces flags in an error whose values the user did not type. It names the variable of the
// environment or the place in the configuration file that the values come from. An error is about
// the flags before its first colon.
func Blame(line string, originOf func(name string) config.Origin) string {
	if !strings.HasPrefix(line, "--") {
		return line
	}
	about, rest, found := strings.Cut(line, ": ")
	if found {
		rest = ": " + rest
	}
	place := ""
	about = flagInText.ReplaceAllStringFunc(about, func(flag string) string {
		name := flag[len("--"):]
		switch o := originOf(name); o.From {
		case config.FromEnvironment:
			return o.Variable
		case config.FromFile:
			if place != "" {
				return fmt.Sprintf("%s (%s)", name, placeOf(o))
			}
			place = placeOf(o) + ": "
			return name
		default:
			return flag
		}
	})
	return place + about + rest
}

// placeOf is the line of the configuration file that a value comes from.
func placeOf(o config.Origin) string {
	if o.Line == 0 {
		return o.Path
	}
	return fmt.Sprintf("%s:%d", o.Path, o.Line)
}
