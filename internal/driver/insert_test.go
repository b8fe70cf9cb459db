package driver

import (
	"testing"

	"github.com/gocql/gocql"
	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/row"
	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
)

func column(t *testing.T, name string, kind schema.Kind, text string) schema.Column {
	t.Helper()
	parsed, err := cqltype.Parse(text, nil)
	require.NoError(t, err)
	return schema.Column{Name: name, Kind: kind, Type: parsed}
}

func set(b ...byte) row.Cell { return row.Cell{State: row.Set, Bytes: b} }

var null, unset = row.Cell{State: row.Null}, row.Cell{}

// bound lists the values that a row is bound with: bytes, nil for null, or "unset".
func bound(s *statements, cells ...row.Cell) (string, []any) {
	return boundRow(s, row.Row{Cells: cells, Timestamp: 0x0102030405060708})
}

func boundRow(s *statements, r row.Row) (string, []any) {
	b := &binder{}
	b.reserve(s, []row.Row{r})
	st := b.bind(s, r)
	values := make([]any, len(b.values))
	for i, v := range b.values {
		if c, ok := v.(*cell); ok {
			values[i] = c.bytes
		} else if v == gocql.UnsetValue {
			values[i] = "unset"
		}
	}
	return st.text, values
}

var stamp = []byte{1, 2, 3, 4, 5, 6, 7, 8}

func TestInsert(t *testing.T) {
	columns := []schema.Column{
		column(t, "v", schema.Regular, "text"),
		column(t, "Key", schema.PartitionKey, "int"),
	}
	s := newStatements(schema.New("ks", "Table", columns), columns)
	text, values := bound(s, unset, set(0, 0, 0, 1))
	require.Equal(t, `INSERT INTO ks."Table" (v, "Key") VALUES (?, ?) USING TIMESTAMP ?`, text)
	require.Equal(t, []any{"unset", []byte{0, 0, 0, 1}, stamp}, values)
	same, values := bound(s, null, row.Cell{State: row.Set})
	require.Equal(t, text, same)
	require.Equal(t, []any{[]byte(nil), []byte{}, stamp}, values, "null and empty stay apart")
}

// A tuple is bound as a whole, like any other value.
func TestInsertTuples(t *testing.T) {
	columns := []schema.Column{
		column(t, "k", schema.PartitionKey, "int"),
		column(t, "a", schema.Regular, "tuple<int, tuple<text, int>>"),
		column(t, "b", schema.Regular, "frozen<tuple<int, int>>"),
	}
	s := newStatements(schema.New("ks", "t", columns), columns)
	whole := []byte{0, 0, 0, 1, 'x', 0, 0, 0, 10, 0, 0, 0, 2, 'a', 'b', 0xff, 0xff, 0xff, 0xff}
	for _, tc := range []struct {
		a, b   row.Cell
		values []any
	}{
		{set(whole...), unset, []any{[]byte{9}, whole, "unset", stamp}},
		{
			set(0xff, 0xff, 0xff, 0xff), null,
			[]any{[]byte{9}, []byte{0xff, 0xff, 0xff, 0xff}, []byte(nil), stamp},
		},
	} {
		text, values := bound(s, set(9), tc.a, tc.b)
		require.Equal(t, "INSERT INTO ks.t (k, a, b) VALUES (?, ?, ?) USING TIMESTAMP ?", text)
		require.Equal(t, tc.values, values)
	}
}

// A row without a row marker is written by UPDATE, whose times come before its values.
func TestUpdateMakesNoRow(t *testing.T) {
	columns := []schema.Column{
		column(
			t,
			"v",
			schema.Regular,
			"text",
		),
		column(t, "k", schema.PartitionKey, "int"),
		column(t, "c", schema.Clustering, "int"),
		column(t, "s", schema.Static, "text"),
		column(t, "w", schema.Regular, "text"),
	}
	s := newStatements(schema.New("ks", "t", columns), columns)
	for ttl, want := range map[int32]string{0: "", 7: " AND TTL ?", row.Forever: " AND TTL ?"} {
		r := row.Row{
			Cells:     []row.Cell{set('v'), set(1), set(2), unset, null},
			Timestamp: 0x0102030405060708,
			TTL:       ttl,
			Update:    true,
		}
		text, values := boundRow(s, r)
		require.Equal(
			t,
			"UPDATE ks.t USING TIMESTAMP ?"+want+" SET v = ?, s = ?, w = ? WHERE k = ? AND c = ?",
			text,
		)
		times := []any{stamp, []byte{0, 0, 0, byte(max(ttl, 0))}}
		require.Equal(
			t,
			append(times[:len(values)-5], []byte{'v'}, "unset", []byte(nil), []byte{1}, []byte{2}),
			values,
		)
	}
}

func TestInsertStaticOnly(t *testing.T) {
	columns := []schema.Column{
		column(t, "k", schema.PartitionKey, "int"), column(t, "c", schema.Clustering, "int"),
		column(t, "s", schema.Static, "text"), column(t, "v", schema.Regular, "text"),
	}
	s := newStatements(schema.New("ks", "t", columns), columns)
	text, values := bound(s, set(1), unset, set('s'), unset)
	require.Equal(t, "INSERT INTO ks.t (k, s) VALUES (?, ?) USING TIMESTAMP ?", text)
	require.Equal(t, []any{[]byte{1}, []byte{'s'}, stamp}, values)
	text, _ = bound(s, set(1), set(2), set('s'), unset)
	require.Equal(t, "INSERT INTO ks.t (k, c, s, v) VALUES (?, ?, ?, ?) USING TIMESTAMP ?", text)
}

func TestUpdateCounters(t *testing.T) {
	columns := []schema.Column{
		column(
			t,
			"k",
			schema.PartitionKey,
			"int",
		),
		column(t, "Hits", schema.Regular, "counter"),
		column(t, "c", schema.Clustering, "int"),
	}
	s := newStatements(schema.New("ks", "t", columns), columns)
	text, values := bound(s, set(1), set(2), set(3))
	require.Equal(t, `UPDATE ks.t SET "Hits" = "Hits" + ? WHERE k = ? AND c = ?`, text)
	require.Equal(t, []any{[]byte{2}, []byte{1}, []byte{3}}, values, "no timestamp")
}

func TestBinderKeepsNothing(t *testing.T) {
	columns := []schema.Column{column(t, "k", schema.PartitionKey, "blob")}
	s := newStatements(schema.New("ks", "t", columns), columns)
	b := &binder{}
	b.reserve(s, nil)
	rows := []row.Row{{Cells: []row.Cell{set(1)}}, {Cells: []row.Cell{set(2)}}}
	b.reserve(s, rows)
	for _, r := range rows {
		b.bind(s, r)
	}
	require.Equal(
		t,
		[]byte{1},
		b.values[0].(*cell).bytes,
		"room is made before anything is pointed at",
	)
	b.release()
	require.Nil(t, b.cells[:cap(b.cells)][0].bytes)
}

func TestIdempotent(t *testing.T) {
	for text, want := range map[string]bool{
		"text": true, "counter": false, "list<int>": false, "frozen<list<int>>": true, "set<int>": true, "map<int, frozen<list<int>>>": true,
	} {
		columns := []schema.Column{
			column(t, "k", schema.PartitionKey, "int"),
			column(t, "v", schema.Regular, text),
		}
		require.Equal(
			t,
			want,
			(&Session{}).Writer(schema.New("ks", "t", columns), columns).Idempotent(),
			text,
		)
	}
}
