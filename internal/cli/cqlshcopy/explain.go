package cqlshcopy

import (
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/cqlbulk/cqlbulk/internal/spec/setting"
)

// CommandLine is the command as one types it, with flags that were typed for copy besides.
func (t *Command) CommandLine(typed []*pflag.Flag) string {
	words := []string{"cqlbulk", t.command}
	for _, arg := range t.Args {
		words = append(words, setting.ShellQuote(arg))
	}
	for _, s := range t.Settings {
		if !isTyped(typed, s.Flag) {
			words = append(words, setting.ShellQuote("--"+s.Flag+"="+t.text(s)))
		}
	}
	if t.Progress > 0 && !isTyped(typed, progressFlag) {
		words = append(words, "--"+progressFlag+"="+t.Progress.String())
	}
	for _, s := range t.Connection.Settings {
		words = append(words, setting.ShellQuote("--"+s.Flag+"="+s.Value))
	}
	for _, f := range typed {
		values := []string{f.Value.String()}
		if list, ok := f.Value.(pflag.SliceValue); ok {
			values = setting.FlagTexts(f.Name, list.GetSlice())
		}
		for _, value := range values {
			words = append(words, setting.ShellQuote("--"+f.Name+"="+value))
		}
	}
	return strings.Join(words, " ")
}

// progressFlag is a flag of load and scan that is no setting.
const progressFlag = "progress"

func isTyped(typed []*pflag.Flag, name string) bool {
	return slices.ContainsFunc(typed, func(f *pflag.Flag) bool { return f.Name == name })
}

// text is a setting's value as its flag reads it.
func (t *Command) text(s Setting) string {
	if s.Flag == "columns" || s.Flag == "skipcols" ||
		s.Flag == "null-string" && t.command == "load" {
		return setting.ListText(s.Values)
	}
	return s.Values[0]
}
