package schema

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
)

// Selector is one thing that a scan reads of each row: a column, or the time to
// live or the write time of one.
type Selector struct {
	Name   string        // as the header of the output names it: c, ttl(c), writetime(c)
	CQL    string        // as it stands in SELECT
	Type   *cqltype.Type // of what comes back
	Column Column        // that it is about
	Plain  bool          // the column itself
	Time   bool          // its time to live or its write time, as a number
	TTL    bool          // its time to live
	// Elements says that each element of the column has a time of its own. What comes back is a
	// list of values of the type (since Cassandra 5.0).
	Elements bool
}

// function is a call of ttl or writetime in a list of columns.
var function = regexp.MustCompile(`^(?i)(ttl|writetime)\s*\((.*)\)$`)

// The types that the two functions give.
var functionTypes = map[string]*cqltype.Type{
	"ttl":       {Kind: cqltype.Int},
	"writetime": {Kind: cqltype.Bigint},
}

// Selectors reads a list of what to select; an empty list means all columns. A
// function takes a column that is no key and whose elements are no cells of
// their own, since those have no single time.
func (t *Table) Selectors(list []string) ([]Selector, error) {
	if len(list) == 0 {
		list = nil
		for _, c := range t.Columns {
			list = append(list, c.Name)
		}
	}
	var selectors []Selector
	seen := make(map[string]bool)
	for _, text := range list {
		s, err := t.Select(text)
		if err != nil {
			return nil, err
		}
		if s.Elements {
			return nil, s.errElements()
		}
		if seen[s.Name] {
			return nil, fmt.Errorf("%q of %s is named twice", s.Name, t)
		}
		seen[s.Name] = true
		selectors = append(selectors, s)
	}
	return selectors, nil
}

// Select reads one of what [Table.Selectors] takes. It also takes a time of a set, a map or a user
// type that is not frozen. A column that is called like a function is the column.
func (t *Table) Select(text string) (Selector, error) {
	call := function.FindStringSubmatch(text)
	if _, ok := t.Column(text); ok || call == nil || t.Markers {
		c, err := t.Resolve(text)
		if err != nil {
			return Selector{}, err
		}
		return c.Selector(), nil
	}
	name := strings.ToLower(call[1])
	c, err := t.Resolve(strings.TrimSpace(call[2]))
	if err != nil {
		return Selector{}, err
	}
	call[2] = c.Name
	switch {
	case c.IsKey():
		return Selector{}, fmt.Errorf(
			"%s(%s): column %q is part of the primary key, which has no %s",
			name,
			c.Name,
			c.Name,
			name,
		)
	case c.Type.Kind == cqltype.Counter:
		return Selector{}, fmt.Errorf("%s(%s): a counter has no %s", name, c.Name, name)
	}
	s := timeOf(c, name)
	if s.Elements && c.Type.Kind == cqltype.List {
		// A list that is written twice with one timestamp has its elements twice.
		return Selector{}, s.errElements()
	}
	return s, nil
}

// errElements is the error of a time that a column does not have as a whole.
func (s Selector) errElements() error {
	function, _, _ := strings.Cut(s.Name, "(")
	return fmt.Errorf(
		"%s: column %q is %s, and each of its elements has a %s of its own",
		s.Name,
		s.Column.Name,
		s.Column.Type,
		function,
	)
}

// Selector returns the selector of the column itself.
func (c Column) Selector() Selector {
	return Selector{
		Name:   c.Name,
		CQL:    cqltype.QuoteIdent(c.Name),
		Type:   c.Type,
		Column: c,
		Plain:  true,
	}
}

// timeOf returns the selector of ttl or writetime of a column.
func timeOf(c Column, function string) Selector {
	return Selector{
		Name:     function + "(" + c.Name + ")",
		CQL:      function + "(" + cqltype.QuoteIdent(c.Name) + ")",
		Type:     functionTypes[function],
		Column:   c,
		Time:     true,
		TTL:      function == "ttl",
		Elements: c.Type.MultiCell(),
	}
}

// Times returns the selectors of the write time and the time to live of a column. Key columns and
// counters have none: ok is false.
func (c Column) Times() (written, ttl Selector, ok bool) {
	if c.IsKey() || c.Type.Kind == cqltype.Counter {
		return Selector{}, Selector{}, false
	}
	return timeOf(c, "writetime"), timeOf(c, "ttl"), true
}

// WithKey returns a selection with the columns of the partition key that it lacks, because they
// show where a partition ends. It returns the places of the key's cells too.
func (t *Table) WithKey(selection []Selector) (read []Selector, key []int) {
	read = slices.Clone(selection)
	for _, c := range t.OfKind(PartitionKey) {
		at := slices.IndexFunc(
			read,
			func(s Selector) bool { return s.Plain && s.Column.Name == c.Name },
		)
		if at < 0 {
			at = len(read)
			read = append(read, c.Selector())
		}
		key = append(key, at)
	}
	return read, key
}
