package ingest_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/ingest"
	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/internal/test/loadtest"
	"github.com/cqlbulk/cqlbulk/internal/test/tabletest"
	"github.com/cqlbulk/cqlbulk/internal/write/cql"
	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
)

func TestHeader(t *testing.T) {
	quoted := schema.New("demo", "q", []schema.Column{
		tabletest.Column("Id", schema.PartitionKey, 0, "int"), tabletest.Column("v", schema.Regular, 0, "text"),
		tabletest.Column("V", schema.Regular, 0, "text"), tabletest.Column("a b", schema.Regular, 0, "text"),
	})
	for _, tc := range []struct {
		name, header string
		table        *schema.Table
		want         []string // columns
		err          string
	}{
		{"in order", "k,v,n", tabletest.Names, []string{"k", "v", "n"}, ""},
		{"in another order", "n,k,v", tabletest.Names, []string{"n", "k", "v"}, ""},
		{"not all", "v,k", tabletest.Names, []string{"v", "k"}, ""},
		{"case does not matter", "K,V", tabletest.Names, []string{"k", "v"}, ""},
		{"quoted fields", `"k","v"`, tabletest.Names, []string{"k", "v"}, ""},
		{"stored in upper case", "ID,a b", quoted, []string{"Id", "a b"}, ""},
		{"case decides", "Id,V,v", quoted, []string{"Id", "V", "v"}, ""},
		{"only the key", "k", tabletest.Names, []string{"k"}, ""},
		{"static columns need no clustering", "a,b,s", tabletest.Sensors, []string{"a", "b", "s"}, ""},
		{"partition key alone of a table with static columns", "a,b", tabletest.Sensors, nil,
			`file1.csv: the input has no field for primary key column "c", "d" of demo.sensors`},
		{"unknown name", "k,vv", tabletest.Names, nil, `file1.csv: header: table demo.names has no column "vv"; did you mean "v"? ` +
			`(--map vv=COLUMN says which column it is, --skipcols vv leaves out what is no column)`},
		{"nothing known", "1,hello", tabletest.Names, nil,
			"file1.csv: header: table demo.names has no column \"1\"\n" +
				"no field of the first line is a column: if the input has no header line, " +
				"say --header=false and --columns with the names of its 2 fields"},
		{"blanks around names", "k , v", tabletest.Names, nil,
			"file1.csv: header: table demo.names has no column \"k \"; did you mean \"k\"?\n" +
				"blanks stand around the names: if they are no part of the fields, say --trim"},
		{"apostrophes around names", "'k','v'", tabletest.Names, nil,
			"file1.csv: header: table demo.names has no column \"'k'\"\n" +
				"apostrophes stand around the names: if they are quotes, say --quote \"'\""},
		{"twice", "k,v,K", tabletest.Names, nil, `file1.csv: header: column "k" of demo.names is named twice`},
		{"no name", "k,,v", tabletest.Names, nil, `file1.csv: header: field 2 has no name (--columns names all fields, whatever the header says)`},
		{"broken", `k,"v"x`, tabletest.Names, nil, `file1.csv: header: line 1, column 6: closing quote is followed by "x", not by a delimiter or a line end`},
		{"not closed", `k,"v`, tabletest.Names, nil, `file1.csv: header: line 1, column 3: quote is never closed`},
		{"key missing", "v,n", tabletest.Names, nil, `file1.csv: the input has no field for primary key column "k" of demo.names`},
		{"keys missing", "a,c,v", tabletest.Sensors, nil, `file1.csv: the input has no field for primary key column "b", "d" of demo.sensors`},
		{"some of the clustering", "a,b,c,s", tabletest.Sensors, nil, `file1.csv: the input has fields for 1 of the 2 clustering columns of demo.sensors`},
		{"counters need a counter", "id", tabletest.Hits, nil, `file1.csv: the input has no field for a counter of demo.hits`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			job, c, _ := loadtest.NewJob(tc.table, tc.header+"\n")
			if tc.err == "" {
				var got []string
				job.CQL.NewWriter = func(columns []schema.Column) cql.Writer {
					for _, col := range columns {
						got = append(got, col.Name)
					}
					return c.Writer(columns)
				}
				loadtest.MustRun(t, job, c)
				require.Equal(t, tc.want, got)
				return
			}
			_, err := job.Run(context.Background())
			require.EqualError(t, err, tc.err)
			var mapping *ingest.MappingError
			require.ErrorAs(t, err, &mapping)
			require.ErrorContains(t, err, mapping.Error())
		})
	}
}

// A line that is skipped as the header, as --columns names all fields, may be a row.
func TestRowSkippedAsTheHeader(t *testing.T) {
	for text, warns := range map[string]bool{
		"one,1\ntwo,2\n": true, "some,thing\none,1\n": false, "k,n\none,1\n": false,
	} {
		job, c, _ := loadtest.NewJob(tabletest.Names, text)
		job.Columns = []string{"k", "n"}
		warned := ""
		job.Warn = func(format string, args ...any) { warned += fmt.Sprintf(format, args...) }
		loadtest.MustRun(t, job, c)
		if !warns {
			require.Empty(t, warned)
			continue
		}
		require.Equal(t, "file1.csv: the first line, one,1, is skipped as the header, and looks like a row: "+
			"if the input has no header line, say --header=false", warned)
	}
}

func TestColumnsOverrideTheHeader(t *testing.T) {
	job, c, _ := loadtest.NewJob(tabletest.Names, "some,thing\none,1\n")
	job.Columns = []string{"k", "n"}
	loadtest.MustRun(t, job, c)
	require.Equal(t, "\x00\x00\x00\x01", c.Cells["k=6f6e65 "]["n"].Value)
}

func TestWithoutAHeader(t *testing.T) {
	job, c, _ := loadtest.NewJob(tabletest.Names, "one,1,first\ntwo,2,second\n")
	job.Header = false
	require.EqualValues(t, 2, loadtest.MustRun(t, job, c).Written)
	require.Equal(t, "second", c.Cells["k=74776f "]["v"].Value)

	job, c, rejects := loadtest.NewJob(tabletest.Names, "1,one\nx,two\n")
	job.Header = false
	job.Columns = []string{"n", "k"}
	require.EqualValues(t, 1, loadtest.MustRun(t, job, c).Written)
	require.Equal(t, "\x00\x00\x00\x01", c.Cells["k=6f6e65 "]["n"].Value)
	require.Empty(t, rejects.Rejects[0].Header)
	require.EqualValues(t, 2, rejects.Rejects[0].Line)
}

func TestFilesWithDifferentHeaders(t *testing.T) {
	job, c, rejects := loadtest.NewJob(tabletest.Names,
		"k,v\none,first\n", "n,k\n1,one\nx,two\n", "K,V\nthree,third\n", "v,k\nonly,four\n")
	result := loadtest.MustRun(t, job, c)
	require.Equal(t, int64(4), result.Written)
	require.Equal(t, "first", c.Cells["k=6f6e65 "]["v"].Value)
	require.Equal(t, "\x00\x00\x00\x01", c.Cells["k=6f6e65 "]["n"].Value)
	require.Equal(t, "third", c.Cells["k=7468726565 "]["v"].Value)
	require.Equal(t, "only", c.Cells["k=666f7572 "]["v"].Value)
	require.Equal(t, 3, c.Writers, "one writer for each set of columns")
	require.Equal(t, "n,k\n", string(rejects.Rejects[0].Header))
	require.Equal(t, "file2.csv", rejects.Rejects[0].File)
}

// A later file's header that does not fit ends the run; the first file's rows
// count.
func TestSecondHeaderDoesNotFit(t *testing.T) {
	job, c, _ := loadtest.NewJob(tabletest.Names, "k,v\none,first\n", "k,w\ntwo,second\n")
	result, err := job.Run(context.Background())
	require.ErrorContains(t, err, `file2.csv: header: table demo.names has no column "w"`)
	require.EqualValues(t, 1, result.Read)
	require.Empty(t, c.Broken)
}

func TestTypeWithoutCodec(t *testing.T) {
	table := schema.New("demo", "odd", []schema.Column{
		tabletest.Column("k", schema.PartitionKey, 0, "int"),
		{Name: "m", Kind: schema.Regular, Type: &cqltype.Type{Kind: cqltype.Map}},
	})
	job, _, _ := loadtest.NewJob(table, "k,m\n")
	_, err := job.Run(context.Background())
	require.ErrorContains(t, err, `file1.csv: column "m": no codec for type`)
}

func TestRenamedAndSkippedFields(t *testing.T) {
	job, c, rejects := loadtest.NewJob(tabletest.Names, "junk,Key,n,v\n1,one,1,first\n2,two,x,second\n")
	job.Fields = ingest.Fields{
		Renamed: map[string]string{"Key": "k"},
		Skipped: []string{"junk", "v"},
	}
	require.EqualValues(t, 1, loadtest.MustRun(t, job, c).Written)
	require.Equal(t, "\x00\x00\x00\x01", c.Cells["k=6f6e65 "]["n"].Value)
	require.NotContains(t, c.Cells["k=6f6e65 "], "v")
	require.Equal(t, "n", rejects.Rejects[0].Column)
	require.Equal(
		t,
		7,
		rejects.Rejects[0].Field,
		"the place is that of the field, not of the column",
	)

	job, _, _ = loadtest.NewJob(tabletest.Names, "k,n\none,1\n")
	job.Fields = ingest.Fields{Skipped: []string{"kk"}}
	_, err := job.Run(t.Context())
	require.ErrorContains(t, err, `there is no field "kk"; did you mean "k"?`)
}

func TestSkipRowsAndMaxRows(t *testing.T) {
	for _, chunk := range []int{1, 8, 1 << 20} {
		job, c, _ := loadtest.NewJob(tabletest.Names, "k,n\na,1\nb,2\nc,3\n", "k,n\nd,4\ne,5\n", "k,n\nf,6\n")
		job.SkipRows, job.MaxRows, job.ChunkSize = 2, 2, chunk
		require.EqualValues(t, 2, loadtest.MustRun(t, job, c).Read)
		require.Len(t, c.Cells, 2)
		require.Contains(t, c.Cells, "k=63 ")
		require.Contains(t, c.Cells, "k=64 ")
	}
}
