package ingest

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/format"
	"github.com/cqlbulk/cqlbulk/internal/row"
	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
)

// Mapping says which column each field of a record goes to. It is planned once
// for an input and read by all its parsers.
type Mapping struct {
	Columns []schema.Column // in the order of their fields
	names   []string        // of the fields; nil if they are named
	width   int             // fields of a record
	fields  []int           // by column: its field
	times   []timing        // the times of columns among the fields
	plan    format.Plan
	shapes  []shape
	key     []int // the partition key's components, in key order
	cluster []int // the clustering columns
	statics []int
	regular []int
	summed  []int    // all, in the order of the table's columns
	members *members // if fields are named; else nil
	timed   []bool   // by column: a value needs a write time; nil: none does
	needs   []int    // the markers that do not take any value
}

// Fields says what the names of an input's fields mean, and how their texts are read.
type Fields struct {
	Renamed map[string]string // column by field, where the field has another name
	Skipped []string          // fields that are not loaded
	// Unread is a table; nil: there is none. Fields for its columns that are not of the primary
	// key are not loaded, nor those for their times.
	Unread *schema.Table
	// Rejects reports whether the inputs are the files of rejects of an earlier load.
	Rejects bool
	// Codec plans the codec of a column in delimited text; nil: that of cqltext.
	Codec func(schema.Column) (format.Codec, error)
	// Strings plans the codec for the strings of a column in JSON; nil, or a nil codec: as JSON has
	// them. What is no string, and what is inside of one's collections, is always JSON.
	Strings func(schema.Column) (format.Codec, error)
	// Numbers plans the codec for the numbers of a column in JSON; nil, or a nil codec: as JSON has
	// them.
	Numbers func(schema.Column) (format.Codec, error)
	// TimestampUnit is what a timestamp given as a number counts in JSON, as for cqltext.PlanIn; 0:
	// a millisecond.
	TimestampUnit time.Duration
	// Patterned reports whether a column has patterns of dates and times of its own; nil: none has.
	Patterned func(column string) bool
	// Extra drops the fields of a record behind the last one planned, and Missing takes fields that
	// are missing at its end for null. Without them such a record is rejected. They are not for
	// named fields.
	Extra, Missing bool
	Untimed        string // why times of columns, as ttl(c), are refused; empty: they are not
	// Timed rejects a row with a value that has no write time. See [schema.Selector]: key columns,
	// counters and lists that are not frozen have none.
	Timed bool

	format format.Format // of the input; nil: delimited text, and no hints
	nulls  []string      // as Reading.Nulls
	null   row.State     // of a null field
	latin1 bool          // as Reading.Latin1
	ahead  func() []byte // returns the first text of the input, for hints; nil: it is not known
	before int64         // lines of the input that are passed over before that text
}

// MappingError says that an input's fields do not fit the table.
type MappingError struct{ err error }

func (e *MappingError) Error() string { return e.err.Error() }
func (e *MappingError) Unwrap() error { return e.err }

// Parts are what may be done about it, empty where nothing is known, and what is wrong.
func (e *MappingError) Parts() (hint string, wrong error) {
	var h *hinted
	if errors.As(e.err, &h) {
		return h.hint, h.err
	}
	return "", e.err
}

// Settings are settings that do what the hint says; nil where none do.
func (e *MappingError) Settings() Settings {
	return settingsOf(e.err)
}

// Guess is what the settings take for granted; empty: nothing.
func (e *MappingError) Guess() string { return guessOf(e.err) }

func guessOf(err error) string {
	var h *hinted
	if errors.As(err, &h) {
		return h.guess
	}
	return ""
}

func settingsOf(err error) Settings {
	var h *hinted
	if errors.As(err, &h) {
		return h.settings
	}
	return nil
}

// NewMapping plans the fields for columns in the given order. All of the primary key must be among
// them. If the table has static columns and no regular column is among them, the partition key is
// enough.
func NewMapping(t *schema.Table, columns []schema.Column, f Fields) (*Mapping, error) {
	m, err := newMapping(t, columns)
	if err != nil {
		return nil, err
	}
	return m, m.planBy(f)
}

// planBy plans how records become rows.
func (m *Mapping) planBy(f Fields) (err error) {
	o := format.PlanOptions{
		Columns:       m.Columns,
		Required:      m.mustBeSet(),
		Fields:        m.fields,
		Width:         m.width,
		Extra:         f.Extra,
		Missing:       f.Missing,
		Codec:         f.Codec,
		TimestampUnit: f.TimestampUnit,
		Nulls:         f.nulls,
		Null:          f.null,
		Latin1:        f.latin1,
	}
	for _, t := range m.times {
		o.Times = append(o.Times, t.field)
	}
	if m.members != nil {
		o.Names, o.Find, o.Codec = m.members.byName, m.members.column, f.Strings
		o.Numbers, o.Nested = f.Numbers, f.nested(m.members.table)
	}
	form := f.format
	switch {
	case form != nil:
	case m.members != nil:
		form = format.JSON{}
	default:
		form = format.Delimited{}
	}
	m.plan, err = form.Plan(o)
	return err
}

// newMapping finds the parts of a row. All fields are columns, in their order.
func newMapping(t *schema.Table, columns []schema.Column) (*Mapping, error) {
	m := &Mapping{Columns: columns, width: len(columns)}
	at := make(map[string]int, len(columns))
	for i, c := range columns {
		m.fields = append(m.fields, i)
		m.shapes = append(m.shapes, shapeOf(c.Type))
		if c.Needs != schema.AnyValue {
			m.needs = append(m.needs, i)
		}
		switch c.Kind {
		case schema.Static:
			m.statics = append(m.statics, i)
		case schema.Regular:
			m.regular = append(m.regular, i)
		}
		at[c.Name] = i
	}
	for _, c := range t.Columns {
		if i, ok := at[c.Name]; ok {
			m.summed = append(m.summed, i)
		}
	}
	if t.Markers {
		if err := refuseUnfilled(t, at); err != nil {
			return nil, err
		}
	}
	var missing []string
	for _, c := range t.OfKind(schema.PartitionKey) {
		i, ok := at[c.Name]
		if !ok {
			missing = append(missing, fmt.Sprintf("%q", c.Name))
			continue
		}
		m.key = append(m.key, i)
	}
	clustering := t.OfKind(schema.Clustering)
	for _, c := range clustering {
		if i, ok := at[c.Name]; ok {
			m.cluster = append(m.cluster, i)
		} else if len(m.statics) == 0 || len(m.regular) > 0 {
			missing = append(missing, fmt.Sprintf("%q", c.Name))
		}
	}
	if len(missing) > 0 {
		return nil, fmt.Errorf(
			"the input has no field for primary key column %s of %s",
			strings.Join(missing, ", "),
			t,
		)
	}
	if n := len(m.cluster); n != 0 && n != len(clustering) {
		return nil, fmt.Errorf(
			"the input has fields for %d of the %d clustering columns of %s",
			n,
			len(clustering),
			t,
		)
	}
	if t.IsCounter() && len(m.statics)+len(m.regular) == 0 {
		return nil, fmt.Errorf("the input has no field for a counter of %s", t)
	}
	if t.IsCounter() && len(m.statics) > 0 && len(m.cluster) > 0 {
		return nil, fmt.Errorf(
			"static counter %q would be added once for each row of its partition: load it by itself, without the clustering columns",
			columns[m.statics[0]].Name,
		)
	}
	return m, nil
}

// refuseUnfilled refuses columns that lack a marker of a statement.
func refuseUnfilled(t *schema.Table, columns map[string]int) error {
	var missing []string
	for _, c := range t.Columns {
		if _, ok := columns[c.Name]; !ok {
			missing = append(missing, ":"+c.Name)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	return fmt.Errorf(
		"the input has no field for %s of the statement",
		strings.Join(missing, ", "),
	)
}

// refuseRepeatedLists refuses a static list beside rows that all have one write time. Each row of a
// partition has the list, and a list keeps the elements of every write with that time.
func (m *Mapping) refuseRepeatedLists(timestamp *int64) error {
	if timestamp == nil || len(m.cluster) == 0 {
		return nil
	}
	for _, i := range m.statics {
		if c := m.Columns[i]; c.Type.Kind == cqltype.List && c.Type.MultiCell() {
			return fmt.Errorf(
				"static list %q would get its elements once for each row of its partition, since --timestamp gives all rows one write time: "+
					"load it by itself, without the clustering columns, or without --timestamp",
				c.Name,
			)
		}
	}
	return nil
}

// refuseHidden refuses a column whose values the servers would hide. It was dropped and added again
// after the write time that all rows have. If the values have write times of their own, each row is
// checked.
func (m *Mapping) refuseHidden(timestamp *int64, dropped map[string]int64) error {
	own := make(map[int]bool)
	for i := range m.times {
		if t := &m.times[i]; !t.ttl {
			t.hidden, own[t.column] = dropped[m.Columns[t.column].Name], true
		}
	}
	if timestamp == nil {
		return nil
	}
	for i, c := range m.Columns {
		if at, was := dropped[c.Name]; was && !own[i] && *timestamp <= at {
			return fmt.Errorf(
				"column %q was dropped at %s and added again: the servers hide values "+
					"that were written before, and --timestamp is earlier; "+
					"omit the column with --skipcols, or give a later --timestamp",
				c.Name,
				momentText(at),
			)
		}
	}
	return nil
}

// momentText returns microseconds since the epoch as a time in UTC.
func momentText(micros int64) string {
	return time.UnixMicro(micros).UTC().Format(time.RFC3339Nano)
}

// MapHeader plans the fields from a header line without structural errors.
func MapHeader(t *schema.Table, header format.Header, f Fields) (*Mapping, error) {
	names := header.Names
	for i, name := range names {
		if name == "" {
			return nil, hintHeader(fmt.Errorf("header: field %d has no name", i+1), t, header, f)
		}
	}
	named, err := resolve(t, names, f)
	if err != nil {
		return nil, hintHeader(fmt.Errorf("header: %w", err), t, header, f)
	}
	return named.mapping(t, f)
}

// MapNames plans the fields from their names, in order.
func MapNames(t *schema.Table, names []string, f Fields) (*Mapping, error) {
	named, err := resolve(t, names, f)
	if err != nil {
		return nil, err
	}
	return named.mapping(t, f)
}

// named is what the names of fields stand for.
type named struct {
	wanted []schema.Column
	names  []string
	fields []int // by column: its field
	times  []schema.Selector
	at     []int // by time: its field
}

func resolve(t *schema.Table, names []string, f Fields) (named, error) {
	n := named{names: names}
	if err := f.check(names); err != nil {
		return n, err
	}
	seen := make(map[string]bool, len(names)) // columns
	for i, name := range names {
		if f.skips(name) {
			continue
		}
		if column, ok := f.Renamed[name]; ok {
			name = column
		}
		s, err := t.Select(name)
		if err != nil {
			return n, err
		}
		if !s.Plain && f.Untimed != "" {
			return n, fmt.Errorf(
				"field %q: %s: skip the field",
				s.Name,
				f.Untimed,
			)
		}
		if !s.Plain {
			if slices.ContainsFunc(
				n.times,
				func(o schema.Selector) bool { return o.Name == s.Name },
			) {
				return n, fmt.Errorf("%q of %s is named twice", s.Name, t)
			}
			n.times, n.at = append(n.times, s), append(n.at, i)
			continue
		}
		if seen[s.Name] {
			return n, fmt.Errorf("column %q of %s is named twice", s.Name, t)
		}
		seen[s.Name] = true
		n.wanted, n.fields = append(n.wanted, s.Column), append(n.fields, i)
	}
	return n, nil
}

// skips says whether a field is not loaded.
func (f Fields) skips(name string) bool {
	if slices.Contains(f.Skipped, name) {
		return true
	}
	if column, ok := f.Renamed[name]; ok {
		name = column
	}
	if f.Unread == nil {
		return false
	}
	s, err := f.Unread.Select(name)
	return err == nil && !s.Column.IsKey()
}

func (n named) mapping(t *schema.Table, f Fields) (*Mapping, error) {
	m, err := newMapping(t, n.wanted)
	if err != nil {
		return nil, err
	}
	m.names, m.width, m.fields = n.names, len(n.names), n.fields
	m.needTimes(t, f)
	for i, s := range n.times {
		column := slices.IndexFunc(
			n.wanted,
			func(c schema.Column) bool { return c.Name == s.Column.Name },
		)
		if column < 0 {
			return nil, fmt.Errorf(
				"field %q: column %q itself is not among the fields",
				s.Name,
				s.Column.Name,
			)
		}
		m.times = append(m.times, timing{name: s.Name, field: n.at[i], column: column, ttl: s.TTL})
	}
	if err := m.refuseUntimed(); err != nil {
		return nil, err
	}
	return m, m.planBy(f)
}

// check refuses words about fields that are not there: most likely they are
// misspelt, and what they were to prevent would happen.
func (f Fields) check(names []string) error {
	for _, field := range append(slices.Sorted(maps.Keys(f.Renamed)), f.Skipped...) {
		if !slices.Contains(names, field) {
			return fmt.Errorf("there is no field %q%s", field, schema.DidYouMean(field, names))
		}
	}
	return nil
}
