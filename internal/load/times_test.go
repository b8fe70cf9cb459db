package load

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/fault"
	"github.com/cqlbulk/cqlbulk/internal/row"
	"github.com/cqlbulk/cqlbulk/internal/schema"
)

// statementsOf loads one text and gives the rows of its only request.
func statementsOf(t *testing.T, table *schema.Table, text string, json bool) []row.Row {
	t.Helper()
	job, c, _ := newJob(t, table, text)
	job.JSON = json
	job.Header = !json
	var got []row.Row
	c.answer = func(_ context.Context, r request) (bool, error) {
		require.Nil(t, got, "one request")
		got = slices.Clone(r.rows)
		for i := range got {
			got[i].Cells = append([]row.Cell(nil), got[i].Cells...)
		}
		return true, nil
	}
	require.EqualValues(t, 1, mustRun(t, job, c).Written)
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
			for i, r := range statementsOf(t, names, tc.text, tc.json) {
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
		sensors,
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
		job, c, rejects := newJob(t, names, tc.text)
		require.EqualValues(t, 1, mustRun(t, job, c).Rejected())
		require.Equal(t, tc.reason, rejects.rejects[0].Reason)
		require.Equal(t, tc.column, rejects.rejects[0].Column)
		require.Equal(t, 5, rejects.rejects[0].Field)
	}
	for header, reason := range map[string]string{
		"k,v,ttl(k)\n":        `ttl(k): column "k" is part of the primary key`,
		"k,v,ttl(w)\n":        `has no column "w"`,
		"k,v,ttl(n)\n":        `field "ttl(n)": column "n" itself is not among the fields`,
		"k,v,ttl(v),TTL(v)\n": `"ttl(v)" of demo.names is named twice`,
	} {
		job, _, _ := newJob(t, names, header)
		_, err := job.Run(t.Context())
		require.ErrorContains(t, err, reason)
	}
	job, _, _ := newJob(t, names, "k,v,ttl(v)\n")
	job.Fields.Untimed = true
	_, err := job.Run(t.Context())
	require.ErrorContains(t, err, "a conditional insert has one time for the whole row")
}

func TestFixedTimestamp(t *testing.T) {
	job, c, _ := newJob(t, names, "k,v\na,b\nc,d\n")
	stamp := int64(77)
	job.Timestamp = &stamp
	mustRun(t, job, c)
	require.Equal(t, []int64{77, 77}, c.stamps)
}

func TestRowsThatExistAreCounted(t *testing.T) {
	job, c, rejects := newJob(t, names, "k,v\na,b\nc,d\ne,f\n")
	job.CQL.Limits.MaxRows = 1
	c.answer = func(_ context.Context, r request) (bool, error) {
		if string(r.rows[0].Cells[0].Bytes) == "c" {
			return false, fault.New(fault.NotApplied, errors.New("there already"))
		}
		return true, nil
	}
	result := mustRun(t, job, c)
	require.EqualValues(t, 1, result.Existing)
	require.EqualValues(t, 2, result.Written)
	require.Empty(t, rejects.rejects)
}

func TestLatin1(t *testing.T) {
	table := schema.New("demo", "l", []schema.Column{typed("k", schema.PartitionKey, 0, "text"),
		typed("né", schema.Regular, 0, "text"), typed("n", schema.Regular, 0, "int")})
	job, c, rejects := newJob(t, table, "k,n\xe9,n\na,\xa3 5,1\n\xff,ab,\xe9\n")
	job.Latin1 = true
	mustRun(t, job, c)
	require.Equal(t, "£ 5", c.cells["k=61 "]["né"].value)
	require.Equal(t, "é", rejects.rejects[0].Value)
	require.Equal(t, "\xff,ab,\xe9\n", string(rejects.rejects[0].Raw), "byte for byte")
}

// A batch that never gets an answer while others do is taken apart: the row that
// the cluster cannot do is rejected alone.
func TestARowThatAlwaysTimesOutIsRejectedAlone(t *testing.T) {
	text := "k,c,id,v\n"
	for i := range 60 {
		text += string(rune('0'+i%10)) + ",1," + string(rune('0'+i%10)) + ",x\n"
	}
	job, c, rejects := newJob(t, events, text)
	job.ChunkSize = 40
	c.answer = func(_ context.Context, r request) (bool, error) {
		for _, id := range r.ids {
			if id == 3 {
				return false, failure(fault.Unknown, "no answer")
			}
		}
		return true, nil
	}
	result := mustRun(t, job, c)
	require.EqualValues(t, 6, result.Rejected())
	for _, r := range rejects.rejects {
		require.Contains(t, string(r.Raw), ",1,3,")
	}
}

type there struct{ same bool }

func (there) Error() string { return "there already" }
func (t there) Same() bool  { return t.same }

// A row that an attempt without an answer wrote is not one that was there before.
func TestOwnRowIsNotAnExistingOne(t *testing.T) {
	job, c, _ := newJob(t, names, "k,v\na,b\nc,d\ne,f\n")
	job.CQL.Limits.MaxRows = 1
	seen := map[string]int{}
	var mu sync.Mutex
	c.answer = func(_ context.Context, r request) (bool, error) {
		mu.Lock()
		defer mu.Unlock()
		k := string(r.rows[0].Cells[0].Bytes)
		seen[k]++
		switch {
		case k == "a" && seen[k] == 1:
			return true, failure(fault.Unknown, "no answer")
		case k == "a":
			return false, fault.New(fault.NotApplied, there{same: true})
		case k == "c":
			return false, fault.New(fault.NotApplied, there{same: true})
		}
		return true, nil
	}
	result := mustRun(t, job, c)
	require.EqualValues(t, 1, result.Existing)
	require.EqualValues(t, 2, result.Written)
}

// Rows that were loaded before keep their timestamps, also behind a line that no
// record can be made of.
func TestGivenStamps(t *testing.T) {
	job, c, _ := newJob(t, names, "k,v\n\"open,1\na,x\nb,y\n")
	job.Inputs[0].Stamps = []int64{0, 111, 222}
	require.EqualValues(t, 2, mustRun(t, job, c).Written)
	require.EqualValues(t, 111, c.cells["k=61 "]["v"].stamp)
	require.EqualValues(t, 222, c.cells["k=62 "]["v"].stamp)
}
