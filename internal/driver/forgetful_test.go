package driver

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/fault"
	"github.com/cqlbulk/cqlbulk/internal/row"
	"github.com/cqlbulk/cqlbulk/internal/test/simcluster"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// If a node never knows a statement, however often it is prepared, requests end, and may be sent to
// another node. Versions of Cassandra with CASSANDRA-15252 may behave so.
func TestForgetfulNode(t *testing.T) {
	c, s := simulate(t, simcluster.Options{})
	_, table := target(t, s)
	c.Inject(simcluster.Rule{Fault: simcluster.Unprepared})
	reader := s.Reader(
		table,
		Query{Select: []string{"k", "v"}},
		token.Murmur3,
	)
	w := s.Writer(table, table.Columns)
	one := row.Row{Cells: []row.Cell{{State: row.Set, Bytes: make([]byte, 8)}, {}}}
	_, err := reader.Page(t.Context(), c.HostID(1), token.Range{}, nil, 10)
	require.Equal(t, fault.Transient, fault.ClassOf(err), "%v", err)
	require.Equal(
		t,
		fault.Transient,
		fault.ClassOf(w.Write(t.Context(), c.HostID(1), []row.Row{one})),
	)
	require.Equal(
		t,
		fault.Transient,
		fault.ClassOf(w.Write(t.Context(), c.HostID(1), []row.Row{one, one})),
	)
	require.Empty(t, c.Applied())
}

// Events of any kind, known or not, do not change a session.
func TestDamagedEvents(t *testing.T) {
	a := newAttacked(t)
	a.open(t)
	for _, e := range events(t) {
		a.tamper.push(e)
	}
	// The library gathers events for a second, and then reads what they announce.
	time.Sleep(1500 * time.Millisecond)
	require.Eventually(t, func() bool {
		_, err := a.s.Ping(t.Context(), "")
		return err == nil
	}, patience, 10*time.Millisecond)
}
