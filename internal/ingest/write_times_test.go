package ingest_test

import (
	"context"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/format"
	"github.com/cqlbulk/cqlbulk/internal/row"
	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/internal/test/loadtest"
	"github.com/cqlbulk/cqlbulk/internal/test/tabletest"
)

// statementsOf loads one text and gives the rows of its only request.
func statementsOf(t *testing.T, table *schema.Table, text string, json bool) []row.Row {
	t.Helper()
	job, c, _ := loadtest.NewJob(table, text)
	if json {
		job.Format, job.Header = format.JSON{}, false
	}
	var got []row.Row
	c.Answer = func(_ context.Context, r loadtest.Request) (bool, error) {
		require.Nil(t, got, "one request")
		got = slices.Clone(r.Rows)
		for i := range got {
			got[i].Cells = append([]row.Cell(nil), got[i].Cells...)
		}
		return true, nil
	}
	require.EqualValues(t, 1, loadtest.MustRun(t, job, c).Written)
	return got
}

func set(cells []row.Cell) string {
	s := ""
	for _, c := range cells {
		if c.State == row.Set {
			s += "x"
		} else {
			s += "-"
		}
	}
	return s
}

func TestTimesOfColumns(t *testing.T) {
	type part struct {
		set   string
		stamp int64 // 0: by place
		ttl   int32
	}
	for _, tc := range []struct {
		name string
		text string
		json bool
		want []part
	}{
		{"the same for all", "k,v,n,ttl(v),writetime(v),ttl(n),writetime(n)\na,b,1,7,100,7,100\n", false, []part{{"xxx", 100, 7}}},
		{"different", "k,v,n,ttl(v),writetime(v),ttl(n),writetime(n)\na,b,1,7,100,7,101\n", false, []part{{"x-x", 101, 7}, {"xx-", 100, 7}}},
		{"null does not expire", "k,v,n,ttl(v),ttl(n)\na,b,1,,9\n", false, []part{{"xx-", 0, row.Forever}, {"x-x", 0, 9}}},
		{"of one column", "writetime(v),k,v,n\n100,a,b,1\n", false, []part{{"x-x", 0, 0}, {"xx-", 100, 0}}},
		{"of a null column", "k,v,n,ttl(v),writetime(v)\na,,1,,\n", false, []part{{"x-x", 0, 0}}},
		{"no values", "k,v,n,ttl(v),writetime(v)\na,,,,\n", false, []part{{"x--", 0, 0}}},
		{"JSON", `{"k":"a","v":"b","n":1,"ttl(v)":7,"writetime(v)":100}` + "\n", true, []part{{"xx-", 0, 0}, {"x-x", 100, 7}}},
		{"JSON without", `{"k":"a","v":"b","n":1}` + "\n", true, []part{{"xxx", 0, 0}}},
		{"JSON null", `{"k":"a","v":"b","ttl(v)":null}` + "\n", true, []part{{"x-x", 0, row.Forever}}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var got []part
			for i, r := range statementsOf(t, tabletest.Names, tc.text, tc.json) {
				require.Equal(t, i > 0, r.Update, "the first makes the row")
				if r.Timestamp > 1000 {
					r.Timestamp = 0
				}
				got = append(got, part{set(r.Cells), r.Timestamp, r.TTL})
			}
			require.Equal(t, tc.want, got)
		})
	}
}

// Static columns whose times differ from the row's are written to the partition.
func TestTimesOfStaticColumns(t *testing.T) {
	got := statementsOf(
		t,
		tabletest.Sensors,
		"a,b,c,d,s,v,writetime(s),writetime(v)\np,q,1,2,st,re,50,60\n",
		false,
	)
	require.Len(t, got, 2)
	require.Equal(t, "xxxx-x", set(got[0].Cells))
	require.EqualValues(t, 60, got[0].Timestamp)
	require.Equal(t, "xx--x-", set(got[1].Cells))
	require.EqualValues(t, 50, got[1].Timestamp)
}

func TestBadTimes(t *testing.T) {
	for _, tc := range []struct{ text, reason, column string }{
		{"k,v,ttl(v)\na,b,soon\n", `no number of 32 bits`, "ttl(v)"},
		{"k,v,ttl(v)\na,b,-1\n", "time to live -1: must be from 0 to 630720000 seconds", "ttl(v)"},
		{"k,v,writetime(v)\na,b,99999999999999999999\n", `no number of 64 bits`, "writetime(v)"},
	} {
		job, c, rejects := loadtest.NewJob(tabletest.Names, tc.text)
		require.EqualValues(t, 1, loadtest.MustRun(t, job, c).Rejected())
		require.Equal(t, tc.reason, rejects.Rejects[0].Reason)
		require.Equal(t, tc.column, rejects.Rejects[0].Column)
		require.Equal(t, 5, rejects.Rejects[0].Field)
	}
	for header, reason := range map[string]string{
		"k,v,ttl(k)\n":        `ttl(k): column "k" is part of the primary key`,
		"k,v,ttl(w)\n":        `has no column "w"`,
		"k,v,ttl(n)\n":        `field "ttl(n)": column "n" itself is not among the fields`,
		"k,v,ttl(v),TTL(v)\n": `"ttl(v)" of demo.names is named twice`,
	} {
		job, _, _ := loadtest.NewJob(tabletest.Names, header)
		_, err := job.Run(t.Context())
		require.ErrorContains(t, err, reason)
	}
	job, _, _ := loadtest.NewJob(tabletest.Names, "k,v,ttl(v)\n")
	job.Fields.Untimed = "rows have none"
	_, err := job.Run(t.Context())
	require.ErrorContains(t, err, `field "ttl(v)": rows have none: skip the field`)
}

func TestFixedTimestamp(t *testing.T) {
	job, c, _ := loadtest.NewJob(tabletest.Names, "k,v\na,b\nc,d\n")
	stamp := int64(77)
	job.Timestamp = &stamp
	loadtest.MustRun(t, job, c)
	require.Equal(t, []int64{77, 77}, c.Stamps)
}

func TestLatin1(t *testing.T) {
	table := schema.New("demo", "l", []schema.Column{tabletest.Column("k", schema.PartitionKey, 0, "text"),
		tabletest.Column("né", schema.Regular, 0, "text"), tabletest.Column("n", schema.Regular, 0, "int")})
	job, c, rejects := loadtest.NewJob(table, "k,n\xe9,n\na,\xa3 5,1\n\xff,ab,\xe9\n")
	job.Latin1 = true
	loadtest.MustRun(t, job, c)
	require.Equal(t, "£ 5", c.Cells["k=61 "]["né"].Value)
	require.Equal(t, "é", rejects.Rejects[0].Value)
	require.Equal(t, "\xff,ab,\xe9\n", string(rejects.Rejects[0].Raw), "byte for byte")
}

// Rows that were loaded before keep their timestamps, also behind a line that no
// record can be made of.
func TestGivenStamps(t *testing.T) {
	job, c, _ := loadtest.NewJob(tabletest.Names, "k,v\n\"open,1\na,x\nb,y\n")
	job.Inputs[0].Stamps = []int64{0, 111, 222}
	require.EqualValues(t, 2, loadtest.MustRun(t, job, c).Written)
	require.EqualValues(t, 111, c.Cells["k=61 "]["v"].Stamp)
	require.EqualValues(t, 222, c.Cells["k=62 "]["v"].Stamp)
}
