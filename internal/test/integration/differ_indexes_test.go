//go:build integration

package integration

import (
	"encoding/csv"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
	"github.com/cqlbulk/cqlbulk/pkg/cqlwire"
)

// differIndex is an index of the table, and of the copy.
type differIndex struct {
	column   schema.Column
	target   string // such as full, or empty
	attached bool   // to SSTables: USING 'sai'
}

// on is the index's target in CQL.
func (x differIndex) on() string {
	if x.target == "" {
		return cqltype.QuoteIdent(x.column.Name)
	}
	return x.target + "(" + cqltype.QuoteIdent(x.column.Name) + ")"
}

// makeIndexes gives some tables indexes, if the servers take them, and their copies the same.
func (d *differ) makeIndexes(t *testing.T) {
	t.Helper()
	if d.counters || d.r.IntN(3) > 0 {
		return
	}
	for range 1 + d.r.IntN(2) {
		x := differIndex{column: d.table.Columns[d.r.IntN(len(d.table.Columns))]}
		x.attached = atLeast(t, 5) && d.r.IntN(2) == 0
		if x.column.Type.Kind == cqltype.Vector {
			continue // of rows by their distance; some values are in no such index
		}
		switch collection := x.column.Type.Kind; {
		case collection != cqltype.List && collection != cqltype.Set && collection != cqltype.Map:
		case x.column.Type.Frozen:
			x.target = "full"
		case collection == cqltype.Map:
			x.target = []string{"keys", "values", "entries"}[d.r.IntN(3)]
		default:
			x.target = "values"
		}
		create := func(name string) string {
			text := fmt.Sprintf("CREATE INDEX ON %s (%s)", name, x.on())
			if x.attached {
				text += " USING 'sai'"
			}
			return text
		}
		if err := execOne(t.Context(), create(d.name)); err != nil {
			continue // the servers have no such one
		}
		exec(t, create(d.name+"_copy"))
		d.indexes = append(d.indexes, x)
		d.ddl += ";\n" + create(d.name)
	}
}

// attached reports whether an index is attached to SSTables.
func (d *differ) attached() bool {
	return slices.ContainsFunc(d.indexes, func(x differIndex) bool { return x.attached })
}

// compareIndexes asks the copy by each index for some values, as the table.
func (d *differ) compareIndexes(t *testing.T, way string) {
	t.Helper()
	for _, x := range d.indexes {
		for _, values := range d.sought(t, x) {
			want, err := d.byIndex(t, x, d.name, values)
			if err != nil {
				// the servers fail where rows have clusterings that are equal, as 1.0 and 1.00
				continue
			}
			got, err := d.byIndex(t, x, d.name+"_copy", values)
			require.NoError(t, err, "%s %x", x.on(), values)
			// What one list alone has, and the servers may miss (TestServersLoseDecimals), is left
			// out.
			both := func(line string) bool {
				return slices.Contains(want, line) && slices.Contains(got, line)
			}
			lost := func(line string) bool { return d.unfindable[line] && !both(line) }
			want, got = slices.DeleteFunc(
				slices.Clone(want),
				lost,
			), slices.DeleteFunc(
				slices.Clone(got),
				lost,
			)
			got = slices.DeleteFunc(got, func(line string) bool {
				return !slices.Contains(want, line) && d.unindexed(t, x, line, values)
			})
			require.ElementsMatch(
				t,
				want,
				got,
				"rows by the index of %s for %x after %s",
				x.on(),
				values,
				way,
			)
		}
	}
}

// unindexed reports whether a row is in the table, and should be in its index. After some deletions
// an index of the servers lacks rows that were written again.
func (d *differ) unindexed(t *testing.T, x differIndex, line string, values [][]byte) bool {
	t.Helper()
	plain := x.target == "" && !x.column.Type.MultiCell()
	return plain && strings.Contains(line, fmt.Sprintf("%s=%#x ", x.column.Name, values[0])) &&
		slices.Contains(rawRows(t, d.keyspace, "differ"), line)
}

// sought are values that rows of the table have, and one by chance.
func (d *differ) sought(t *testing.T, x differIndex) (sought [][][]byte) {
	t.Helper()
	typ := x.column.Type
	place := slices.IndexFunc(d.table.Columns, func(c schema.Column) bool {
		return c.Name == x.column.Name
	})
	types := []*cqltype.Type{typ} // of what a query names
	switch x.target {
	case "keys":
		types = typ.Elems[:1]
	case "values":
		types = typ.Elems[len(typ.Elems)-1:]
	case "entries":
		types = typ.Elems
	}
	var chance [][]byte
	for _, one := range types {
		chance = append(chance, differValue(t, d.r, one, true))
	}
	sought = append(sought, chance)
	eachRow(t, d.table, func(cells [][]byte) {
		cell := slices.Clone(cells[place])
		if len(cell) == 0 || len(sought) > 4 {
			return
		}
		if x.target == "" || x.target == "full" {
			sought = append(sought, [][]byte{cell})
			return
		}
		n, _ := cqlwire.Count(cell)
		if n == 0 {
			return
		}
		first, _, next, _ := cqlwire.ElemAt(cell, 4)
		switch {
		case typ.Kind != cqltype.Map || x.target == "keys":
			sought = append(sought, [][]byte{first})
		default:
			second, _, _, _ := cqlwire.ElemAt(cell, next)
			if x.target == "values" {
				sought = append(sought, [][]byte{second})
			} else {
				sought = append(sought, [][]byte{first, second})
			}
		}
	})
	return sought
}

// byIndex reads rows by an index, once the servers have built it.
func (d *differ) byIndex(
	t *testing.T,
	x differIndex,
	name string,
	values [][]byte,
) (lines []string, err error) {
	t.Helper()
	where := cqltype.QuoteIdent(x.column.Name)
	switch x.target {
	case "", "full":
		where += " = ?"
	case "keys":
		where += " CONTAINS KEY ?"
	case "values":
		where += " CONTAINS ?"
	default:
		where += "[?] = ?"
	}
	var names []string
	for _, c := range d.table.Columns {
		names = append(names, cqltype.QuoteIdent(c.Name))
	}
	w := d.writers[0]
	level := w.conn.level
	w.conn.level = consistencyAll
	defer func() { w.conn.level = level }()
	id := w.prepare(
		t,
		fmt.Sprintf("SELECT %s FROM %s WHERE %s", strings.Join(names, ", "), name, where),
	)
	var rows [][][]byte
	require.Eventually(t, func() bool {
		rows, err = w.conn.query(t, id, values...)
		return err == nil || !strings.Contains(err.Error(), "index")
	}, time.Minute, 200*time.Millisecond, "%s: %v", where, &err)
	for _, cells := range rows {
		line := rawLine(d.table, cells)
		if x.attached && d.isUnfindable(t, cells) {
			d.unfindable[line] = true
		}
		lines = append(lines, line)
	}
	slices.Sort(lines)
	return lines, err
}

// compareRefused loads rows with values that are too long for an index: the same are refused by CQL
// and by streaming.
func (d *differ) compareRefused(t *testing.T) {
	t.Helper()
	for _, x := range d.indexes {
		long := strings.Repeat("7", 70_000)
		switch x.column.Type.Kind {
		case cqltype.Ascii, cqltype.Text:
		case cqltype.Blob:
			long = "0x" + long
		default:
			continue
		}
		if x.column.Kind != schema.Regular {
			continue
		}
		names := []string{x.column.Name}
		for _, c := range d.table.Columns {
			if c.IsKey() {
				names = append(names, c.Name)
			}
		}
		out := ok(t, "scan", d.name, "--columns="+quoted(names)).out
		records, err := csv.NewReader(strings.NewReader(out)).ReadAll()
		require.NoError(t, err)
		var in strings.Builder
		some := 0
		for _, record := range records {
			if slices.Contains(record[1:], "") { // static columns alone
				continue
			}
			if some++; some%2 == 0 { // the first is the header
				record[0] = long
			}
			in.WriteString(quoted(record) + "\n")
		}
		if some < 2 {
			continue
		}
		path := file(t, "long.csv", in.String())
		var left [][]string
		for _, via := range []string{"cql", "stream"} {
			exec(t, "TRUNCATE "+d.name+"_copy")
			run := filepath.Join(t.TempDir(), "run")
			r := cqlbulk(t, "load", d.name+"_copy", path, "--via", via, "--run-dir", run)
			left = append(left, append(rawRows(t, d.keyspace, "differ_copy"), fmt.Sprint(r.code)))
		}
		require.Equal(t, left[0], left[1], "values too long for the index of %s", x.on())
	}
}
