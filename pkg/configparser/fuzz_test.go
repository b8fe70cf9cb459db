package configparser

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

// sortOptions sorts options by name.
func sortOptions(options []parsedOption) {
	slices.SortFunc(options, func(a, b parsedOption) int { return strings.Compare(a.Name, b.Name) })
}

// FuzzParse checks that no text causes a panic. Lines must be in the text, names must be unique and
// in lower case, and an interpolated value must be short.
func FuzzParse(f *testing.F) {
	for _, text := range texts {
		f.Add(text)
	}
	f.Add("[a]\nx = \xff")
	f.Add("\ufeff[a]\nx = %(x)s%(x)s")
	f.Fuzz(func(t *testing.T, text string) {
		lines := strings.Split(
			strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text), "\n",
		)
		file, err := Parse(text)
		if err != nil {
			var broken *Error
			if !errors.As(err, &broken) || file != nil || broken.Reason == "" ||
				broken.Line < 1 || !strings.Contains(lines[broken.Line-1], broken.Text) {
				t.Fatalf("%#v, %v", file, err)
			}
			return
		}
		for _, s := range file.Sections {
			if !strings.Contains(lines[s.Line-1], "["+s.Name+"]") {
				t.Fatalf("section %q is not in line %d", s.Name, s.Line)
			}
			seen := make(map[string]bool)
			for _, o := range file.Options(s.Name) {
				line := strings.ToLower(lines[o.Line-1])
				found, ok := file.Get(s.Name, o.Name)
				if !ok || found != o || seen[o.Name] || o.Name == "" ||
					o.Name != strings.ToLower(o.Name) || !strings.HasPrefix(trim(line), o.Name) {
					t.Fatalf("%+v, found %+v", o, found)
				}
				seen[o.Name] = true
				value, err := file.Interpolate(s.Name, o)
				if err == nil && len(value) > maxInterpolated+len(o.Value) {
					t.Fatalf("%d bytes", len(value))
				}
			}
		}
	})
}
