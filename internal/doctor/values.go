package doctor

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
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

// Values counts how the texts of a column are written. Of what the column takes only numbers
// matter.
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
	plain         style = iota
	decimalComma        // 12,5
	commaBoth           // 1.234,56
	pointBoth           // 1,234.56
	commaGroups         // 1,234,567
	oneComma            // 1,234: a fraction, or a thousand
	pointGroups         // 1.234.567
	onePoint            // 1.234
	zeroPoint           // 2.000
	spaceGroups         // 1 234 or 1 234,5
	emptyFraction       // 12.0
	decimalPoint        // 12.5
	withSign            // $5, 5 %
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
	{zeroPoint, regexp.MustCompile(`^[+-]?[1-9][0-9]{0,2}\.000$`)},
	{onePoint, regexp.MustCompile(`^[+-]?[1-9][0-9]{0,2}\.[0-9]{3}$`)},
	{pointGroups, regexp.MustCompile(`^[+-]?[0-9]{1,3}(\.[0-9]{3}){2,}$`)},
	{spaceGroups, regexp.MustCompile(`^[+-]?[0-9]{1,3}( [0-9]{3})+(,[0-9]+)?$`)},
	{emptyFraction, regexp.MustCompile(`^[+-]?[0-9]+\.0+$`)},
	{decimalPoint, regexp.MustCompile(`^[+-]?[0-9]+\.[0-9]+$`)},
	{plain, regexp.MustCompile(`^[+-]?[0-9]+$`)},
	{
		withSign,
		regexp.MustCompile(
			`^[+-]? ?(?:[$€£¥] ?[+-]?[0-9][0-9., ]*|[0-9][0-9., ]* ?(?:[$€£¥%]|[A-Z]{3}))$`,
		),
	},
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
	if v.noteStyle(trimmed) == withSign {
		v.noteStyle(strings.TrimSpace(signs.ReplaceAllString(trimmed, "")))
	}
}

// signs are what amounts have besides digits.
var signs = regexp.MustCompile(`[$€£¥%]|[A-Z]{3}`)

// noteStyle counts how a number is written, and returns that.
func (v *Values) noteStyle(text string) style {
	for _, s := range styles {
		if !s.text.MatchString(text) {
			continue
		}
		if v.numbers == nil {
			v.numbers, v.example = make(map[style]int64), make(map[style]string)
		}
		if v.numbers[s.style]++; v.numbers[s.style] == 1 {
			v.example[s.style] = text
		}
		return s.style
	}
	return plain
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

// count returns how many numbers are of some styles.
func (v Values) count(styles ...style) (n int64) {
	for _, s := range styles {
		n += v.numbers[s]
	}
	return n
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

// truths are the words for true and false that programs write.
var truths = [][2]string{
	{"yes", "no"},
	{"y", "n"},
	{"t", "f"},
	{"on", "off"},
	{"1", "0"},
	{"ja", "nein"},
	{"oui", "non"},
	{"si", "no"},
	{"sí", "no"},
	{"wahr", "falsch"},
	{"vrai", "faux"},
	{"verdadero", "falso"},
	{"vero", "falso"},
	{"verdadeiro", "falso"},
	{"sim", "não"},
}

// AsTruths says which words stand for true and false that no column takes as they are. given: the
// words are set already.
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
		if !slices.ContainsFunc(
			words,
			func(word string) bool { return word != pair[0] && word != pair[1] },
		) {
			style := pair[0] + "," + pair[1]
			return []Finding{
				Warn(
					"say --boolstyle "+style,
					"%s: %s instead of true and false",
					where,
					some(words),
				).
					with(map[string][]string{"boolstyle": {style}}),
			}
		}
	}
	do := "--boolstyle has one word for true and one for false: write all of them the same way"
	if len(words) <= 2 {
		do = "say --boolstyle with the word for true, a comma, and the word for false"
	}
	found := "%s: words such as %s instead of true and false"
	return []Finding{Warn(do, found, where, some(words))}
}
