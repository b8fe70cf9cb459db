package fromspec

import (
	"context"
	"fmt"

	"github.com/cqlbulk/cqlbulk/internal/driver"
	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/internal/spec"
	"github.com/cqlbulk/cqlbulk/internal/table"
	"github.com/cqlbulk/cqlbulk/pkg/cqlparse/mutation"
	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
)

// Statement is the statement that a load runs for each row.
type Statement struct {
	parsed     *mutation.Statement
	prepared   *driver.Prepared
	repeatable bool // it may be run twice with the same values
}

// stampMarker is the name of the marker that takes the timestamp of a row.
const stampMarker = "timestamp by cqlbulk"

// PrepareStatement has the cluster prepare the statement of a load. It adds a timestamp to a
// statement that may have one, so that the last row of a key wins. It returns nil if the load
// inserts rows. An error is a mistake in the statement.
func PrepareStatement(ctx context.Context, o *spec.Load, t *table.Table) (*Statement, error) {
	parsed, err := o.Statement()
	if parsed == nil || err != nil {
		return nil, err
	}
	s := &Statement{parsed: parsed, repeatable: parsed.Unrepeatable(kindIn(t.Schema)) == ""}
	text := parsed.Text
	use := driver.StatementUse{
		Counter:     t.Schema.IsCounter(),
		Conditional: parsed.Conditional,
		Repeatable:  s.repeatable,
		Positional:  parsed.Positional,
	}
	if !use.Counter && !parsed.Conditional && !parsed.Timestamp {
		use.Timestamp = stampMarker
		text = parsed.WithTimestamp(":" + cqltype.QuoteIdent(stampMarker))
	}
	err = table.AskAll(ctx, func() (err error) {
		s.prepared, err = t.Session.Prepare(ctx, text, use)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("--query: %w", err)
	}
	return s, nil
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

// Conditional reports whether the statement is a lightweight transaction; nil is none.
func (s *Statement) Conditional() bool { return s != nil && s.parsed.Conditional }

// Kind returns the word that the statement begins with; nil has none.
func (s *Statement) Kind() string {
	if s == nil {
		return ""
	}
	return s.parsed.Kind.String()
}

// alone reports whether each row is a request of its own: it has a condition, or the markers are
// not the whole partition key.
func (s *Statement) alone() bool {
	return s != nil &&
		(s.parsed.Conditional || len(s.prepared.Markers.OfKind(schema.PartitionKey)) == 0)
}
