package web

import (
	"encoding/json"
	"html/template"
	"strings"

	"github.com/cqlbulk/cqlbulk/internal/progress/board"
)

// partNames are the parts of the page, in their order. Each has a template of this name.
var partNames = []string{
	"head",
	"bar",
	"main",
	"more",
	"stages",
	"next",
	"rejects",
	"charts",
	"history",
	"ringhead",
	"ring",
	"nodes",
	"run",
	"log",
}

// part is a part of the page. One without text is hidden.
type part struct {
	Name string
	HTML template.HTML
}

// partsOf renders the parts of the page of a state.
func partsOf(s board.State) ([]part, error) {
	all := make([]part, len(partNames))
	for i, name := range partNames {
		text, err := render(name, s)
		if err != nil {
			return nil, err
		}
		// the template has escaped it
		all[i] = part{name, template.HTML(strings.TrimSpace(string(text)))} //nolint:gosec
	}
	return all, nil
}

// changes is an event of the page: the parts that differ from those that the browser has.
type changes struct {
	Title string                   `json:"title"`
	Parts map[string]template.HTML `json:"parts"`
}

// line returns the changes as a line of JSON. Its brackets are not escaped: that would make it a
// third longer, and only a script reads it.
func (c changes) line() (string, error) {
	var text strings.Builder
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	err := e.Encode(c)
	return text.String(), err
}

// follower is a browser that follows a run, with the parts that it has.
type follower map[string]template.HTML

// changes returns what the browser lacks of a state, and takes it as sent.
func (f follower) changes(s board.State) (changes, error) {
	c := changes{title(s), make(map[string]template.HTML)}
	parts, err := partsOf(s)
	if err != nil {
		return c, err
	}
	for _, p := range parts {
		if had, known := f[p.Name]; !known || had != p.HTML {
			c.Parts[p.Name], f[p.Name] = p.HTML, p.HTML
		}
	}
	return c, nil
}

// title returns the title of the page, which stands in the browser's tab.
func title(s board.State) string {
	text := strings.TrimSpace(s.Command + " " + s.Table)
	switch {
	case s.Phase.Over():
		return words(s.Phase) + ": " + text
	case staged(s) != "":
		return staged(s) + ", " + text
	case s.Share != nil:
		return percent(*s.Share) + " " + text
	default:
		return text
	}
}
