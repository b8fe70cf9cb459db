package ingest

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/cqlbulk/cqlbulk/internal/format"
	"github.com/cqlbulk/cqlbulk/internal/schema"
)

// members is which column each member of an object goes to.
type members struct {
	table  *schema.Table
	fields Fields
	// by stored name: index into the mapping's columns, and behind those its times
	byName map[string]int
}

// NewObjectMapping plans the members of objects for columns. A member has the name of its column.
// Members that a row lacks are null.
func NewObjectMapping(t *schema.Table, columns []schema.Column, f Fields) (*Mapping, error) {
	m, err := newMapping(t, columns)
	if err != nil {
		return nil, err
	}
	m.members = &members{table: t, fields: f, byName: make(map[string]int, len(columns))}
	for i, c := range columns {
		m.members.byName[c.Name] = i
	}
	for i, c := range columns {
		for _, function := range []string{"ttl", "writetime"} {
			s, err := t.Select(function + "(" + c.Name + ")")
			if err != nil || s.Plain || f.Untimed != "" {
				continue // it has none that could be loaded
			}
			m.members.byName[s.Name] = len(columns) + len(m.times)
			m.times = append(m.times, timing{name: s.Name, column: i, ttl: s.TTL})
		}
	}
	m.needTimes(t, f)
	plain := maps.Clone(m.members.byName)
	for field, name := range f.Renamed {
		if f.skips(field) {
			m.members.byName[field] = -1
			continue
		}
		s, err := t.Select(name)
		if err != nil {
			return nil, err
		}
		i, ok := plain[s.Name]
		if !ok {
			return nil, fmt.Errorf("column %q is not among those to load", s.Column.Name)
		}
		m.members.byName[field] = i
	}
	for _, field := range append(f.unread(), f.Skipped...) {
		m.members.byName[field] = -1
	}
	return m, m.planBy(f)
}

// unread lists the usual names of the members that Fields.Unread leaves out. Other names are found
// one by one, which takes longer.
func (f Fields) unread() (names []string) {
	if f.Unread == nil {
		return nil
	}
	for _, c := range f.Unread.Columns {
		if !c.IsKey() {
			names = append(names, c.Name)
		}
		if written, ttl, ok := c.Times(); ok {
			names = append(names, written.Name, ttl.Name)
		}
	}
	return slices.DeleteFunc(names, func(name string) bool { return !f.skips(name) })
}

// column returns the index of the column or the time of a member; -1: it is not loaded.
func (m *members) column(name []byte, of format.Members) (int, error) {
	if i, ok := m.byName[string(name)]; ok {
		return i, nil
	}
	if m.fields.skips(string(name)) {
		return -1, nil
	}
	s, err := m.table.Select(string(name))
	if err != nil {
		unknown := []string{string(name)}
		names := of.Names()
		mayHold := func(column, field string) bool {
			return m.fields.mayHold(m.table, column, of.Texts(field))
		}
		columns := slices.DeleteFunc(
			m.fields.guessColumns(m.table, names),
			func(c renaming) bool { return c.near && !mayHold(c.column, c.field) },
		)
		keys := m.fields.missingKeys(m.table, names, columns)
		columns = slices.DeleteFunc(columns, func(c renaming) bool { return c.field != unknown[0] })
		hint := hintNames(m.table, columns, unknown, keys, mayHold)
		if len(columns) == 0 && of.IsObject(unknown[0]) {
			hint = hintObject(m.table.Noun(), unknown[0])
			return 0, &hinted{err: err, hint: hint, form: "%v; %s"}
		}
		return 0, &hinted{
			err:      err,
			hint:     hint,
			form:     "%v; %s",
			settings: m.fields.naming(columns, unknown, keys),
			guess:    describeGuesses(columns),
		}
	}
	if i, ok := m.byName[s.Name]; ok {
		return i, nil
	}
	return 0, fmt.Errorf("column %q is not among those to load", s.Column.Name)
}

// nested returns the names of Renamed that are members inside of objects. An object that is a
// column is not read inside, unless it is skipped itself.
func (f Fields) nested(t *schema.Table) []string {
	return slices.DeleteFunc(
		slices.Sorted(maps.Keys(f.Renamed)),
		func(name string) bool { return !f.Inside(t, name) },
	)
}

// Inside reports whether a name may be that of a member inside of an object. Then the names before
// each of its dots are no columns that are loaded.
func (f Fields) Inside(t *schema.Table, name string) bool {
	names := strings.Split(name, ".")
	for n := 1; n < len(names); n++ {
		above := strings.Join(names[:n], ".")
		_, renamed := f.Renamed[above]
		_, err := t.Select(above)
		if (err == nil || renamed) && !f.skips(above) {
			return false
		}
	}
	return len(names) > 1
}

// hintObject returns the hint for an object whose name is no column, or no marker, as noun says.
func hintObject(noun, name string) string {
	return fmt.Sprintf(
		"--map %s reads a member inside of the object, --skipcols %s leaves out the others",
		flagList([]string{name + ".MEMBER=" + strings.ToUpper(noun)}),
		flagList([]string{name}),
	)
}
