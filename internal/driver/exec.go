package driver

import "context"

// unprepared has the library send a statement as it is. It prepares those whose first word it
// knows, and a comment is no such word.
const unprepared = "/**/"

// Exec runs one CQL statement that returns no rows, such as CREATE TABLE. It is for tools and
// tests: no command of cqlbulk changes a schema. A statement without values is not prepared. Each
// has a text of its own, and many of them would push others out of the nodes' caches.
func (s *Session) Exec(ctx context.Context, stmt string, values ...any) error {
	if len(values) == 0 {
		stmt = unprepared + stmt
	}
	return classify(ctx, s.s.Query(stmt, values...).WithContext(ctx).Exec())
}
