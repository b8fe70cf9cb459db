package table

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/cqlbulk/cqlbulk/internal/driver"
	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/pkg/cqlparse/mutation"
	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
)

// Statement is a statement that a load runs for each row of its inputs. It is safe for concurrent
// use. A nil Statement is that of a load that inserts rows.
type Statement struct {
	session    *driver.Session
	parsed     *mutation.Statement
	prepared   *driver.Prepared
	repeatable bool
	spans      bool // one run may change several partitions
}

// stampMarker is the name of the marker that takes the timestamp of a row.
const stampMarker = "timestamp by cqlbulk"

// Prepare has the cluster prepare a statement that changes the table; nil stays nil. It adds a
// timestamp to a statement that may have one, so that the last row of a key wins. An error is a
// mistake in the statement.
func (t *Table) Prepare(ctx context.Context, parsed *mutation.Statement) (*Statement, error) {
	if parsed == nil {
		return nil, nil //nolint:nilnil // nil is a Statement
	}
	s := &Statement{
		session:    t.Session,
		parsed:     parsed,
		repeatable: parsed.Unrepeatable(kindIn(t.Schema)) == "",
	}
	if s.spans = spansPartitions(t.Schema, parsed); s.spans && !s.repeatable {
		return nil, errors.New(
			"IN on the partition key, in a statement that must not run twice: " +
				"servers may apply it to some of the keys alone; write one key, and a row for each",
		)
	}
	text := parsed.Text
	use := driver.StatementUse{
		Counter:     t.Schema.IsCounter(),
		Conditional: parsed.Conditional,
		Repeatable:  s.repeatable,
		Positional:  parsed.Positional,
		Appends:     appendsOf(parsed),
		Needs:       needsOf(parsed),
	}
	needed := ""
	if parsed.Timestamp {
		needed = "USING TIMESTAMP"
	}
	timed, err := t.TakesTimes(ctx, needed)
	if err != nil {
		return nil, err
	}
	if timed && !use.Counter && !parsed.Conditional && !parsed.Timestamp {
		use.Timestamp = stampMarker
		text = parsed.WithTimestamp(":" + cqltype.QuoteIdent(stampMarker))
	}
	err = AskAll(ctx, func() (err error) {
		s.prepared, err = t.Session.Prepare(ctx, text, use)
		return err
	})
	if err != nil {
		return nil, err
	}
	return s, nil
}

// needsOf returns what the markers of a statement need, by name.
func needsOf(parsed *mutation.Statement) map[string]schema.Need {
	needs := make(map[string]schema.Need)
	for _, m := range parsed.Markers {
		need := schema.AnyValue
		switch {
		case m.Part:
			need = schema.SetValue
		case m.Where:
			need = schema.NotNull
		}
		needs[m.Name] = max(needs[m.Name], need)
	}
	return needs
}

// appendsOf returns the markers that have no other places than those of values that are appended.
// null would delete in another place.
func appendsOf(parsed *mutation.Statement) map[string]bool {
	places, appended := make(map[string]int), make(map[string]int)
	for _, m := range parsed.Markers {
		places[m.Name]++
	}
	for _, name := range parsed.Appended {
		appended[name]++
	}
	only := make(map[string]bool)
	for name, n := range appended {
		only[name] = n == places[name]
	}
	return only
}

// DeleteByKey returns the statement that deletes rows by the start of their primary key, with a
// marker of each column's name. See [schema.Table.KeyStart] for the columns.
func (t *Table) DeleteByKey(columns []string) (*mutation.Statement, error) {
	key, err := t.Schema.KeyStart(columns)
	if err != nil {
		return nil, err
	}
	var where []string
	for _, c := range key {
		name := cqltype.QuoteIdent(c.Name)
		where = append(where, name+" = :"+name)
	}
	return mutation.Parse(
		fmt.Sprintf("DELETE FROM %s WHERE %s", t.Schema, strings.Join(where, " AND ")),
	)
}

// spansPartitions reports whether a condition IN of a statement is on the partition key.
func spansPartitions(t *schema.Table, s *mutation.Statement) bool {
	return slices.ContainsFunc(s.In, func(name string) bool {
		c, ok := t.Column(name)
		return ok && c.Kind == schema.PartitionKey
	})
}

// kindIn returns what the columns of a table mean for a statement that is run twice.
func kindIn(t *schema.Table) func(string) mutation.ColumnKind {
	return func(name string) mutation.ColumnKind {
		c, ok := t.Column(name)
		switch {
		case ok && c.Type.Kind == cqltype.Counter:
			return mutation.Counter
		case ok && c.Type.Kind == cqltype.List && c.Type.MultiCell():
			return mutation.List
		default:
			return mutation.Other
		}
	}
}

// Markers is the table that the markers of the statement stand for.
func (s *Statement) Markers() *schema.Table { return s.prepared.Markers }

// Writer makes a writer that runs the statement, for rows of the given markers.
func (s *Statement) Writer(markers []schema.Column) *driver.Writer {
	return s.session.Statement(s.prepared, markers)
}

// Repeatable reports whether the statement may be run twice with the same values.
func (s *Statement) Repeatable() bool { return s.repeatable }

// Conditional reports whether the statement is a lightweight transaction.
func (s *Statement) Conditional() bool { return s != nil && s.parsed.Conditional }

// WriteTime returns the marker that is the write time of a row; empty: none is.
func (s *Statement) WriteTime() string {
	if s == nil {
		return ""
	}
	if s.parsed.Stamp == "?" {
		return "[timestamp]" // as servers call it
	}
	name, isMarker := strings.CutPrefix(s.parsed.Stamp, ":")
	if !isMarker {
		return ""
	}
	return name
}

// DeletesByIndex returns a list that loses elements by their index; empty: there is none.
func (t *Table) DeletesByIndex(parsed *mutation.Statement) string {
	if parsed == nil {
		return ""
	}
	return parsed.DeletesByIndex(kindIn(t.Schema))
}

// Kind returns the word that the statement begins with; empty for nil.
func (s *Statement) Kind() string {
	if s == nil {
		return ""
	}
	return s.parsed.Kind.String()
}

// Alone reports whether each row is a request of its own: it has a condition, or the markers are
// not the whole partition key.
func (s *Statement) Alone() bool {
	if s == nil {
		return false
	}
	key := s.prepared.Markers.OfKind(schema.PartitionKey)
	return s.parsed.Conditional || s.spans || len(key) == 0
}
