package doctor

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/cqlbulk/cqlbulk/internal/human"
)

// nullWords are the words that programs write for null, in small letters.
var nullWords = []string{
	"na",
	"n/a",
	"#n/a",
	"null",
	"none",
	"nil",
	"nan",
	`\n`,
	"-",
	"--",
	"?",
	"(null)",
	"<null>",
	"0000-00-00",
	"0000-00-00 00:00:00",
}

func isNullWord(word string) bool { return slices.Contains(nullWords, strings.ToLower(word)) }

// WordUse is a word for null in a column of text, where it may be a value.
type WordUse struct {
	Word, Column string
	Key          bool // the column is of the primary key, which is never null
	Rows         int64
}

// NotedWords counts words for null in the texts of one column. It is safe for concurrent use.
type NotedWords struct {
	mu   sync.Mutex
	rows map[string]int64
}

// Note takes the text of a value. It has the form of Noted.Note.
func (n *NotedWords) Note(text []byte, _ bool) {
	if len(text) > longestWord {
		return
	}
	word := NullWord(string(text))
	if word == "" {
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.rows == nil {
		n.rows = make(map[string]int64)
	}
	n.rows[word]++
}

// longestWord is the length of a text from which it is no word for null.
const longestWord = 20

// Uses returns what was noted of a column.
func (n *NotedWords) Uses(column string, key bool) (out []WordUse) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, word := range slices.Sorted(maps.Keys(n.rows)) {
		out = append(out, WordUse{word, column, key, n.rows[word]})
	}
	return out
}

// AsNulls says which of the values that no column takes are words for null. given are the words
// that are set already. A word that is a key's value as well is not advised: its rows would be
// rejected.
func AsNulls(samples []Sample, given []string) []Finding {
	values := make(map[string]int64)
	var uses []WordUse
	for _, s := range readable(samples) {
		for word, n := range s.Nulls {
			if !slices.Contains(given, word) {
				values[word] += n
			}
		}
		uses = append(uses, s.Words...)
	}
	var out []Finding
	var words, texts []string
	var rows int64
	for _, word := range slices.Sorted(maps.Keys(values)) {
		in := slices.DeleteFunc(slices.Clone(uses), func(u WordUse) bool { return u.Word != word })
		if i := slices.IndexFunc(in, func(u WordUse) bool { return u.Key }); i >= 0 {
			out = append(
				out,
				Warn(
					fmt.Sprintf(
						"load the file without --null-string, and then the rejected rows with it: cqlbulk retry --last --null-string '%s'",
						word,
					),
					"%s %s in columns that are no text: null? But %s is a value of key column %q in %s, which would be rejected",
					human.Of(values[word], "value"),
					word,
					word,
					in[i].Column,
					human.Of(in[i].Rows, "row"),
				),
			)
			continue
		}
		for _, u := range in {
			texts = append(
				texts,
				fmt.Sprintf(
					"%s in column %q of text is null too, in %s",
					word,
					u.Column,
					human.Of(u.Rows, "row"),
				),
			)
		}
		words, rows = append(words, word), rows+values[word]
	}
	if len(words) == 0 {
		return out
	}
	do := "say"
	for _, word := range words {
		do += fmt.Sprintf(" --null-string '%s'", word)
	}
	guess := some(texts)
	if guess != "" {
		do += "; then " + guess
	}
	return append(
		out,
		Warn(do, "%s %s in columns that are no text: null?", human.Of(rows, "value"), some(words)).
			guessing(map[string][]string{"null-string": append(slices.Clone(given), words...)}, guess),
	)
}

// NullWord returns the word for null that a value that was not taken is; empty: it is none.
func NullWord(value string) string {
	if word := strings.TrimSpace(value); isNullWord(word) {
		return word
	}
	return ""
}
