package load

import (
	"errors"
	"fmt"
	"strings"

	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/pkg/cqltext"
	"github.com/cqlbulk/cqlbulk/pkg/dsv"
)

// Mapping says which column each field of a record goes to. It is planned once
// for an input and read by all its parsers.
type Mapping struct {
	Columns []schema.Column // in the order of the fields
	codecs  []cqltext.Codec
	text    []bool // column holds text, whose empty value must be told from null
	shapes  []shape
	key     []int // fields of the partition key's components, in key order
	cluster []int // fields of the clustering columns
	statics []int // fields of the static columns
	regular []int // fields of the regular columns
}

// MappingError says that an input's fields do not fit the table.
type MappingError struct{ err error }

func (e *MappingError) Error() string { return e.err.Error() }
func (e *MappingError) Unwrap() error { return e.err }

// NewMapping plans the fields for columns in the given order. All of the primary
// key must be among them; of a table with static columns the partition key may do
// where no regular column is among them.
func NewMapping(t *schema.Table, columns []schema.Column) (*Mapping, error) {
	m := &Mapping{Columns: columns}
	at := make(map[string]int, len(columns))
	for i, c := range columns {
		codec, err := cqltext.Plan(c.Type)
		if err != nil {
			return nil, fmt.Errorf("column %q: %w", c.Name, err)
		}
		m.codecs = append(m.codecs, codec)
		m.text = append(m.text, cqltext.TextLike(c.Type))
		m.shapes = append(m.shapes, shapeOf(c.Type))
		switch c.Kind {
		case schema.Static:
			m.statics = append(m.statics, i)
		case schema.Regular:
			m.regular = append(m.regular, i)
		}
		at[c.Name] = i
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
		return nil, fmt.Errorf("the input has no field for primary key column %s of %s", strings.Join(missing, ", "), t)
	}
	if n := len(m.cluster); n != 0 && n != len(clustering) {
		return nil, fmt.Errorf("the input has fields for %d of the %d clustering columns of %s", n, len(clustering), t)
	}
	if t.IsCounter() && len(m.statics)+len(m.regular) == 0 {
		return nil, fmt.Errorf("the input has no field for a counter of %s", t)
	}
	return m, nil
}

// MapHeader plans the fields from a header line without structural errors.
func MapHeader(t *schema.Table, header dsv.Record) (*Mapping, error) {
	names := make([]string, len(header.Fields))
	for i, f := range header.Fields {
		names[i] = string(f.Text)
		if names[i] == "" {
			return nil, fmt.Errorf("header: field %d has no name", i+1)
		}
	}
	columns, err := t.ResolveAll(names)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("header: %w", err), hintNoHeader(t, names))
	}
	return NewMapping(t, columns)
}

// hintNoHeader guesses that a header none of whose names is a column is data.
func hintNoHeader(t *schema.Table, names []string) error {
	for _, n := range names {
		if _, err := t.Resolve(n); err == nil {
			return nil
		}
	}
	return errors.New("no field of the first line is a column: if the input has no header line, say --header=false")
}
