package driver

import "context"

// Exec runs one CQL statement that returns no rows, such as CREATE TABLE. It is for tools and
// tests: no command of cqlbulk changes a schema.
func (s *Session) Exec(ctx context.Context, stmt string, values ...any) error {
	return classify(ctx, s.s.Query(stmt, values...).WithContext(ctx).Exec())
}
