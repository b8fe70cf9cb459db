package spec

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/cqlbulk/cqlbulk/internal/doctor"
	"github.com/cqlbulk/cqlbulk/pkg/cqlparse/mutation"
	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
)

// Statement parses the statement that the load runs for each row. It returns nil if rows are
// inserted.
func (o *Load) Statement() (*mutation.Statement, error) {
	if o.Query == "" {
		return nil, nil //nolint:nilnil // most loads have none
	}
	s, err := mutation.Parse(o.Query)
	if err != nil {
		return nil, fmt.Errorf("--query: %w", err)
	}
	if s.Keyspace == "" {
		return nil, fmt.Errorf(
			"--query: the %s names no keyspace: write its table as keyspace.%s, or say --keyspace",
			s.Kind,
			s.Table,
		)
	}
	return s, nil
}

// UseKeyspace names a keyspace in a statement that names none. If it is empty, or there is no
// statement that can be parsed, nothing happens.
func (o *Load) UseKeyspace(keyspace string) {
	s, err := mutation.Parse(o.Query)
	if err == nil && s.Keyspace == "" {
		o.Query = inKeyspace(o.Query, s.TableAt, keyspace)
	}
}

// inKeyspace writes a keyspace, unless it is empty, before the name of a table.
func inKeyspace(text string, at int, keyspace string) string {
	if keyspace == "" {
		return text
	}
	return text[:at] + cqltype.QuoteIdent(keyspace) + "." + text[at:]
}

// checkWriteTime refuses a write time of the statement that is hardly meant. It is not for a load
// that was begun: its statement stays as it is.
func (o *Load) checkWriteTime() error {
	s, err := o.Statement()
	if err != nil || s == nil {
		return err
	}
	if n, err := strconv.ParseInt(s.Stamp, 10, 64); err == nil {
		if unit, at := doctor.StampUnit(n); unit != "" {
			return fmt.Errorf(
				"--query: USING TIMESTAMP %d: it looks like %s, and write times are microseconds: write %d",
				n,
				unit,
				at.UnixMicro(),
			)
		}
	}
	return nil
}

// checkQuery refuses settings that mean nothing for a statement.
func (o *Load) checkQuery() error {
	s, err := o.Statement()
	switch {
	case s == nil || err != nil:
		return err
	case o.Via != ViaCQL:
		return fmt.Errorf("--query: --via %s runs no statements", o.Via)
	case o.IfNotExists:
		return errors.New("--if-not-exists and --query: write the condition in the statement")
	case o.TTL > 0:
		return errors.New("--ttl and --query: write USING TTL in the statement")
	case o.ColumnOrder != "":
		return errors.New("--column-order and --query: name the markers with --columns")
	case o.Timestamp == "":
		return nil
	case s.Conditional:
		return errors.New(
			"--timestamp and --query: a lightweight transaction has a timestamp of the cluster's",
		)
	case s.Timestamp:
		return errors.New("--timestamp and --query: the statement has a timestamp of its own")
	}
	return nil
}
