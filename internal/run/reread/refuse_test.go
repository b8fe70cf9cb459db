package reread

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/run/recorded"
	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/internal/spec"
	"github.com/cqlbulk/cqlbulk/internal/test/tabletest"
)

// changed is a load of a table with an int key and a text that is resumed with another setting.
func changed(name, value string) *Resumed {
	load := spec.NewLoad()
	load.Inputs = []string{"in.csv"}
	return &Resumed{
		Load: load,
		Table: schema.New("ks", "t", []schema.Column{
			tabletest.Column("k", schema.PartitionKey, 0, "int"),
			tabletest.Column("v", schema.Regular, 0, "text"),
		}),
		Changes: []recorded.Change{{Name: name, Now: []string{value}}},
		RunDir:  "r",
	}
}

// A resume is refused if rows are loaded, or may be.
func TestRefuse(t *testing.T) {
	r := changed("null-string", "NA")
	require.NoError(t, r.Refuse(0, 0))
	for _, c := range []struct {
		rows  int64
		begun int
		want  string
	}{
		{1, 0, "alone: 1 row is loaded as read before\n"},
		{0, 2, "alone: rows of 2 pieces that were under way may be loaded as read before\n"},
		{5, 1, "5 rows are loaded as read before, and rows of 1 piece that was under way"},
	} {
		err := r.Refuse(c.rows, c.begun)
		require.ErrorAs(t, err, new(*spec.UsageError))
		require.ErrorContains(t, err, c.want)
		require.ErrorContains(t, err, "--null-string NA would apply")
		require.ErrorContains(t, err, "as before: cqlbulk resume r\n")
		require.ErrorContains(t, err, "otherwise: cqlbulk resume r --null-string NA --keep-loaded")
	}
	r.Changes = nil
	require.NoError(t, r.Refuse(5, 1))
}

// The advice depends on what the setting may change: values alone, nulls, or keys.
func TestRestart(t *testing.T) {
	for _, c := range []struct {
		name, value string
		change      func(r *Resumed)
		want        string
	}{
		{"boolstyle", "y:n", nil, "which replaces rows of the same keys: cqlbulk load"},
		{"null-string", "NA", nil, "and deletes values that are null by now: cqlbulk load"},
		{"map", "a=v", nil, "may leave their keys or columns unwritten, and load from the start"},
		{"decimalsep", ",", nil, "may leave their keys or columns unwritten"},
		{
			"map", "a=v", func(r *Resumed) { r.Load.Timestamp = "7" },
			"delete those that are loaded with USING TIMESTAMP 7, since",
		},
		{
			"boolstyle", "y:n", func(r *Resumed) { r.Load.RejectsOf = "run" },
			"retry from the start, which replaces what this retry wrote: cqlbulk retry run",
		},
		{
			"null-string", "NA", func(r *Resumed) { r.CountsTwice = true },
			"delete those that are loaded, which would count twice",
		},
		{
			"null-string", "NA", func(r *Resumed) { r.Load.IfNotExists = true },
			"delete those that are loaded, which --if-not-exists would keep",
		},
	} {
		r := changed(c.name, c.value)
		if c.change != nil {
			c.change(r)
		}
		require.Contains(t, r.restart("--"+c.name), c.want, c.name)
	}
}
