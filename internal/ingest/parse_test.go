package ingest_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/fault"
	"github.com/cqlbulk/cqlbulk/internal/format"
	"github.com/cqlbulk/cqlbulk/internal/ingest"
	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/internal/test/loadtest"
	"github.com/cqlbulk/cqlbulk/internal/test/tabletest"
	"github.com/cqlbulk/cqlbulk/pkg/cqlshtext"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// A row that makes no insert is rejected with its place.
func TestRejectedRows(t *testing.T) {
	long := strings.Repeat("k", token.MaxKeyLen+1)
	for _, tc := range []struct {
		name   string
		table  *schema.Table
		header string
		row    string // stands on line 3
		line   int64
		field  int
		column string
		value  string
		reason string
	}{
		{"too few fields", tabletest.Names, "k,v,n", "a,b\n", 3, 1, "", "", "row has 2 fields instead of 3"},
		{"too many fields", tabletest.Names, "k,v,n", "a,b,1,\n", 3, 1, "", "", "row has 4 fields instead of 3"},
		{"bad value", tabletest.Names, "k,v,n", "a,b,x1\n", 3, 5, "n", "x1", `invalid int: not an integer`},
		{"bad value after quoted line ends", tabletest.Names, "k,v,n", "a,\"b\r\n\nc\",x1\n", 5, 4, "n", "x1", `invalid int: not an integer`},
		{"bad value in quotes", tabletest.Names, "k,n,v", "a,\"x\"\"1\",b\n", 3, 3, "n", `x"1`, `invalid int: not an integer`},
		{"quote in the middle", tabletest.Names, "k,v,n", "a,\"b\n\"x,1\n", 3, 3, "", "", `quote is closed only 1 line below, and followed by "x"`},
		{"not UTF-8", tabletest.Names, "k,v", "a,\xff\n", 3, 3, "v", "\xff", "invalid UTF-8 byte 0xff at offset 0"},
		{"long value", tabletest.Names, "k,n", "a," + strings.Repeat("9", 500) + "\n", 3, 3, "n", strings.Repeat("9", 100) + "...", "invalid int"},
		{"long value of letters of two bytes", tabletest.Names, "k,n", "a,x" + strings.Repeat("é", 500) + "\n", 3, 3, "n", "x" + strings.Repeat("é", 49) + "...", "invalid int"},
		{"null key", tabletest.Names, "v,k", "a,\n", 3, 3, "k", "", "primary key column must not be null"},
		{"empty key", tabletest.Names, "v,k", "a,\"\"\n", 3, 3, "k", "", "a partition key of one column must not be empty"},
		{"long key", tabletest.Names, "k,v", long + ",b\n", 3, 1, "k", long[:100] + "...", "key value of 65536 bytes is longer than 65535 bytes"},
		{"long key of a part", tabletest.Sensors, "a,b,c,d", "a," + long + ",1,1\n", 3, 3, "b", long[:100] + "...", "key value of 65536 bytes is longer than 65535 bytes"},
		{"long key in all", tabletest.Sensors, "a,b,c,d", long[:40000] + "," + long[:30000] + ",1,1\n", 3, 1, "", "", "partition key of 70006 bytes is longer than 65535 bytes"},
		{"part of the key null", tabletest.Sensors, "a,b,c,d", "a,,1,1\n", 3, 3, "b", "", "primary key column must not be null"},
		{"clustering null", tabletest.Events, "k,c,id", "1,,3\n", 3, 3, "c", "", "primary key column must not be null"},
		{"some of the clustering null", tabletest.Sensors, "a,b,c,d,s", "a,b,,1,s\n", 3, 5, "c", "", "primary key column must not be null"},
		{"static row with a regular value", tabletest.Sensors, "a,b,c,d,s,v", "a,b,,,s,v\n", 3, 5, "c", "", "primary key column must not be null"},
		{"static row without a static value", tabletest.Sensors, "a,b,c,d,s,v", "a,b,,,,\n", 3, 5, "c", "", "primary key column must not be null"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			good := map[string]string{
				"k,v,n": "y,,", "k,n,v": "y,,", "k,v": "y,", "k,n": "y,", "v,k": ",y", "k,c,id": "7,7,7",
				"a,b,c,d": "y,z,1,1", "a,b,c,d,s": "y,z,1,1,", "a,b,c,d,s,v": "y,z,1,1,,",
			}[tc.header]
			text := tc.header + "\n" + good + "\n" + tc.row + good + "\n"
			job, c, rejects := loadtest.NewJob(tc.table, text)
			job.Limits.MaxMutationBytes = 1 << 20
			result := loadtest.MustRun(t, job, c)
			require.Equal(t, int64(2), result.Written)
			require.Len(t, rejects.Rejects, 1)
			got := rejects.Rejects[0]
			require.Contains(t, got.Reason, tc.reason)
			require.NotZero(t, got.Stamp)
			got.Reason, got.Stamp, got.Settings = "", 0, nil
			require.Equal(t, ingest.Reject{
				File:   "file1.csv",
				Header: []byte(tc.header + "\n"),
				Raw:    []byte(tc.row),
				Line:   tc.line,
				Field:  tc.field,
				Offset: int64(
					len(tc.header) + len(good) + 2,
				),
				Column: tc.column,
				Value:  tc.value,
				Stage:  ingest.Parse,
			}, got)
		})
	}
}

// What is surely too large is refused without asking; what may or may not be is sent
// alone, and the server's word counts.
func TestRowsAtTheMutationLimit(t *testing.T) {
	table := schema.New("demo", "wide", []schema.Column{
		tabletest.Column(
			"k",
			schema.PartitionKey,
			0,
			"text",
		),
		tabletest.Column("v", schema.Regular, 0, "text"),
		tabletest.Column("s", schema.Regular, 0, "set<int>"),
		tabletest.Column(
			"l",
			schema.Regular,
			0,
			"list<int>",
		),
		tabletest.Column("f", schema.Regular, 0, "frozen<set<int>>"),
	})
	elements := func(open, end string, n int) string {
		var b strings.Builder
		b.WriteString(`"` + open)
		for i := range n {
			fmt.Fprintf(&b, "%d,", i)
		}
		return strings.TrimSuffix(b.String(), ",") + end + `"`
	}
	const mutation, frame = 4000, 6000
	surely := fmt.Sprintf(
		" or more is larger than the cluster's max_mutation_size of %d bytes",
		mutation,
	)
	for _, tc := range []struct {
		name, fields string
		reason       string
	}{
		{"within", "x,{1},[1],{1}", ""},
		{"above by the bound of what a set takes", "," + elements("{", "}", 500) + ",,", ""},
		{"a set above in the frame alone", "," + elements("{", "}", 740) + ",,", ""},
		{"a set above the frame", "," + elements("{", "}", 760) + ",,", "row of 6085 bytes or more does not fit the cluster's native_transport_max_frame_size of 6000 bytes"},
		{"a list that may fit", ",," + elements("[", "]", 740) + ",", ""},
		{"a frozen set that may fit", ",,," + elements("{", "}", 495), ""},
		{"a frozen set", ",,," + elements("{", "}", 500), "row of 4005 bytes" + surely},
		{"a text", strings.Repeat("x", mutation) + ",,,", "row of 4001 bytes" + surely},
		{"a text that may fit", strings.Repeat("x", mutation-1) + ",,,", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			job, c, rejects := loadtest.NewJob(table, "k,v,s,l,f\na,"+tc.fields+"\na,,,,\nb,,,,\n")
			job.CQL.Limits.PartitionBytes = mutation
			job.Limits.MaxMutationBytes, job.Limits.MaxFrameBytes = mutation, frame
			large := 0
			c.Answer = func(_ context.Context, r loadtest.Request) (bool, error) {
				for _, row := range r.Rows {
					if row.Size() > 1000 {
						large++
						require.Equal(t, 1, len(r.Rows), "a large row goes alone")
					}
				}
				return true, nil
			}
			loadtest.MustRun(t, job, c)
			if tc.reason != "" {
				require.Len(t, rejects.Rejects, 1)
				require.Equal(t, tc.reason, rejects.Rejects[0].Reason)
				require.Zero(t, large)
				return
			}
			require.Empty(t, rejects.Rejects)
			require.Equal(t, tc.name != "within", large == 1)
		})
	}
	t.Run("refused by the server", func(t *testing.T) {
		job, c, rejects := loadtest.NewJob(table, "k,s\na,"+elements("{", "}", 500)+"\na,\nb,\n")
		job.Limits.MaxMutationBytes = mutation
		c.Answer = func(_ context.Context, r loadtest.Request) (bool, error) {
			if r.Rows[0].Size() > 100 {
				return false, loadtest.Failure(fault.Permanent, "Rejected an oversized mutation")
			}
			return true, nil
		}
		require.EqualValues(t, 2, loadtest.MustRun(t, job, c).Written)
		require.Len(t, rejects.Rejects, 1)
		require.Equal(t, "Rejected an oversized mutation", rejects.Rejects[0].Reason)
		require.Equal(t, ingest.Insert, rejects.Rejects[0].Stage)
	})
}

func TestLongestKeysAreTaken(t *testing.T) {
	key := strings.Repeat("k", token.MaxKeyLen)
	job, c, _ := loadtest.NewJob(tabletest.Names, "k,v\n"+key+",v\n")
	require.EqualValues(t, 1, loadtest.MustRun(t, job, c).Written)
	part := strings.Repeat("k", token.MaxKeyLen-7)
	job, c, _ = loadtest.NewJob(tabletest.Sensors, "a,b,c,d\n"+part+",x,1,1\n\"\",\"\",1,1\n")
	require.EqualValues(t, 2, loadtest.MustRun(t, job, c).Written)
}

func TestNulls(t *testing.T) {
	for _, tc := range []struct {
		field string
		text  bool
		null  bool
	}{
		{"", true, true}, {"", false, true},
		{`""`, true, false}, {`""`, false, true},
		{"NA", true, true}, {"NA", false, true}, {`"NA"`, true, false}, {"5", false, true}, {`"5"`, false, false},
		{`\N`, true, true}, {"na", true, false}, {"NA ", true, false}, {"7", false, false}, {" ", true, false},
	} {
		t.Run(fmt.Sprintf("%q, text %v", tc.field, tc.text), func(t *testing.T) {
			header, column := "k,n\n", "n"
			if tc.text {
				header, column = "k,v\n", "v"
			}
			job, c, _ := loadtest.NewJob(tabletest.Names, header+"a,"+tc.field+"\n")
			job.Nulls = []string{"NA", `\N`, "5"}
			require.EqualValues(t, 1, loadtest.MustRun(t, job, c).Written)
			_, written := c.Cells["k=61 "][column]
			require.Equal(t, !tc.null, written)
		})
	}
}

// A partition without rows is scanned as a row of static values alone, and goes
// back in as one.
func TestStaticRows(t *testing.T) {
	job, c, _ := loadtest.NewJob(tabletest.Sensors, "a,b,c,d,s,v\np,q,,,stat,\np,q,1,2,,reg\n")
	require.EqualValues(t, 2, loadtest.MustRun(t, job, c).Written)
	require.Equal(t, "stat", c.Cells["a=70 b=71 c= d= "]["s"].Value)
	job, c, _ = loadtest.NewJob(tabletest.Sensors, "a,b,s\np,q,stat\n")
	require.EqualValues(t, 1, loadtest.MustRun(t, job, c).Written)
	require.Equal(t, "stat", c.Cells["a=70 b=71 "]["s"].Value)
}

// A null word is compared in the encoding of the input, by cqlbulk's rule and by cqlsh's.
func TestNullWordInLatin1(t *testing.T) {
	cqlsh := func(c schema.Column) (format.Codec, error) {
		return cqlshtext.Plan(c.Type, cqlshtext.Options{Null: "né"})
	}
	codecs := map[string]func(schema.Column) (format.Codec, error){"cqlbulk": nil, "cqlsh": cqlsh}
	for name, codec := range codecs {
		t.Run(name, func(t *testing.T) {
			job, c, _ := loadtest.NewJob(tabletest.Names, "k,v,n\na,n\xe9,1\nb,n\xc3\xa9,2\nc,x,n\xe9\n")
			job.Latin1, job.Nulls, job.Fields.Codec = true, []string{"né", "日"}, codec
			require.EqualValues(t, 3, loadtest.MustRun(t, job, c).Written)
			require.NotContains(t, c.Cells["k=61 "], "v", "null leaves the column unset")
			require.Equal(
				t,
				"n\u00c3\u00a9",
				c.Cells["k=62 "]["v"].Value,
				"other characters in this encoding",
			)
			require.NotContains(t, c.Cells["k=63 "], "n")
		})
	}
}
