package cli

import (
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/cqlbulk/cqlbulk/internal/spec/setting"
)

// commandLine is the command as one types it, with the flags that were typed for copy;
// own is nil for none. A password is left out.
func (t *translation) commandLine(own *pflag.FlagSet) string {
	words := []string{"cqlbulk", t.command}
	for _, arg := range t.args {
		words = append(words, setting.ShellQuote(arg))
	}
	typed := make(map[string]string)
	if own != nil {
		own.VisitAll(func(f *pflag.Flag) {
			if f.Changed && f.Name != "password" && !slices.Contains(copyAlone, f.Name) {
				typed[f.Name] = f.Value.String()
				if slice, ok := f.Value.(pflag.SliceValue); ok {
					typed[f.Name] = setting.ListText(slice.GetSlice())
				}
			}
		})
	}
	for _, s := range t.settings {
		if _, ok := typed[s.flag]; !ok {
			words = append(words, setting.ShellQuote("--"+s.flag+"="+t.text(s)))
		}
	}
	if own != nil {
		own.VisitAll(func(f *pflag.Flag) {
			if value, ok := typed[f.Name]; ok {
				words = append(words, setting.ShellQuote("--"+f.Name+"="+value))
			}
		})
	}
	return strings.Join(words, " ")
}

// text is a setting's value as its flag reads it.
func (t *translation) text(s statedSetting) string {
	if s.flag == "columns" || s.flag == "skipcols" ||
		s.flag == "null-string" && t.command == "load" {
		return setting.ListText(s.values)
	}
	return s.values[0]
}
