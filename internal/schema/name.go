package schema

import (
	"errors"
	"fmt"
	"strings"
)

// SplitName cuts a name of one or two parts at its dot by the rules of CQL. A part in double quotes
// is taken as it is, with "" for a quote inside. Any other part is lowercased.
func SplitName(s string) ([]string, error) {
	var parts []string
	for {
		part, rest, err := cutPart(s)
		if err != nil {
			return nil, err
		}
		parts = append(parts, part)
		if rest == "" {
			break
		}
		if rest[0] != '.' {
			return nil, fmt.Errorf("unexpected %q after a quoted name", rest)
		}
		s = rest[1:]
	}
	if len(parts) > 2 {
		return nil, errors.New("more than two parts: the form is keyspace.table")
	}
	return parts, nil
}

// cutPart takes the first part off a name.
func cutPart(s string) (part, rest string, err error) {
	if !strings.HasPrefix(s, `"`) {
		end := strings.IndexByte(s, '.')
		if end < 0 {
			end = len(s)
		}
		if part = strings.ToLower(s[:end]); part == "" {
			return "", "", errors.New("empty name")
		}
		for i := range len(part) {
			c := part[i]
			if c != '_' && (c < 'a' || c > 'z') && (i == 0 || c < '0' || c > '9') {
				return "", "", fmt.Errorf(
					"%q is not a CQL name; put it in double quotes if it is meant",
					s[:end],
				)
			}
		}
		return part, s[end:], nil
	}
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		if s[i] != '"' {
			b.WriteByte(s[i])
			continue
		}
		if i+1 < len(s) && s[i+1] == '"' {
			b.WriteByte('"')
			i++
			continue
		}
		if b.Len() == 0 {
			return "", "", errors.New("empty name")
		}
		return b.String(), s[i+1:], nil
	}
	return "", "", errors.New("a double quote is not closed")
}
