package driver

import "context"

// Exec runs one CQL statement that gives no rows, such as the making of a table.
// It is here for tools and tests: no command of cqlbulk changes a schema.
func (s *Session) Exec(ctx context.Context, stmt string, values ...any) error {
	return classify(ctx, s.s.Query(stmt, values...).WithContext(ctx).Exec())
}
