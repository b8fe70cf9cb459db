//go:build integration

package integration

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/pkg/sstable"
	"github.com/cqlbulk/cqlbulk/pkg/sstable/component"
	"github.com/cqlbulk/cqlbulk/pkg/sstable/tablefile"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// poison are values in their raw form that no server takes, by column. Of most a server that has
// them reads a partition no more, nor compacts it.
var poison = []struct{ column, typ, wire string }{
	{"a", "smallint", ""},
	{"b", "tinyint", ""},
	{"c", "date", ""},
	{"d", "time", ""},
	{"e", "decimal", "1f"},
	{"e", "decimal", "000000"},
	{"f", "timeuuid", "8f3b1c2e5a4d4e6f9a7b1c2d3e4f5a6b"},
	{"g", "duration", "020100"},
	{"g", "duration", "0000ff"},
	{"h", "set<smallint>", "00000001 00000000"},
	{"i", "set<timeuuid>", "00000001 00000010 8f3b1c2e5a4d4e6f9a7b1c2d3e4f5a6b"},
	{"j", "set<decimal>", "00000001 00000001 1f"},
	{"k", "frozen<list<int>>", "ffffffff"},
	{"l", "list<decimal>", "80000000"},
	{"m", "map<date, text>", "00000001 00000000 00000001 61"},
	{
		"n",
		"frozen<map<int, frozen<list<tinyint>>>>",
		"00000001 00000004 00000001 00000008 00000001 00000000",
	},
	{"o", "frozen<tuple<int, smallint>>", "ffffffff 00000000"},
	{"o", "frozen<tuple<int, smallint>>", "ffffffff 00000002 0001 00000000"},
	{"p", "list<int>", "00000001 ffffffff"},
	{"p", "list<int>", "00000001 00000000"},
	{"q", "list<text>", "00000001 00000002 c080"},
	{"r1", "decimal", "00000000"},
	{"r2", "smallint", ""},
	{"r3", "timeuuid", "8f3b1c2e5a4d4e6f9a7b1c2d3e4f5a6b"},
	{"r4", "frozen<list<int>>", "00000001 ffffffff"},
}

// What a server refuses through CQL is rejected whatever the input is and whatever loads it, row by
// row.
func TestPoisonIsRejected(t *testing.T) {
	t.Parallel()
	var names, body, keys []string
	good := map[string]string{}
	for _, p := range poison {
		if _, twice := good[p.column]; twice {
			continue
		}
		names, body = append(names, p.column), append(body, p.column+" "+p.typ)
		good[p.column] = ""
		if p.column[0] == 'r' {
			keys = append(keys, p.column)
			good[p.column] = map[string]string{
				"decimal": "1.5", "smallint": "7", "timeuuid": "8f3b1c2e-5a4d-11ee-9a7b-1c2d3e4f5a6b", "frozen<list<int>>": "[1]",
			}[p.typ]
		}
	}
	inputs := map[string]*strings.Builder{"csv": {}, "tsv": {}, "json": {}}
	row := func(id int, column, raw string) {
		delimited := []string{fmt.Sprint(id)}
		object := []string{fmt.Sprintf(`"id":%d`, id)}
		for _, name := range names {
			value := good[name]
			if name == column {
				value = raw
			}
			delimited = append(delimited, value)
			if value != "" {
				object = append(object, fmt.Sprintf(`%q:%q`, name, value))
			}
		}
		fmt.Fprintln(inputs["csv"], strings.Join(delimited, ","))
		fmt.Fprintln(inputs["tsv"], strings.Join(delimited, "\t"))
		fmt.Fprintf(
			inputs["json"],
			"{%s}\n",
			strings.ReplaceAll(strings.Join(object, ","), `"[1]"`, "[1]"),
		)
	}
	fmt.Fprintln(inputs["csv"], "id,"+strings.Join(names, ","))
	fmt.Fprintln(inputs["tsv"], "id\t"+strings.Join(names, "\t"))
	for i, p := range poison {
		row(2*i, "", "")
		row(2*i+1, p.column, "0x"+strings.ReplaceAll(p.wire, " ", ""))
	}
	table(
		t,
		"it1.poison",
		"(id int, "+strings.Join(body, ", ")+", PRIMARY KEY (id, "+strings.Join(keys, ", ")+"))",
	)
	for _, via := range []string{"cql", "stream", "sstables"} {
		// All formats and dialects pass one place before rows go any way.
		formats := either([]string{"csv"}, []string{"csv", "tsv", "json", "cqlsh"})
		if via == "stream" {
			formats = []string{"csv", "tsv", "json", "cqlsh"}
		}
		for _, format := range formats {
			ending, args := format, []string{"--via", via}
			if format == "cqlsh" {
				ending, args = "csv", append(args, "--dialect", "cqlsh")
			}
			if via == "sstables" {
				args = append(args, "-d", filepath.Join(t.TempDir(), "out"))
			}
			dir := filepath.Join(t.TempDir(), "run")
			in := file(t, "poison."+ending, inputs[ending].String())
			exec(t, "TRUNCATE it1.poison")
			r := cqlbulk(
				t,
				append([]string{"load", "it1.poison", in, "--run-dir", dir}, args...)...)
			require.Equal(t, 2, r.code, "%s %s: %s", via, format, r.report)
			rejected := rejections(t, dir)
			require.Len(t, rejected, len(poison), "%s %s", via, format)
			for i, one := range rejected {
				require.Equal(t, poison[i].column, one.Name, "%s %s", via, format)
			}
			if via != "sstables" {
				require.Len(t, rawRows(t, "it1", "poison"), len(poison), "%s %s", via, format)
			}
		}
	}
}

// A clone does not copy a value that no server should have: it names it, and the range is not
// cloned. No server takes such a value through CQL, so the SSTable is made here.
func TestCloneReportsPoison(t *testing.T) {
	t.Parallel()
	const body = "(id int, c smallint, v int, PRIMARY KEY (id, c))"
	table(t, "it1.poisoned", body)
	table(t, "it1.unharmed", body)
	described, err := session.Table(t.Context(), "it1", "poisoned")
	require.NoError(t, err)
	plan, err := sstable.Plan(sstableTable(described))
	require.NoError(t, err)
	codec, err := sstable.NewCodec(plan, component.NB, sstable.Minima{})
	require.NoError(t, err)
	folder := filepath.Join(t.TempDir(), "poisoned-"+strings.ReplaceAll(described.ID, "-", ""))
	require.NoError(t, os.Mkdir(folder, 0o700))
	w, err := tablefile.Create(
		&tablefile.FolderOutput{Path: folder},
		codec,
		tablefile.Options{ID: "1", Keys: 40, FilterChance: 0.1, IndexInterval: 128},
	)
	require.NoError(t, err)
	keys := make([][]byte, 40)
	for i := range keys {
		keys[i] = []byte{0, 0, 0, byte(i)}
	}
	slices.SortFunc(
		keys,
		func(a, b []byte) int { return token.Murmur3.Hash(a).Compare(token.Murmur3.Hash(b)) },
	)
	for _, key := range keys {
		row := &sstable.Row{
			Clustering: [][]byte{{0, 1}},
			Liveness:   sstable.Liveness{Set: true, Timestamp: 1},
		}
		if key[3] == 17 {
			row.Clustering[0] = []byte{}
		}
		encoded, err := codec.AppendRow(nil, row)
		require.NoError(t, err)
		require.NoError(t, w.Begin(key, sstable.Deletion{}))
		require.NoError(t, w.Row(encoded))
		require.NoError(t, w.End())
	}
	_, err = w.Commit()
	require.NoError(t, err)
	require.NoError(t, w.Abort())
	r := cqlbulk(t, "clone", "it1.unharmed", "--from-table", "it1.poisoned", folder)
	require.Equal(t, 2, r.code, r.report)
	require.Contains(
		t,
		r.report,
		`it1.unharmed: partition 0x00000011: column "c": malformed smallint value: 0 bytes, where 2 bytes are due`,
	)
	cloned := len(rawRows(t, "it1", "unharmed"))
	require.Less(t, cloned, 40)
	require.Positive(t, cloned)
}
