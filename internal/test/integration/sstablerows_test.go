//go:build integration

package integration

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/row"
	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
	"github.com/cqlbulk/cqlbulk/pkg/sstable"
	"github.com/cqlbulk/cqlbulk/pkg/sstable/component"
)

// sstableTable is a table for package sstable.
func sstableTable(t *schema.Table) *sstable.Table {
	columns := func(kind schema.Kind) (list []sstable.Column) {
		for _, c := range t.OfKind(kind) {
			list = append(list, sstable.Column{Name: c.Name, Type: c.Type, Desc: c.Desc})
		}
		return list
	}
	return &sstable.Table{
		Key: columns(schema.PartitionKey), Clustering: columns(schema.Clustering),
		Statics: columns(schema.Static), Regulars: columns(schema.Regular),
	}
}

// storedRows are the rows of a table by key and clustering, each of those that its files have of
// it.
type storedRows struct {
	codec *sstable.Codec
	rows  map[string]*sstable.Merger
}

func newStoredRows(t *testing.T, table *schema.Table) *storedRows {
	s, err := sstable.Plan(sstableTable(table))
	require.NoError(t, err)
	c, err := sstable.NewCodec(s, component.NB, sstable.Minima{})
	require.NoError(t, err)
	return &storedRows{codec: c, rows: make(map[string]*sstable.Merger)}
}

// add merges a row with what there is of it.
func (s *storedRows) add(t *testing.T, key []byte, r *sstable.Row) {
	t.Helper()
	encoded, err := s.codec.AppendRow(nil, r)
	require.NoError(t, err)
	place := fmt.Sprintf("%x %x", key, r.Clustering)
	if s.rows[place] == nil {
		s.rows[place] = sstable.NewMerger(s.codec.Schema())
		s.rows[place].Reset(sstable.Deletion{})
	}
	require.NoError(t, s.rows[place].AddEncoded(s.codec, encoded))
}

// lines returns all of the rows that does not depend on the server's clock.
func (s *storedRows) lines() map[string]string {
	lines := make(map[string]string)
	for place, m := range s.rows {
		r := m.Row()
		var b strings.Builder
		fmt.Fprintf(
			&b,
			"%v %v %d ttl %d",
			r.Static,
			r.Liveness.Set,
			r.Liveness.Timestamp,
			r.Liveness.TTL,
		)
		table := s.codec.Schema().Table()
		columns := table.Regulars
		if r.Static {
			columns = table.Statics
		}
		for _, d := range r.Deletions {
			fmt.Fprintf(&b, "\n%s deleted %d", columns[d.Column].Name, d.Timestamp)
		}
		for _, c := range r.Cells {
			path := hex.EncodeToString(c.Path)
			if columns[c.Column].Type.Kind == cqltype.List {
				path = "an element"
			}
			fmt.Fprintf(
				&b,
				"\n%s [%s] %d %d ttl %d %x",
				columns[c.Column].Name,
				path,
				c.Kind,
				c.Timestamp,
				c.TTL,
				c.Value,
			)
		}
		lines[place] = b.String()
	}
	return lines
}

// readStored reads what the nodes have of a table on their disks, not compressed.
func readStored(t *testing.T, table *schema.Table, into *storedRows) {
	t.Helper()
	nodes, err := filepath.Glob(clusterFolder() + "/node*")
	require.NoError(t, err)
	files := 0
	for _, dir := range nodes {
		server{dir}.flush(t, table.Keyspace, table.Name)
		data, err := filepath.Glob(
			fmt.Sprintf("%s/data/data/%s/%s-*/nb-*-big-Data.db", dir, table.Keyspace, table.Name),
		)
		require.NoError(t, err)
		for _, path := range data {
			content, err := os.ReadFile(strings.TrimSuffix(path, "Data.db") + "Statistics.db")
			require.NoError(t, err)
			statistics, err := component.ParseStatistics(content, component.NB)
			require.NoError(t, err)
			header, minima, err := sstable.DecodeHeader(statistics.Header)
			require.NoError(t, err)
			require.Len(
				t,
				header.Regulars,
				len(into.codec.Schema().Table().Regulars),
				"all columns have values",
			)
			s, err := sstable.Plan(header)
			require.NoError(t, err)
			c, err := sstable.NewCodec(s, component.NB, minima)
			require.NoError(t, err)
			content, err = os.ReadFile(path)
			require.NoError(t, err)
			files++
			d := sstable.NewDecoder(c, bytes.NewReader(content), sstable.MaxRowBytes)
			for {
				item, err := d.Next()
				if errors.Is(err, io.EOF) {
					break
				}
				require.NoError(t, err)
				require.NotEqual(t, sstable.RangeMarker, item)
				require.False(t, d.Deletion().Set)
				if item == sstable.RegularRow || item == sstable.StaticRow && !d.Row().Empty() {
					into.add(t, d.Key(), d.Row())
				}
			}
		}
	}
	require.NotZero(t, files)
}

// Statements of all kinds leave on the servers' disks the rows that package sstable makes of them.
func TestRowsOfInsertsAreTheServersOwn(t *testing.T) {
	lengthy(t)
	t.Parallel()
	exec(t, "CREATE TYPE IF NOT EXISTS it1.stored_pair (a int, b frozen<set<tinyint>>)")
	table(t, "it1.stored_rows", `(k frozen<set<tinyint>>, c frozen<set<tinyint>>, d decimal,
		s1 int static, s2 map<text, int> static, v1 int, v2 text, v3 frozen<map<decimal, text>>,
		v4 tuple<int, frozen<set<tinyint>>>, m1 list<frozen<set<tinyint>>>, m2 set<decimal>,
		m3 map<uuid, frozen<set<tinyint>>>, m4 stored_pair, m5 list<int>,
		PRIMARY KEY (k, c, d)) WITH CLUSTERING ORDER BY (c DESC, d ASC)
		AND compression = {'enabled': false} AND compaction = {'class': 'SizeTieredCompactionStrategy', 'enabled': false}`)
	described, err := session.Table(t.Context(), "it1", "stored_rows")
	require.NoError(t, err)
	want, have := newStoredRows(t, described), newStoredRows(t, described)
	in, err := sstable.NewInserter(want.codec, described.Names(), sstable.InsertOptions{})
	require.NoError(t, err)

	const statements = 600
	r := rand.New(rand.NewPCG(5, 6))
	var keys, clusterings [][]row.Cell
	for range 5 {
		keys = append(
			keys,
			[]row.Cell{{State: row.Set, Bytes: randomValue(t, r, described.Columns[0].Type)}},
		)
	}
	for range 6 {
		clusterings = append(clusterings, []row.Cell{
			{
				State: row.Set,
				Bytes: randomValue(t, r, described.Columns[1].Type),
			},
			{State: row.Set, Bytes: randomValue(t, r, described.Columns[2].Type)},
		})
	}
	w := session.Writer(described, described.Columns)
	for _, at := range r.Perm(statements) {
		next := row.Row{Timestamp: int64(1_700_000_000_000_000 + at), TTL: row.Forever}
		if r.IntN(3) == 0 {
			next.TTL = 1_000_000
		}
		next.Cells = slices.Concat(keys[r.IntN(len(keys))], clusterings[r.IntN(len(clusterings))])
		for _, c := range described.Columns[3:] {
			cell := row.Cell{State: row.State(r.IntN(3))}
			if cell.State == row.Set {
				cell.Bytes = randomValue(t, r, c.Type)
			}
			next.Cells = append(next.Cells, cell)
		}
		if r.IntN(5) == 0 { // the static columns alone
			next.Cells[3] = row.Cell{State: row.Null}
			for i, c := range described.Columns {
				if c.Kind == schema.Clustering || c.Kind == schema.Regular {
					next.Cells[i] = row.Cell{}
				}
			}
		}
		require.NoError(t, w.Write(t.Context(), "", []row.Row{next}))

		st := sstable.Insert{Timestamp: next.Timestamp, TTL: max(next.TTL, 0), Now: 1_700_000_000}
		for _, c := range next.Cells {
			st.Values = append(
				st.Values,
				sstable.Value{Bytes: c.Bytes, State: sstable.State(c.State)},
			)
		}
		key, err := in.AppendKey(nil, st.Values)
		require.NoError(t, err)
		static, regular, err := in.Insert(st)
		require.NoError(t, err)
		for _, made := range []*sstable.Row{static, regular} {
			if made != nil {
				want.add(t, key, made)
			}
		}
	}
	readStored(t, described, have)
	wantLines, haveLines := want.lines(), have.lines()
	require.Equal(t, slices.Sorted(maps.Keys(wantLines)), slices.Sorted(maps.Keys(haveLines)))
	require.Greater(t, len(wantLines), 30)
	for place, line := range wantLines {
		require.Equal(t, line, haveLines[place], place)
	}
}
