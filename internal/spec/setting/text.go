package setting

import (
	"encoding/csv"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/cqlbulk/cqlbulk/internal/safetext"
)

// Texts are the value as texts that Set takes: one, or the elements of a list.
func (s Setting) Texts() []string {
	switch field := s.Field.(type) {
	case *[]string:
		return append([]string{}, *field...)
	case *map[string]string:
		return []string{pairsText(*field)}
	default:
		return []string{s.Value().String()}
	}
}

// parse sets the value to what a text says.
func (s Setting) parse(text string) (err error) {
	if field, ok := s.Field.(*map[string]string); ok {
		*field, err = parsePairs(text)
		return err
	}
	return s.Value().Set(text)
}

// pairsText writes pairs as a record of CSV, in order of their names.
func pairsText(pairs map[string]string) string {
	if len(pairs) == 0 {
		return ""
	}
	var record []string
	for _, name := range slices.Sorted(maps.Keys(pairs)) {
		record = append(record, name+"="+pairs[name])
	}
	return ListText(record)
}

func parsePairs(text string) (map[string]string, error) {
	pairs := make(map[string]string)
	if text == "" {
		return pairs, nil
	}
	record, err := csv.NewReader(strings.NewReader(text)).Read()
	if err != nil {
		return nil, err
	}
	for _, pair := range record {
		name, value, ok := strings.Cut(pair, "=")
		if !ok {
			return nil, errors.New(pair + " must be formatted as key=value")
		}
		pairs[name] = value
	}
	return pairs, nil
}

// ListText is a list as a flag reads it: a record of CSV.
func ListText(list []string) string {
	var b strings.Builder
	w := csv.NewWriter(&b)
	_ = w.Write(list) // into memory
	w.Flush()
	return strings.TrimSuffix(b.String(), "\n")
}

// ShellQuote returns a word as one types it into a shell.
func ShellQuote(word string) string { return safetext.ShellWord(word) }
