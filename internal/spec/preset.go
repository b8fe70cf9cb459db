package spec

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/cqlbulk/cqlbulk/internal/spec/setting"
)

// The dialects that stand for several settings. They are the texts that these programs write and
// read by their defaults; cassandra-unloader belongs to the last.
const (
	DialectDSBulk          = "dsbulk"
	DialectPandas          = "pandas"
	DialectCassandraLoader = "cassandra-loader"
)

// preset is what a dialect stands for.
type preset struct {
	name string
	any  map[string]string // of text in any format
	// of delimited text alone
	delimited map[string]string
}

// presets are those of loads. A scan takes those of their settings that it has, and writes for such
// a program.
var presets = []preset{
	{
		DialectDSBulk,
		map[string]string{"binary": "base64"},
		map[string]string{
			"collections":      CollectionsJSON,
			"escape":           `\`,
			"escape-in-quotes": "true",
		},
	},
	{DialectPandas, map[string]string{"integers": integersDecimal}, nil},
	{DialectCassandraLoader, nil, map[string]string{"header": "false"}},
}

// allDialects are the names that --dialect takes.
var allDialects = []string{
	DialectCQLBulk,
	DialectCQLSH,
	DialectDSBulk,
	DialectPandas,
	DialectCassandraLoader,
}

// IsPreset reports whether a dialect stands for several settings.
func IsPreset(dialect string) bool {
	return slices.ContainsFunc(presets, func(p preset) bool { return p.name == dialect })
}

// usePreset sets the settings that a dialect stands for, and returns the given settings with them.
// It does not set those that were given, that differ from their defaults, or that the command does
// not have. The dialect then is cqlbulk.
func usePreset(
	dialect *string,
	form string,
	settings, defaults setting.List,
	given setting.Given,
) (setting.Given, error) {
	at := slices.IndexFunc(presets, func(p preset) bool { return p.name == *dialect })
	if at < 0 {
		return given, nil
	}
	*dialect = DialectCQLBulk
	escape, known := settings.Find("escape")
	noEscape := known && given["escape"] && strings.Join(escape.Texts(), "") == ""
	given = maps.Clone(given)
	sets := []map[string]string{presets[at].any}
	if form != "json" {
		sets = append(sets, presets[at].delimited)
	}
	for _, texts := range sets {
		for name, text := range texts {
			now, known := settings.Find(name)
			if !known || given[name] || name == "escape-in-quotes" && noEscape {
				continue
			}
			if plain, _ := defaults.Find(name); !slices.Equal(now.Texts(), plain.Texts()) {
				continue
			}
			if err := settings.Set(name, text); err != nil {
				return given, fmt.Errorf("--%s: %w", name, err)
			}
			given[name] = true
		}
	}
	return given, nil
}

// ErrDialect is the error of a dialect that does not exist.
func ErrDialect(name string) error {
	last := len(allDialects) - 1
	return fmt.Errorf(
		"--dialect %q: must be %s or %s",
		name,
		strings.Join(allDialects[:last], ", "),
		allDialects[last],
	)
}
