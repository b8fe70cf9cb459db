//go:build integration

package integration

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestFramesOfPandas loads what pandas writes by its defaults: frames with nulls, time zones,
// categories and objects. testdata/pandas/make.py has written the files.
func TestFramesOfPandas(t *testing.T) {
	t.Parallel()
	table(
		t,
		"it1.pandas",
		"(k int PRIMARY KEY, i int, b bigint, f float, d double, t boolean, v text, at timestamp, "+
			"dd date, tt time, m decimal, u uuid, l list<int>)",
	)
	for _, c := range []struct {
		name, columns string
		want          []string
		json          []string // nil: the same
	}{
		{"bools", "t", []string{"1,true", "2,false", "3,true"}, nil},
		{"bools_with_nulls", "t", []string{"1,true", "2,", "3,false"}, nil},
		{"categories", "v", []string{"1,x", "2,", "3,y"}, nil},
		{
			"days_as_timestamps", "at",
			[]string{"1,2024-01-31T00:00:00Z", "2,2024-02-01T00:00:00Z"}, nil,
		},
		{
			"floats", "f,d",
			[]string{"1,0.1,0.1", "2,,Infinity", "3,1e-7,-Infinity", "4,3e+38,1e+300"},
			[]string{"1,0.1,0.1", "2,,", "3,1e-7,", "4,3e+38,1e+300"}, // JSON has no infinity
		},
		{"ints_with_nulls", "i,b", []string{"1,1,9007199254740991", "2,,", "3,3,-5"}, nil},
		{"nullable_ints", "i,b", []string{"1,1,4611686018427387904", "2,,", "3,3,-5"}, nil},
		{
			"objects", "m,u,l",
			[]string{`1,1.50,550e8400-e29b-41d4-a716-446655440000,"[1, 2]"`, "2,,,"}, nil,
		},
		{
			"texts", "v",
			[]string{`1,"a,b"`, `2,"say ""hi"""`, "3,\"two", "lines\"", "4,", "5,NaN"}, nil,
		},
		{
			"timestamps", "at",
			[]string{"1,2024-01-31T10:00:00Z", "2,2024-02-01T00:00:00.123Z", "3,"}, nil,
		},
		{
			"timestamps_zoned", "at",
			[]string{"1,2024-07-14T11:05:00Z", "2,", "3,1969-12-24T17:30:59Z"}, nil,
		},
		{
			"dates_and_times", "dd,tt",
			[]string{"1,2024-02-29,10:00:00.000000000", "2,,23:59:59.123456000", "3,1999-12-31,"},
			[]string{}, // days as milliseconds
		},
	} {
		for _, form := range []string{"csv", "json"} {
			want := c.want
			if form == "json" && c.json != nil {
				want = c.json
			}
			if len(want) == 0 {
				continue
			}
			exec(t, "TRUNCATE it1.pandas")
			ok(t, "load", "it1.pandas", "testdata/pandas/"+c.name+"."+form, "--dialect", "pandas")
			t.Log(c.name, form)
			lines := slices.Collect(strings.Lines(strings.Join(want, "\n") + "\n"))
			requireRows(t, lines, ok(t, "scan", "it1.pandas", "--columns", "k,"+c.columns).out)
		}
	}
	path := "testdata/pandas/dates_and_times.json"
	r := cqlbulk(t, "load", "it1.pandas", path, "--dialect", "pandas", "--run-dir", t.TempDir()+"/run")
	require.Equal(t, 2, r.code, "to_json writes days as milliseconds; date_format='iso' does not")
	require.Contains(t, r.report, "invalid date: expected a string, found a number")
}
