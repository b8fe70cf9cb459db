package flagset

import "github.com/spf13/pflag"

// synonyms are other names of flags: the ones that do not follow cqlsh's options.
var synonyms = map[string]string{
	"timestamp-format": "datetimeformat",
	"date-format":      "dateformat",
	"time-format":      "timeformat",
}

// Canonical returns the name of a flag that was typed, for the library of flags.
func Canonical(_ *pflag.FlagSet, typed string) pflag.NormalizedName {
	if name, ok := synonyms[typed]; ok {
		return pflag.NormalizedName(name)
	}
	return pflag.NormalizedName(typed)
}
