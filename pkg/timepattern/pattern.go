package timepattern

import (
	"fmt"
	"strings"
)

// Pattern is a parsed pattern. It has one form, or several if parts of it may be missing.
type Pattern struct {
	text string
	// Each form is the pattern with some of its optional parts. The first one has all of them.
	forms []form
}

// form is a sequence of fields and of the characters between them.
type form []item

// item is a field or, if field is 0, one required character.
type item struct {
	field   byte // its directive in strptime
	literal byte
	// the fewest and most digits of a number; 0: those of strptime
	least, most int
	zone        zoneStyle
}

// mostForms is the most forms of a pattern: five optional parts, if none is inside another.
const mostForms = 32

// names are patterns that have a name in Java or in DSBulk.
var names = map[string]string{
	"BASIC_ISO_DATE":       "yyyyMMdd",
	"ISO_DATE":             "yyyy-MM-dd[XXX]",
	"ISO_LOCAL_DATE":       "yyyy-MM-dd",
	"ISO_TIME":             "HH:mm[:ss[.f]][XXX]",
	"ISO_LOCAL_TIME":       "HH:mm[:ss[.f]]",
	"ISO_OFFSET_TIME":      "HH:mm[:ss[.f]]XXX",
	"ISO_DATE_TIME":        "yyyy-MM-dd'T'HH:mm[:ss[.f]][XXX]",
	"ISO_LOCAL_DATE_TIME":  "yyyy-MM-dd'T'HH:mm[:ss[.f]]",
	"ISO_OFFSET_DATE_TIME": "yyyy-MM-dd'T'HH:mm[:ss[.f]]XXX",
	"ISO_INSTANT":          "yyyy-MM-dd'T'HH:mm:ss[.f]X",
}

// Parse parses a pattern. It returns an error that names a directive or letter which is unknown, or
// which does not determine a date or time.
func Parse(text string) (*Pattern, error) {
	if strings.Contains(text, "%") {
		return ParseDirectives(text)
	}
	letters := text
	if named, ok := names[text]; ok {
		letters = named
	}
	forms, err := parseLetters(letters)
	if err != nil {
		return nil, fmt.Errorf("date and time format %q: %w", text, err)
	}
	return &Pattern{text, forms}, nil
}

// ParseDirectives parses a pattern of directives, as Parse does. A text without a percent sign is a
// pattern that only that text fits.
func ParseDirectives(text string) (*Pattern, error) {
	f, err := parseDirectives(text)
	if err != nil {
		return nil, err
	}
	return &Pattern{text, []form{f}}, nil
}

// String returns the text that was parsed.
func (p *Pattern) String() string { return p.text }

// Numeric reports whether all texts of the pattern consist of digits.
func (p *Pattern) Numeric() bool {
	for _, f := range p.forms {
		for _, item := range f {
			if strings.IndexByte("YymdHIMSfw", item.field) < 0 && !isDigit(item.literal) {
				return false
			}
		}
	}
	return true
}

// has reports whether the full form has one of the fields.
func (p *Pattern) has(fields string) bool {
	for _, item := range p.forms[0] {
		if item.field != 0 && strings.IndexByte(fields, item.field) >= 0 {
			return true
		}
	}
	return false
}

// HasDate reports whether the pattern has a part of a date.
func (p *Pattern) HasDate() bool { return p.has("YymbBde") }

// HasTime reports whether the pattern has a time of day, or a part of it.
func (p *Pattern) HasTime() bool { return p.has("HIMSfp") }

// LacksOfDate returns what the pattern lacks to determine a day and a time on it, such as "year
// (%Y)", or "" if it is complete. Missing parts of the time are 0. An hour of twelve without AM or
// PM would be read as morning.
func (p *Pattern) LacksOfDate() string {
	switch {
	case !p.has("Yy"):
		return "year (%Y)"
	case !p.has("mbB"):
		return "month (%m)"
	case !p.has("de"):
		return "day (%d)"
	}
	return p.lacksHalf()
}

// LacksOfTime returns what the pattern lacks to determine a time of day, as LacksOfDate does.
func (p *Pattern) LacksOfTime() string {
	if !p.has("HI") {
		return "hour (%H)"
	}
	return p.lacksHalf()
}

func (p *Pattern) lacksHalf() string {
	if p.has("I") && !p.has("p") {
		return "AM or PM (%p) beside %I"
	}
	return ""
}
