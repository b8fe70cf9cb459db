package doctor

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/cqlbulk/cqlbulk/internal/amount"
)

// Kind is what texts of a column stand for.
type Kind uint8

// The kinds of texts that other programs write in other ways.
const (
	Other  Kind = iota
	Number      // with a fraction, where the type has one
	Whole
	Truth
)

// Values counts how the texts of a column are written. Of what the column takes only numbers matter.
type Values struct {
	Column string
	Kind   Kind

	bad     int64
	words   []string // of texts that were not taken, each once, in small letters; few of them
	numbers map[style]int64
	example map[style]string
}

// style is how a number is written.
type style uint8

const (
	plain        style = iota
	decimalComma       // 12,5
	commaBoth          // 1.234,56
	pointBoth          // 1,234.56
	commaGroups        // 1,234,567
	oneComma           // 1,234: a fraction, or a thousand
	pointGroups        // 1.234.567
	onePoint           // 1.234
	spaceGroups        // 1 234 or 1 234,5
	decimalPoint       // 12.5
	withSign           // $5, 5 %
)

var styles = []struct {
	style style
	text  *regexp.Regexp
}{
	{commaBoth, regexp.MustCompile(`^[+-]?[0-9]{1,3}(\.[0-9]{3})+,[0-9]+$`)},
	{pointBoth, regexp.MustCompile(`^[+-]?[0-9]{1,3}(,[0-9]{3})+\.[0-9]+$`)},
	{oneComma, regexp.MustCompile(`^[+-]?[1-9][0-9]{0,2},[0-9]{3}$`)},
	{commaGroups, regexp.MustCompile(`^[+-]?[0-9]{1,3}(,[0-9]{3}){2,}$`)},
	{decimalComma, regexp.MustCompile(`^[+-]?[0-9]+,[0-9]+$`)},
	{onePoint, regexp.MustCompile(`^[+-]?[1-9][0-9]{0,2}\.[0-9]{3}$`)},
	{pointGroups, regexp.MustCompile(`^[+-]?[0-9]{1,3}(\.[0-9]{3}){2,}$`)},
	{spaceGroups, regexp.MustCompile(`^[+-]?[0-9]{1,3}( [0-9]{3})+(,[0-9]+)?$`)},
	{decimalPoint, regexp.MustCompile(`^[+-]?[0-9]+\.[0-9]+$`)},
	{plain, regexp.MustCompile(`^[+-]?[0-9]+$`)},
	{withSign, regexp.MustCompile(`^[+-]? ?(?:[$€£¥] ?[+-]?[0-9][0-9., ]*|[0-9][0-9., ]* ?(?:[$€£¥%]|[A-Z]{3}))$`)},
}

// wordsKept is how many words are kept of a column.
const wordsKept = 8

// Note takes the text of a value, and whether the column took it.
func (v *Values) Note(text []byte, taken bool) {
	if !taken {
		v.bad++
		word := strings.ToLower(strings.TrimSpace(string(text)))
		if len(v.words) <= wordsKept && !slices.Contains(v.words, word) {
			v.words = append(v.words, word)
		}
	}
	if v.Kind != Number && v.Kind != Whole || taken && len(text) < 3 {
		return
	}
	trimmed := strings.TrimSpace(string(text))
	for _, s := range styles {
		if !s.text.MatchString(trimmed) {
			continue
		}
		if v.numbers == nil {
			v.numbers, v.example = make(map[style]int64), make(map[style]string)
		}
		if v.numbers[s.style]++; v.numbers[s.style] == 1 {
			v.example[s.style] = trimmed
		}
		return
	}
}

// Noted is a Values that several goroutines note texts in.
type Noted struct {
	mu     sync.Mutex
	values Values
}

// NewNoted is for a column of a kind.
func NewNoted(kind Kind) *Noted { return &Noted{values: Values{Kind: kind}} }

// Note takes the text of a value, and whether the column took it.
func (n *Noted) Note(text []byte, taken bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.values.Note(text, taken)
}

// Values is what was noted of a column; false: all texts were taken.
func (n *Noted) Values(column string) (Values, bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	v := n.values
	v.Column = column
	return v, v.bad > 0 || len(v.numbers) > 0
}

// has reports whether numbers of a style are among them, and shows one.
func (v Values) has(styles ...style) (example string, some bool) {
	for _, s := range styles {
		if v.numbers[s] > 0 {
			return v.example[s], true
		}
	}
	return "", false
}

// AsNumbers says how numbers are written that no column takes as they are: with which marks they are to be read. given: the
// marks are set already.
func AsNumbers(samples []Sample, given bool) []Finding {
	var numbers, wholes, all Values
	var column string
	var out []Finding
	for _, s := range readable(samples) {
		for _, v := range s.Values {
			if v.Kind != Number && v.Kind != Whole {
				continue
			}
			into := &numbers
			if v.Kind == Whole {
				into = &wholes
			}
			into.add(v)
			all.add(v)
			if v.bad > 0 {
				column = cmp.Or(column, v.Column)
			}
			if example, some := v.has(withSign); some && v.bad > 0 {
				out = append(out, Warn("remove the sign before loading, or load the column as text: amounts with a sign cannot be read yet",
					"%s, column %q: %s such as %s", s.Name, v.Column, amount.Of(v.numbers[withSign], "value"), example))
			}
		}
	}
	if more := len(out) - namesShown; more > 0 {
		out = append(out[:namesShown], Warn("", "and %s like it", amount.Of(more, "more column")))
	}
	if given || all.bad == 0 {
		return out
	}
	if f, found := marks(numbers, wholes, all); found {
		out = append(out, f)
	}
	return out
}

// add adds what was noted of another column.
func (v *Values) add(o Values) {
	v.bad += o.bad
	if v.numbers == nil {
		v.numbers, v.example = make(map[style]int64), make(map[style]string)
	}
	for s, n := range o.numbers {
		v.numbers[s] += n
		v.example[s] = cmp.Or(v.example[s], o.example[s])
	}
}

// marks finds the decimal mark and the separator of thousands.
func marks(numbers, wholes, all Values) (Finding, bool) {
	comma, hasComma := all.has(commaBoth, decimalComma)
	point, hasPoint := all.has(pointBoth, commaGroups)
	if !hasPoint {
		point, hasPoint = numbers.has(decimalPoint)
	}
	dots, hasDots := all.has(commaBoth, pointGroups)
	if !hasDots {
		dots, hasDots = wholes.has(onePoint)
	}
	ambiguous, hasAmbiguous := all.has(oneComma)
	blanks, hasBlanks := all.has(spaceGroups)
	settings := make(map[string][]string)
	example := ""
	switch {
	case (hasComma || hasDots) && hasPoint:
		return Fail("write all numbers the same way", "some numbers have a decimal comma, such as %s, others a point, such as %s", cmp.Or(comma, dots), point), true
	case hasComma || hasDots:
		settings["decimalsep"] = []string{","}
		if _, one := all.has(onePoint); hasDots || one {
			settings["thousandssep"] = []string{"."}
		} else if hasBlanks {
			settings["thousandssep"] = []string{" "}
		}
		example = cmp.Or(dots, comma)
	case hasBlanks:
		settings["thousandssep"], example = []string{" "}, blanks
		if strings.Contains(blanks, ",") {
			settings["decimalsep"] = []string{","}
		}
	case hasPoint || hasAmbiguous:
		groups, some := all.has(pointBoth, commaGroups, oneComma)
		if !some {
			return Finding{}, false
		}
		settings["thousandssep"], example = []string{","}, groups
	default:
		return Finding{}, false
	}
	do := ""
	for _, flag := range []string{"decimalsep", "thousandssep"} {
		if mark := settings[flag]; mark != nil {
			do += fmt.Sprintf(" --%s '%s'", flag, mark[0])
		}
	}
	f := Warn("say"+do, "numbers have separators, such as %s", example).with(settings)
	if _, whole := wholes.has(oneComma); !hasComma && !hasDots && !hasBlanks && !hasPoint && !whole {
		f.Guess = fmt.Sprintf("%s is read as %s", ambiguous, strings.ReplaceAll(ambiguous, ",", ""))
		f.Do += "; if " + ambiguous + " is a fraction, say --decimalsep ',' instead"
	}
	return f, true
}

// truths are the words for true and false that programs write.
var truths = [][2]string{{"yes", "no"}, {"y", "n"}, {"t", "f"}, {"on", "off"}, {"1", "0"}, {"ja", "nein"}, {"oui", "non"}, {"si", "no"}}

// AsTruths says which words stand for true and false that no column takes as they are. given: the words are set already.
func AsTruths(samples []Sample, given bool) []Finding {
	var words []string
	where := ""
	for _, s := range readable(samples) {
		for _, v := range s.Values {
			if v.Kind != Truth {
				continue
			}
			for _, word := range v.words {
				if !isNullWord(word) && !slices.Contains(words, word) {
					words = append(words, word)
					where = cmp.Or(where, fmt.Sprintf("%s, column %q", s.Name, v.Column))
				}
			}
		}
	}
	if len(words) == 0 || given {
		return nil
	}
	for _, pair := range truths {
		if !slices.ContainsFunc(words, func(word string) bool { return word != pair[0] && word != pair[1] }) {
			style := pair[0] + "," + pair[1]
			return []Finding{Warn("say --boolstyle "+style, "%s: %s instead of true and false", where, some(words)).
				with(map[string][]string{"boolstyle": {style}})}
		}
	}
	return []Finding{Warn("--boolstyle has one word for true and one for false: write all of them the same way", "%s: words such as %s instead of true and false", where, some(words))}
}

// nullWords are the words that programs write for null, in small letters.
var nullWords = []string{"na", "n/a", "#n/a", "null", "none", "nil", "nan", `\n`, "-", "--", "?", "(null)", "<null>"}

func isNullWord(word string) bool { return slices.Contains(nullWords, strings.ToLower(word)) }

// AsNulls says which of the values that no column takes are words for null. given are the words that are set already.
func AsNulls(samples []Sample, given []string) []Finding {
	var words []string
	var rows int64
	for _, s := range readable(samples) {
		for word, n := range s.Nulls {
			rows += n
			if !slices.Contains(words, word) {
				words = append(words, word)
			}
		}
	}
	if len(words) == 0 {
		return nil
	}
	slices.Sort(words)
	do := "say"
	for _, word := range words {
		do += fmt.Sprintf(" --null-string '%s'", word)
	}
	return []Finding{Warn(do, "%s %s in columns that are no text: null?", amount.Of(rows, "value"), some(words)).
		with(map[string][]string{"null-string": append(slices.Clone(given), words...)})}
}

// NullWord returns the word for null that a value that was not taken is; empty: it is none.
func NullWord(value string) string {
	if word := strings.TrimSpace(value); isNullWord(word) {
		return word
	}
	return ""
}
