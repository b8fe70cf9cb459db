package verify

import (
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/manifest"
	"github.com/cqlbulk/cqlbulk/pkg/rowsum"
)

func TestShards(t *testing.T) {
	root := t.TempDir()
	high := scanned(0, 4)
	high.Checksum.Value = rowsum.Sum{Hi: math.MaxUint64, Lo: math.MaxUint64}.String()
	put(t, root, "s3", shard(scanned(20, 2, 2), "3/3"))
	put(t, root, "s1", shard(high, "1/3"))
	put(t, root, "s2", shard(scanned(3, 1), "2/3"))
	whole := scanned(22, 9)
	whole.Seed, whole.PlanHash = 8, "aa"
	put(t, root, "whole", whole)

	r := check(t, root, "s3", "s1", "s2")
	require.Empty(t, r.Findings)
	require.Equal(t, Alone, r.Verdict)
	require.Len(t, r.Sets, 1)
	set := r.Sets[0]
	require.Equal(t, "shards of demo.flights", set.Name)
	require.Equal(t, int64(9), set.Rows)
	require.Equal(t, rowsum.Sum{Lo: 22}, set.Sum, "modulo 2^128")
	require.True(t, set.Summed)
	require.Equal(t, []int{3, 3, 4}, []int{set.Given, set.Shards, r.Files})

	// One set of them, where the first stands, compared with the whole.
	r = check(t, root, "s3", "whole", "s1", "s2")
	require.Empty(t, r.Findings)
	require.Equal(t, Same, r.Verdict)
	require.Equal(t, "the same rows", r.Verdict.String())
	require.Equal(t, "shards of demo.flights", r.Sets[0].Name)
	require.Equal(t, "whole/manifest.json", r.Sets[1].Name)

	// Some are missing.
	r = check(t, root, "s2")
	require.Equal(
		t,
		[]string{"shard 1/3 of demo.flights is missing", "shard 3/3 of demo.flights is missing"},
		r.Findings,
	)
	require.Equal(t, 1, r.Sets[0].Given)
	r = check(t, root, "whole", "s2", "s1")
	require.Equal(t, []string{
		"shard 3/3 of demo.flights is missing",
		"whole/manifest.json and shards of demo.flights cannot be compared: shards are missing",
	}, r.Findings)
	require.Equal(t, Unknown, r.Verdict)
	require.Equal(t, "not compared", r.Verdict.String())

	// Fault is found with one of them.
	require.NoError(t, os.Remove(filepath.Join(root, "s3", "part-0002-0001.csv")))
	r = check(t, root, "s1", "s2", "s3", "whole")
	require.Equal(t, []string{"s3/part-0002-0001.csv: file is missing"}, r.Findings)
	require.Equal(t, Unknown, r.Verdict, "equal numbers, but not of what is there")
}

func TestShardsThatDoNotBelongTogether(t *testing.T) {
	const tail = "; its rows were not added"
	for _, tc := range []struct {
		name   string
		damage func(m *manifest.Manifest)
		want   string // instead of the whole line, what comes after the first words
	}{
		{"table", func(m *manifest.Manifest) { m.Table = "trains" }, "table demo.trains instead of demo.flights"},
		{"keyspace", func(m *manifest.Manifest) { m.Keyspace = "x" }, "table x.flights instead of demo.flights"},
		{"cluster", func(m *manifest.Manifest) { m.Cluster = "d" }, "cluster d instead of c"},
		{"partitioner", func(m *manifest.Manifest) { m.Partitioner = "q" }, "partitioner q instead of p"},
		{"seed", func(m *manifest.Manifest) { m.Seed = 8 }, "seed 8 instead of 7"},
		{"plan", func(m *manifest.Manifest) { m.PlanHash = "01" }, "plan 01 instead of 00ff"},
		{"no checksum", func(m *manifest.Manifest) { m.Checksum = nil }, "checksum none instead of cqlbulk-rowsum-1"},
		{"number of shards", func(m *manifest.Manifest) { m.Shard = "2/4" }, "number of shards 4 instead of 2"},
		{"column's name", func(m *manifest.Manifest) { m.Columns[1].Name = "other" }, "other columns"},
		{"column's type", func(m *manifest.Manifest) { m.Columns[1].Type = "blob" }, "other columns"},
		{"order", func(m *manifest.Manifest) { m.Columns[0], m.Columns[1] = m.Columns[1], m.Columns[0] }, "other columns"},
		{"condition", func(m *manifest.Manifest) { m.Options["where"] = "id > 2" }, "--where id > 2 instead of none"},
		{"token", func(m *manifest.Manifest) { m.Options["begintoken"] = "5" }, "--begintoken 5 instead of none"},
		{"many", func(m *manifest.Manifest) { m.Seed, m.Table = 0, "" }, "table demo. instead of demo.flights; seed 0 instead of 7"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			root := t.TempDir()
			put(t, root, "a", shard(scanned(1, 1), "1/2"))
			odd := copied(t, shard(scanned(2, 2), "2/2"))
			tc.damage(&odd)
			put(t, root, "b", odd)
			r := check(t, root, "a", "b")
			require.Equal(t, []string{
				"b/manifest.json: not of the same scan as a/manifest.json: " + tc.want + tail,
				"shard 2/2 of demo.flights is missing",
			}, r.Findings)
			require.Equal(t, int64(1), r.Sets[0].Rows)
			require.Equal(t, rowsum.Sum{Lo: 1}, r.Sets[0].Sum)
		})
	}
}

func TestShardsOddOnes(t *testing.T) {
	root := t.TempDir()
	put(t, root, "a", shard(scanned(1, 1), "1/2"))
	put(t, root, "b", shard(scanned(2, 2), "2/2"))
	put(t, root, "again", shard(scanned(2, 2), "2/2"))
	r := check(t, root, "a", "b", "again")
	require.Equal(
		t,
		[]string{
			"again/manifest.json: shard 2/2 was given already, with b/manifest.json; its rows were not added",
		},
		r.Findings,
	)
	require.Equal(t, int64(3), r.Sets[0].Rows)
	require.Equal(t, rowsum.Sum{Lo: 3}, r.Sets[0].Sum)

	// A number of shards that no list should be made of.
	put(t, root, "many", shard(scanned(1, 1), "21/2000000000"))
	r = check(t, root, "many")
	require.Len(t, r.Findings, mostMissing+1)
	require.Equal(t, "shard 1/2000000000 of demo.flights is missing", r.Findings[0])
	require.Equal(
		t,
		"1,999,999,979 more shards of demo.flights are missing",
		r.Findings[mostMissing],
	)

	// Every host read the whole of it.
	for k, name := range []string{"1/2", "2/2"} {
		m := shard(scanned(1, 1), name)
		m.PlanHash = ""
		put(t, root, string(rune('x'+k)), m)
	}
	r = check(t, root, "x", "y")
	require.Equal(t, []string{
		"x/manifest.json: the table was read as one token range, which shards cannot share",
		"y/manifest.json: the table was read as one token range, which shards cannot share",
	}, r.Findings)

	// More rows than can be counted.
	put(t, root, "p", shard(scanned(1, math.MaxInt64), "1/2"))
	put(t, root, "q", shard(scanned(1, math.MaxInt64), "2/2"))
	r = check(t, root, "p", "q")
	require.Equal(
		t,
		[]string{"q/manifest.json: 9,223,372,036,854,775,807 rows cannot be added"},
		r.Findings,
	)
}

func TestCompare(t *testing.T) {
	const same, zeros = "the same rows", "00000000000000000000000000000000"
	for _, tc := range []struct {
		name    string
		change  func(m *manifest.Manifest)
		verdict string
		finding string
	}{
		{"equal", func(*manifest.Manifest) {}, same, ""},
		{"another cluster, seed, plan, table and order", func(m *manifest.Manifest) {
			m.Cluster, m.Seed, m.PlanHash, m.Keyspace, m.Table = "d", 1, "ab", "k", "t"
			m.Columns[0], m.Columns[1] = m.Columns[1], m.Columns[0]
		}, same, ""},
		{"the number of rows", func(m *manifest.Manifest) { m.Rows, m.Files[0].Rows = 8, 8 }, "different rows",
			"different rows: 7 with checksum " + zeros + " in a/manifest.json, 8 with checksum " + zeros + " in b/manifest.json"},
		{"the checksum", func(m *manifest.Manifest) { m.Checksum.Value = zeros[:31] + "F" }, "different rows",
			"different rows: 7 with checksum " + zeros + " in a/manifest.json, 7 with checksum " + zeros[:31] + "f in b/manifest.json"},
		{"no checksum", func(m *manifest.Manifest) { m.Checksum = nil }, "not compared",
			"a/manifest.json and b/manifest.json cannot be compared: a checksum is missing"},
		{"no checksum, and other rows", func(m *manifest.Manifest) { m.Checksum, m.Rows, m.Files[0].Rows = nil, 8, 8 }, "different rows",
			"different rows: 7 with checksum " + zeros + " in a/manifest.json, 8 without a checksum in b/manifest.json"},
		{"a type", func(m *manifest.Manifest) { m.Columns[1].Type = "blob" }, "not compared",
			"a/manifest.json and b/manifest.json cannot be compared: their columns are not the same"},
		{"a column more", func(m *manifest.Manifest) {
			m.Columns = append(m.Columns, manifest.Column{Name: "x", Kind: "regular", Type: "int"})
		}, "not compared", "a/manifest.json and b/manifest.json cannot be compared: their columns are not the same"},
		{"ranges lost", func(m *manifest.Manifest) { m.Ranges.Done = 1 }, "not compared",
			"b/manifest.json: only 1 of 3 token ranges was read"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			root := t.TempDir()
			put(t, root, "a", scanned(0, 7))
			other := copied(t, scanned(0, 7))
			tc.change(&other)
			put(t, root, "b", other)
			r := check(t, root, "a", "b")
			require.Equal(t, tc.verdict, r.Verdict.String())
			if tc.finding == "" {
				require.Empty(t, r.Findings)
			} else {
				require.Equal(t, []string{tc.finding}, r.Findings)
			}
		})
	}
}

// Of more than two, all are compared with the first, and the worst counts.
func TestCompareMany(t *testing.T) {
	root := t.TempDir()
	put(t, root, "a", scanned(1, 7))
	put(t, root, "b", scanned(1, 7))
	put(t, root, "c", scanned(1, 3, 4))
	put(t, root, "d", scanned(2, 7))
	odd := scanned(1, 7)
	odd.Columns = odd.Columns[:1]
	put(t, root, "e", odd)
	r := check(t, root, "a", "b", "c")
	require.Empty(t, r.Findings)
	require.Equal(t, Same, r.Verdict)
	require.Len(t, r.Sets, 3)
	require.Equal(t, Different, check(t, root, "a", "d", "b").Verdict)
	require.Equal(t, Unknown, check(t, root, "a", "e", "b").Verdict)
	for _, names := range [][]string{{"a", "e", "d", "b"}, {"a", "d", "e", "b"}} {
		r = check(t, root, names...)
		require.Equal(t, Different, r.Verdict)
		require.Len(t, r.Findings, 2)
	}
}
