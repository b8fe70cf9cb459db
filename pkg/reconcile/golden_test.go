package reconcile

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/pkg/cqltext"
	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
	"github.com/cqlbulk/cqlbulk/pkg/sstable"
	"github.com/cqlbulk/cqlbulk/pkg/sstable/component"
)

// golden reads a file of pkg/sstable/testdata/golden, which Cassandra wrote from golden.cql there,
// and names its key columns. The columns of the partition key are before the semicolon.
func golden(t testing.TB, name, key string) (*Table, file) {
	t.Helper()
	folder := filepath.Join("../sstable/testdata/golden", name)
	v := component.NB
	if strings.HasPrefix(name, "oa/") {
		v = component.OA
	}
	stats, err := os.ReadFile(filepath.Join(folder, "Statistics.db"))
	require.NoError(t, err)
	statistics, err := component.ParseStatistics(stats, v)
	require.NoError(t, err)
	columns, minima, err := sstable.DecodeHeader(statistics.Header)
	require.NoError(t, err)
	stored, err := sstable.Plan(columns)
	require.NoError(t, err)
	codec, err := sstable.NewCodec(stored, v, minima)
	require.NoError(t, err)
	data, err := os.ReadFile(filepath.Join(folder, "Data.db"))
	require.NoError(t, err)

	named := *stored.Table()
	named.Key, named.Clustering = slices.Clone(named.Key), slices.Clone(named.Clustering)
	keys, clusterings, _ := strings.Cut(key, ";")
	for i, name := range strings.Fields(keys) {
		named.Key[i].Name = name
	}
	for i, name := range strings.Fields(clusterings) {
		named.Clustering[i].Name = name
	}
	schema, err := sstable.Plan(&named)
	require.NoError(t, err)
	return &Table{Schema: schema}, file{codec: codec, data: data}
}

// selectedText are the rows that a list of columns selects, writetime(c) among them, as text: null
// is "-".
func selectedText(t testing.TB, table *Table, list string, now int64, files ...file) []string {
	t.Helper()
	types := table.Schema.Table()
	var selection []Selector
	var codecs []cqltext.Codec
	for _, name := range strings.Fields(list) {
		sel := Selector{}
		if inner, ok := strings.CutPrefix(name, "writetime("); ok {
			sel.What, name = WriteTime, strings.TrimSuffix(inner, ")")
		}
		found := false
		kinds := [][]sstable.Column{types.Key, types.Clustering, types.Statics, types.Regulars}
		for kind, columns := range kinds {
			i := slices.IndexFunc(columns, func(c sstable.Column) bool { return c.Name == name })
			if i < 0 {
				continue
			}
			found = true
			sel.Kind, sel.Index, sel.Name = Kind(kind), i, name
			typ := columns[i].Type
			if sel.What == WriteTime {
				typ = &cqltype.Type{Kind: cqltype.Bigint}
			}
			codec, err := cqltext.Plan(typ)
			require.NoError(t, err)
			codecs = append(codecs, codec)
		}
		require.True(t, found, name)
		selection = append(selection, sel)
	}
	rows, err := NewRows(mergerOf(t, table, files...), selection, now)
	require.NoError(t, err)
	var out []string
	for rows.Next() == nil {
		var line [][]byte
		for i, wire := range rows.Cells() {
			if wire == nil {
				line = append(line, []byte("-"))
				continue
			}
			text, err := codecs[i].AppendText(nil, wire)
			require.NoError(t, err)
			line = append(line, text)
		}
		out = append(out, string(bytes.Join(line, []byte(" | "))))
	}
	return out
}

// beforeAny is before anything of the golden files expires, and afterAll behind that.
const (
	beforeAny = second
	afterAll  = 1 << 40
)

// TestGoldenFilesAsSelected has what SELECT gives of the statements in golden.cql, and of two
// copies of a file the same.
func TestGoldenFilesAsSelected(t *testing.T) {
	for _, c := range []struct {
		name, key, list string
		now             int64
		want            []string
	}{
		{"deletions", "k;a b", "k a b v", beforeAny, []string{"5 | 1 | a | 1", "1 | 5 | a | 1", "1 | 9 |  | 1", "3 | 1 | later | 1"}},
		{"deletions", "k;a b", "k writetime(v)", afterAll, []string{"5 | 1700000000000020", "1 | 1700000000000100", "1 | 1700000000000100"}},
		{"elements", "k;", "k l s m u o ll v", beforeAny, []string{
			"5 | [7] | {00000000-0000-4000-8000-000000000001} | - | - | - | - | -",
			"1 | - | {123e4567-e89b-12d3-a456-426655440000, 00000000-0000-4000-8000-000000000000} |" +
				" {'': [1], 'a': [], 'ttl': [1, 2, 3]} | {a: 1, b: null} | {\"Field\": [1], t: (1, null), u: {a: 1, b: null}} |" +
				" [{'a', 'b'}, {}] | 1",
			"2 | [1] | {00000000-0000-4000-8000-000000000000} | {'x': [1]} | {a: null, b: ''} | - | - | -",
			"4 | [0, 5, 6] | - | - | - | - | - | -",
			"3 | - | - | - | - | - | - | -",
		}},
		{"elements", "k;", "k m", afterAll, []string{"5 | -", "1 | {'': [1], 'a': []}", "4 | -", "3 | -"}},
		{"statics", "k;c", "k c s_int s_text s_list v", beforeAny, []string{
			"1 | - | 1 | alone | - | -", "2 | 2 | - | - | - | 2", "2 | 1 | - | - | - | 1", "4 | - | - | - | [1, 2, 3] | -", "3 | 1 | - | - | - | 1",
		}},
		{"statics", "k;c", "v c", afterAll, []string{"- | -", "2 | 2", "1 | 1", "1 | 1"}},
		{"empties", "k;a b c", "k a b c v", beforeAny, []string{
			"k | a | 0x | 1 | a", "k | a | 0x00 | 0x | b", "k |  | 0x | 0x | all", "k |  | 0x | 1 | ",
		}},
		{"nulls", "k;a b c", "k a b c v", beforeAny, []string{"1 | a | - | - | 1", "1 | a |  | - | 2", "1 | a | b | c | 3"}},
		{"counters", "k;c", "k c n m", beforeAny, []string{"1 | 1 | 5 | -", "1 | 2 | -7 | 1"}},
		{"types", "k k2;c_text c_int c_desc", "k k2 c_text c_int c_desc v_int v_text v_udt v_list", beforeAny, []string{
			"2 |  | x | 1 | 50554d6e-29bb-11e5-b345-feff819cdc9f | - | no liveness | - | -",
			"1 | a |  | 0x | 0x | 0x | - | - | -",
			"1 | a |  | -5 | 60554d6e-29bb-11e5-b345-feff819cdc9f | - | - | - | -",
			"1 | a | x | 1 | 50554d6e-29bb-11e5-b345-feff819cdc9f | 7 | é | {a: 1, b: 'b'} | [3, 1, 2]",
			"1 | a | x | 2 | 60554d6e-29bb-11e5-b345-feff819cdc9f | - |  | - | -",
			"1 | a | x | 2 | 50554d6e-29bb-11e5-b345-feff819cdc9f | - | - | {a: null, b: 'only'} | -",
		}},
		// The value that has expired has taken the place of an older one, which does not come back.
		{"types", "k k2;c_text c_int c_desc", "c_int v_int writetime(v_bigint)", afterAll, []string{
			"1 | - | -", "0x | 0x | -", "-5 | - | -", "1 | - | 1700000000000000", "2 | - | -",
		}},
	} {
		for _, name := range []string{c.name, "oa/" + c.name} {
			table, f := golden(t, name, c.key)
			require.Equal(t, c.want, selectedText(t, table, c.list, c.now, f), name)
			require.Equal(t, c.want, selectedText(t, table, c.list, c.now, f, f), name)
		}
	}
}

// TestGoldenFilesAreGivenAsTheyAre: what Cassandra wrote has nothing to be left out in it, so that
// the merger gives the items of the file.
func TestGoldenFilesAreGivenAsTheyAre(t *testing.T) {
	for _, name := range []string{
		"clusterings", "columns", "counters", "deletions", "elements", "empties", "nulls", "statics", "types", "wide",
	} {
		for _, name := range []string{name, "oa/" + name} {
			table, f := golden(t, name, "")
			requireWellFormed(t, mergerOf(t, table, f))
			require.Equal(t, texts(t, f.input().Source), texts(t, mergerOf(t, table, f)), name)
		}
	}
}
