//go:build integration

package integration

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/driver"
	"github.com/cqlbulk/cqlbulk/internal/fault"
	"github.com/cqlbulk/cqlbulk/internal/row"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// TestErrorClasses makes the server itself refuse requests, because the pipelines depend on the
// class of its answers.
func TestErrorClasses(t *testing.T) {
	lengthy(t)
	t.Parallel()
	table(t, "it2.classes", "(k int PRIMARY KEY, v int)")
	described, err := session.Table(t.Context(), "it2", "classes")
	require.NoError(t, err)
	write := func(s *driver.Session, value ...byte) error {
		cells := []row.Cell{
			{State: row.Set, Bytes: []byte{0, 0, 0, 1}},
			{State: row.Set, Bytes: value},
		}
		return s.Writer(described, described.Columns).
			Write(t.Context(), "", []row.Row{{Cells: cells, Timestamp: 1}})
	}
	require.NoError(t, write(session, 0, 0, 0, 1))
	require.Equal(
		t,
		fault.Permanent,
		fault.ClassOf(write(session, 0, 0, 1)),
		"an int of three bytes",
	)

	more, err := driver.Connect(
		t.Context(),
		driver.Config{
			Hosts:       []string{authHost()},
			User:        "cassandra",
			Password:    "cassandra",
			Consistency: "TWO",
		},
	)
	require.NoError(t, err)
	defer more.Close()
	ctx := t.Context()
	for _, stmt := range []string{
		"CREATE KEYSPACE IF NOT EXISTS it WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}",
		"CREATE TABLE IF NOT EXISTS it.classes (k int PRIMARY KEY, v int)",
		"CREATE ROLE IF NOT EXISTS reader WITH PASSWORD = 'reader' AND LOGIN = true",
		"GRANT SELECT ON KEYSPACE it TO reader",
	} {
		require.NoError(t, more.Exec(ctx, stmt))
	}
	described, err = more.Table(ctx, "it", "classes")
	require.NoError(t, err)
	require.Equal(
		t,
		fault.Transient,
		fault.ClassOf(write(more, 0, 0, 0, 1)),
		"two replicas of one are not there",
	)

	reader, err := driver.Connect(
		ctx,
		driver.Config{Hosts: []string{authHost()}, User: "reader", Password: "reader"},
	)
	require.NoError(t, err)
	defer reader.Close()
	require.Equal(t, fault.Fatal, fault.ClassOf(write(reader, 0, 0, 0, 1)), "a right is missing")

	exec(t, "DROP TABLE it2.classes")
	described.Keyspace, described.Name = "it2", "classes"
	require.Equal(t, fault.Fatal, fault.ClassOf(write(session, 0, 0, 0, 1)), "the table is gone")
	columns, err := more.Table(ctx, "it", "classes")
	require.NoError(t, err)
	_, err = session.Reader(described, allColumns(t, columns), token.Murmur3).
		Page(ctx, "", token.Whole(token.Murmur3), nil, 10)
	require.Equal(t, fault.Fatal, fault.ClassOf(err), "the table is gone: %v", err)
}
