package fromspec

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/ingest/dialect"
	"github.com/cqlbulk/cqlbulk/internal/load"
	"github.com/cqlbulk/cqlbulk/internal/plan"
	"github.com/cqlbulk/cqlbulk/internal/progress"
	"github.com/cqlbulk/cqlbulk/internal/row"
	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/internal/source"
	"github.com/cqlbulk/cqlbulk/internal/spec"
	"github.com/cqlbulk/cqlbulk/internal/table"
	"github.com/cqlbulk/cqlbulk/internal/test/tabletest"
	"github.com/cqlbulk/cqlbulk/internal/write/cql"
	"github.com/cqlbulk/cqlbulk/pkg/sstable/component"
)

// parallel is the number of requests that the plan of a test's table has.
const parallel = 6 * plan.DefaultSmudge

// ofTable returns a load into a table of a cluster of one node, which is not connected to.
func ofTable(t *testing.T, s *schema.Table) *Load {
	t.Helper()
	c := table.OneNode(component.Murmur3Partitioner)
	replication := map[string]string{"class": "SimpleStrategy", "replication_factor": "1"}
	p, err := plan.Make(c, replication, plan.Options{Parallel: parallel})
	require.NoError(t, err)
	return &Load{
		Spec:     spec.NewLoad(),
		Table:    &table.Table{Schema: s, Cluster: c, Plan: p},
		Counters: &progress.Counters{},
		Shown:    func(w cql.Writer) cql.Writer { return w },
	}
}

// job makes the job of a load of inputs.
func job(t *testing.T, l *Load, inputs ...source.Input) (*load.Job, error) {
	t.Helper()
	text, err := l.Spec.ChooseFormat("in.csv")
	require.NoError(t, err)
	reading, err := dialect.Reading(l.Spec, &text)
	require.NoError(t, err)
	return l.Job(t.Context(), text, reading, inputs)
}

func TestJob(t *testing.T) {
	for _, c := range []struct {
		name string
		set  func(*Load)
		want func(*testing.T, *load.Job)
	}{
		{"defaults", func(*Load) {}, func(t *testing.T, j *load.Job) {
			require.Zero(t, j.MaxRows, "no limit")
			require.Equal(t, row.Unset, j.Null)
			require.Nil(t, j.Timestamp)
			require.Equal(t, 16<<20, j.Limits.MaxMutationBytes)
			require.Equal(t, 96, j.CQL.InFlight, "16 for each of 6 cores")
			require.Equal(
				t,
				cql.Limits{MaxRows: 100, Partitions: 10, Bytes: 5 << 10, PartitionBytes: 64 << 10},
				j.CQL.Limits,
			)
		}},
		{
			"memory",
			func(l *Load) { l.Spec.Memory = 64 << 20 },
			func(t *testing.T, j *load.Job) {
				require.EqualValues(t, 32<<20, j.Memory, "half, for chunks and their rows")
				require.Equal(t, 16<<20, j.MaxRecord)
			},
		},
		{
			"rows",
			func(l *Load) { l.Spec.SkipRows, l.Spec.MaxRows = 3, 7 },
			func(t *testing.T, j *load.Job) {
				require.EqualValues(t, 3, j.SkipRows)
				require.EqualValues(t, 7, j.MaxRows)
			},
		},
		{
			"nulls",
			func(l *Load) { l.Spec.NullState = spec.NullTombstone },
			func(t *testing.T, j *load.Job) {
				require.Equal(t, row.Null, j.Null)
			},
		},
		{
			"timestamp",
			func(l *Load) { l.Spec.Timestamp = "1970-01-01T00:00:01Z" },
			func(t *testing.T, j *load.Job) {
				require.EqualValues(t, 1_000_000, *j.Timestamp)
			},
		},
		{
			"in flight",
			func(l *Load) { l.Spec.InFlight = 5 },
			func(t *testing.T, j *load.Job) {
				require.Equal(t, 5, j.CQL.InFlight)
			},
		},
		{
			"a condition for each row",
			func(l *Load) { l.Spec.IfNotExists = true },
			func(t *testing.T, j *load.Job) {
				require.Equal(t, 1, j.CQL.Limits.MaxRows)
			},
		},
		{
			"an order of columns",
			func(l *Load) { l.Spec.ColumnOrder = "table" },
			func(t *testing.T, j *load.Job) {
				require.Equal(t, []string{"k", "n", "v"}, j.Columns)
			},
		},
		{"members of objects", func(l *Load) {
			l.Spec.Format, l.Spec.Columns = "json", []string{"n"}
		}, func(t *testing.T, j *load.Job) {
			require.True(t, j.Format.Named(), "their names are not checked before they are read")
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := ofTable(t, tabletest.Names)
			c.set(l)
			j, err := job(t, l)
			require.NoError(t, err)
			require.Equal(t, j.MaxRows, l.Counters.Limit.Load())
			c.want(t, j)
		})
	}
}

func TestJobRefusesMistakes(t *testing.T) {
	for _, c := range []struct {
		name string
		set  func(*Load)
		want string // empty: the load is not refused
	}{
		{
			"a column that the table does not have",
			func(l *Load) { l.Spec.Columns = []string{"id", "m"} },
			"--columns: ",
		},
		{
			"a list of columns without the key",
			func(l *Load) { l.Spec.Columns = []string{"n"} },
			"--columns: ",
		},
		{
			"no time",
			func(l *Load) { l.Table.Schema, l.Spec.Timestamp = tabletest.Names, "noon" },
			`--timestamp "noon"`,
		},
		{"counters that expire", func(l *Load) { l.Spec.TTL = 60 }, "--ttl: demo.hits has counters"},
		{"deleted counters", deletedCounters, "--nulls tombstone: demo.hits has counters"},
		{"as the run before it", func(l *Load) { deletedCounters(l); l.Resumed = true }, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := ofTable(t, tabletest.Hits)
			c.set(l)
			j, err := job(t, l)
			if c.want == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, c.want)
			require.Nil(t, j)
		})
	}
}

func deletedCounters(l *Load) {
	l.Spec.NullState, l.Spec.Given["nulls"] = spec.NullTombstone, true
}

// The sizes of all inputs make the total, which is not known if one size is not. Only the standard
// input brings its own reader.
func TestInputs(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"a.csv": "k\nx\n", "b.csv": "k\n"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	files := []string{filepath.Join(dir, "a.csv"), filepath.Join(dir, "b.csv")}
	for _, c := range []struct {
		names []string
		total int64
		opens []bool
	}{
		{files, 6, []bool{false, false}},
		{append(files, "-"), 0, []bool{false, false, true}},
		{append([]string{"-"}, files...), 0, []bool{true, false, false}},
	} {
		inputs, _, err := source.Find(c.names, strings.NewReader("k\n"))
		require.NoError(t, err)
		l := ofTable(t, tabletest.Names)
		j, err := job(t, l, inputs...)
		require.NoError(t, err)
		require.Equal(t, c.total, l.Counters.Total.Load())
		for i, in := range j.Inputs {
			require.Equal(t, inputs[i].Name, in.Name)
			require.Equal(t, c.opens[i], in.Open != nil)
			require.Equal(t, !c.opens[i], in.Plain)
			require.Empty(t, in.Stamps)
			require.Zero(t, in.Repeats)
		}
	}
}

// What a load writes is shown. A dry run shows the same, and sends nothing: there is no session.
func TestWriterOfADryRun(t *testing.T) {
	l := ofTable(t, tabletest.Hits)
	l.Spec.DryRun = true
	shown := 0
	l.Shown = func(w cql.Writer) cql.Writer { shown++; return w }
	j, err := job(t, l)
	require.NoError(t, err)
	w := j.CQL.NewWriter(tabletest.Hits.Columns)
	require.Equal(t, 1, shown)
	require.NoError(t, w.Write(t.Context(), "anywhere", []row.Row{{}}))
	require.True(t, w.Idempotent(), "nothing is written twice")

	l.Spec.DryRun = false
	require.False(t, j.CQL.NewWriter(tabletest.Hits.Columns).Idempotent())
	require.Equal(t, 2, shown)
}

// Rows that count twice if they are written twice are read in smaller pieces. Lists can be written
// with a later timestamp, and counters cannot. Rows of a narrow table are written with all columns.
func TestByCQL(t *testing.T) {
	wide := []schema.Column{tabletest.Column("k", schema.PartitionKey, 0, "int")}
	for i := range mostWide {
		wide = append(wide, tabletest.Column(fmt.Sprint("c", i), schema.Regular, 0, "int"))
	}
	for _, c := range []struct {
		name        string
		table       *schema.Table
		ifNotExists bool
		countsTwice bool
		steps       bool
		all         bool // rows have all columns
	}{
		{"plain", tabletest.Names, false, false, false, true},
		{"a condition", tabletest.Names, true, false, false, false},
		{"lists", tabletest.Events, false, true, true, false},
		{"counters", tabletest.Hits, false, true, false, false},
		{"many columns", schema.New("ks", "t", wide), false, false, false, false},
		{"not too many", schema.New("ks", "t", wide[:mostWide]), false, false, false, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := ofTable(t, c.table)
			l.Spec.IfNotExists = c.ifNotExists
			j, err := job(t, l)
			require.NoError(t, err)
			require.Equal(t, c.countsTwice, l.ByCQL(j))
			require.Equal(t, c.countsTwice, j.Linger == lingerTime)
			require.Equal(t, c.countsTwice, j.ChunkSize == carefulSize)
			require.Equal(t, c.countsTwice, j.ChunkRecords == carefulRecords)
			require.Equal(t, c.steps, j.StampStep > 1)
			require.Equal(t, c.all, len(j.CQL.Wide) == len(c.table.Columns))
		})
	}
}
