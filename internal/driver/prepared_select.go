package driver

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/gocql/gocql"

	"github.com/cqlbulk/cqlbulk/internal/fault"
	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
)

// Selected is a column that a SELECT returns.
type Selected struct {
	Name string // its alias, or as the servers call it
	Type *cqltype.Type
}

// PrepareSelect has the servers prepare the statement of a reader, and returns the columns of its
// rows. It reads no row. If the statement has a fault, the error has what the server says, and
// class Permanent.
func (s *Session) PrepareSelect(ctx context.Context, r *Reader) ([]Selected, error) {
	info, err := s.prepare(ctx, r.stmt)
	if err != nil {
		return nil, err
	}
	var columns []Selected
	for _, c := range info.Rval {
		t, err := typeOf(c.TypeInfo)
		if err != nil {
			return nil, err
		}
		columns = append(columns, Selected{c.Name, t})
	}
	return columns, nil
}

// prepares are the first words of statements that the library prepares.
var prepares = []string{"select", "insert", "update", "delete"}

var errFirstWord = errors.New("write a blank after the first word of the statement")

// errPrepared ends a request when its statement is prepared.
var errPrepared = errors.New("prepared")

// prepare has the servers prepare a statement, and returns what they say about it.
func (s *Session) prepare(ctx context.Context, text string) (info gocql.QueryInfo, err error) {
	// The library runs any other statement as it is.
	if first, _, _ := strings.Cut(text, " "); !slices.Contains(prepares, strings.ToLower(first)) {
		return info, fault.New(fault.Permanent, errFirstWord)
	}
	q := s.s.Bind(text, func(i *gocql.QueryInfo) ([]any, error) {
		info = *i
		return nil, errPrepared
	})
	err = q.WithContext(ctx).Iter().Close()
	switch {
	case errors.Is(err, errPrepared):
		return info, nil
	case err == nil:
		err = errors.New("the statement was not prepared")
	}
	return info, classify(ctx, err)
}

// Aggregates returns the names of the aggregates that users have made, in any keyspace.
func (s *Session) Aggregates(ctx context.Context) (names []string, err error) {
	var name string
	err = s.each(
		ctx,
		"",
		func() error {
			names = append(names, name)
			return nil
		},
		[]any{&name},
		"SELECT aggregate_name FROM system_schema.aggregates",
	)
	return names, err
}
