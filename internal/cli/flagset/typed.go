package flagset

import (
	"strings"

	"github.com/cqlbulk/cqlbulk/internal/spec/setting"
)

// AsTyped is a flag and its value, as one types it.
func AsTyped(name string, texts []string) string {
	if IsEmpty(texts) {
		return "--" + name + "=''"
	}
	if setting.IsWhole(name) && len(texts) > 1 {
		one := AsTyped(name, texts[:1])
		return one + " " + AsTyped(name, texts[1:])
	}
	value := texts[0]
	if len(texts) > 1 {
		value = setting.ListText(texts)
	}
	if _, truth := setting.ParseBool(value); truth {
		return "--" + name + "=" + value
	}
	return "--" + name + " " + setting.ShellQuote(value)
}

// IsEmpty reports whether a flag that has these texts has no value.
func IsEmpty(texts []string) bool { return strings.Join(texts, "") == "" }
