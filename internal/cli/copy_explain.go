package cli

import (
	"encoding/csv"
	"slices"
	"strings"

	"github.com/spf13/pflag"
)

// commandLine is the command as one types it, with the flags that were typed for copy;
// own is nil for none. A password is left out.
func (t *translation) commandLine(own *pflag.FlagSet) string {
	words := []string{"cqlbulk", t.command}
	for _, arg := range t.args {
		words = append(words, shellQuote(arg))
	}
	typed := make(map[string]string)
	if own != nil {
		own.VisitAll(func(f *pflag.Flag) {
			if f.Changed && f.Name != "password" && !slices.Contains(copyAlone, f.Name) {
				typed[f.Name] = f.Value.String()
				if slice, ok := f.Value.(pflag.SliceValue); ok {
					typed[f.Name] = listText(slice.GetSlice())
				}
			}
		})
	}
	for _, s := range t.settings {
		if _, ok := typed[s.flag]; !ok {
			words = append(words, shellQuote("--"+s.flag+"="+t.text(s)))
		}
	}
	if own != nil {
		own.VisitAll(func(f *pflag.Flag) {
			if value, ok := typed[f.Name]; ok {
				words = append(words, shellQuote("--"+f.Name+"="+value))
			}
		})
	}
	return strings.Join(words, " ")
}

// text is a setting's value as its flag reads it.
func (t *translation) text(s setting) string {
	if s.flag == "columns" || s.flag == "skipcols" || s.flag == "null-string" && t.command == "load" {
		return listText(s.values)
	}
	return s.values[0]
}

// listText is a list as a flag reads it: a record of CSV.
func listText(list []string) string {
	var b strings.Builder
	w := csv.NewWriter(&b)
	_ = w.Write(list) // into memory
	w.Flush()
	return strings.TrimSuffix(b.String(), "\n")
}

// shellQuote is a word as a shell reads it.
func shellQuote(word string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("_-+=%@:,./", r)
	}
	if word != "" && !strings.ContainsFunc(word, func(r rune) bool { return !plain(r) }) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
