package setting

import (
	"encoding/csv"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Texts are the value as texts that Set takes: one, or the elements of a list.
func (s Setting) Texts() []string {
	switch field := s.Field.(type) {
	case *[]string:
		return append([]string{}, *field...)
	case *map[string]string:
		return []string{pairsText(*field)}
	case *string:
		return []string{*field}
	case *bool:
		return []string{strconv.FormatBool(*field)}
	case *int:
		return []string{strconv.Itoa(*field)}
	case *int64:
		return []string{strconv.FormatInt(*field, 10)}
	case *uint64:
		return []string{strconv.FormatUint(*field, 10)}
	case *float64:
		return []string{strconv.FormatFloat(*field, 'g', -1, 64)}
	case fmt.Stringer: // *time.Duration, *Size
		return []string{field.String()}
	default:
		panic(fmt.Sprintf("setting %s: a field of type %T has no text", s.Name, s.Field))
	}
}

// parse sets the value to what a text says.
func (s Setting) parse(text string) (err error) {
	switch field := s.Field.(type) {
	case *map[string]string:
		*field, err = parsePairs(text)
	case *string:
		*field = text
	case *bool:
		*field, err = strconv.ParseBool(text)
	case *int:
		*field, err = strconv.Atoi(text)
	case *int64:
		*field, err = strconv.ParseInt(text, 10, 64)
	case *uint64:
		*field, err = strconv.ParseUint(text, 10, 64)
	case *float64:
		*field, err = strconv.ParseFloat(text, 64)
	case *time.Duration:
		*field, err = time.ParseDuration(text)
	case *Size:
		err = field.Set(text)
	default:
		panic(fmt.Sprintf("setting %s: a field of type %T has no text", s.Name, s.Field))
	}
	return err
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

// ShellQuote is a word as a shell reads it.
func ShellQuote(word string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("_-+=%@:,./", r)
	}
	if word != "" && !strings.ContainsFunc(word, func(r rune) bool { return !plain(r) }) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
