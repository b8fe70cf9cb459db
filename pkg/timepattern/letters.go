package timepattern

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// zoneStyle is the form of an offset from UTC.
type zoneStyle byte

const (
	zoneNumber      zoneStyle = iota // +0100
	zoneColon                        // +01:00
	zoneLetter                       // +0100, or Z for UTC
	zoneLetterColon                  // +01:00, or Z for UTC
)

// parseLetters parses a pattern of Java's letters into its forms.
func parseLetters(text string) ([]form, error) {
	forms, rest, err := parseSection(text, []form{nil})
	if err == nil && rest != "" {
		err = errors.New("a bracket ] that closes none")
	}
	if err == nil && !slices.ContainsFunc(forms[0], func(i item) bool { return i.field != 0 }) {
		err = errors.New("it has no part of a date or time, such as %Y or yyyy")
	}
	return forms, err
}

// parseSection appends the items of a text to each form, up to a closing bracket.
func parseSection(text string, forms []form) (all []form, rest string, err error) {
	add := func(i item) {
		for k := range forms {
			forms[k] = append(forms[k], i)
		}
	}
	for text != "" {
		c := text[0]
		switch {
		case c == ']':
			return forms, text, nil
		case c == '[':
			without := make([]form, len(forms))
			for k := range forms {
				without[k] = slices.Clone(forms[k])
			}
			with, after, err := parseSection(text[1:], forms)
			switch {
			case err != nil:
				return nil, "", err
			case after == "":
				return nil, "", errors.New("a bracket [ that is not closed")
			case len(with)+len(without) > mostForms:
				return nil, "", errors.New("too many parts in brackets")
			}
			forms, text = append(with, without...), after[1:]
		case c == '\'':
			quoted, after, err := cutQuoted(text)
			if err != nil {
				return nil, "", err
			}
			for k := range len(quoted) {
				add(item{literal: quoted[k]})
			}
			text = after
		case c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z':
			n := len(text) - len(strings.TrimLeft(text, string(c)))
			i, err := letter(c, n)
			if err != nil {
				return nil, "", err
			}
			add(i)
			text = text[n:]
		case strings.IndexByte("#{}", c) >= 0:
			return nil, "", fmt.Errorf("%c is reserved: put it in single quotes", c)
		default:
			add(item{literal: c})
			text = text[1:]
		}
	}
	return forms, "", nil
}

// cutQuoted cuts a text after its first part in single quotes. Two single quotes are one.
func cutQuoted(text string) (quoted, rest string, err error) {
	if strings.HasPrefix(text, "''") {
		return "'", text[2:], nil
	}
	var out strings.Builder
	for i := 1; i < len(text); i++ {
		switch {
		case text[i] != '\'':
			out.WriteByte(text[i])
		case i+1 < len(text) && text[i+1] == '\'':
			out.WriteByte('\'')
			i++
		default:
			return out.String(), text[i+1:], nil
		}
	}
	return "", "", errors.New("a single quote that is not closed")
}

// letter returns the field of a letter that stands n times.
func letter(c byte, n int) (item, error) {
	number := func(field byte, most int) (item, error) {
		switch {
		case n > most:
			return item{}, fmt.Errorf("%s is too long", strings.Repeat(string(c), n))
		case n == 1:
			return item{field: field, least: 1, most: most}, nil
		}
		return item{field: field, least: n, most: n}, nil
	}
	switch c {
	case 'y', 'u':
		if n == 2 {
			return item{field: 'y', least: 2, most: 2}, nil
		}
		return number('Y', 4)
	case 'M', 'L':
		switch n {
		case 3:
			return item{field: 'b'}, nil
		case 4:
			return item{field: 'B'}, nil
		}
		return number('m', 2)
	case 'd':
		return number('d', 2)
	case 'H':
		return number('H', 2)
	case 'h':
		return number('I', 2)
	case 'm':
		return number('M', 2)
	case 's':
		return number('S', 2)
	case 'S':
		if n > 9 {
			return item{}, errors.New("a fraction has at most nine digits")
		}
		return item{field: 'f', least: n, most: n}, nil
	case 'f': // not Java's: a fraction of any length, as its names of patterns have it
		return item{field: 'f', least: 1, most: 9}, nil
	case 'a':
		return item{field: 'p'}, nil
	case 'E':
		if n == 4 {
			return item{field: 'A'}, nil
		}
		return item{field: 'a'}, nil
	case 'X', 'x', 'Z':
		return zone(c, n)
	case 'z', 'V':
		return item{field: 'Z'}, nil
	}
	return item{}, fmt.Errorf("the letter %c is no part of a date or time that can be read", c)
}

// zone returns the field of an offset from UTC. With 4 and 5 letters, Java also writes seconds if
// there are any; no zone has had them since 1972.
func zone(c byte, n int) (item, error) {
	switch {
	case n > 5 || c == 'Z' && n == 4:
		return item{}, fmt.Errorf("%s cannot be read", strings.Repeat(string(c), n))
	case c == 'Z' && n < 4:
		return item{field: 'z', least: 2}, nil
	case c == 'Z':
		return item{field: 'z', least: 5, zone: zoneLetterColon}, nil
	}
	style := zoneNumber
	if n == 3 || n == 5 {
		style = zoneColon
	}
	if c == 'X' {
		style += zoneLetter
	}
	return item{field: 'z', least: n, zone: style}, nil
}
