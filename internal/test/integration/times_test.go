//go:build integration

package integration

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const timesBody = "(k int, c int, v text, w text, f frozen<list<int>>, s text static, u int static, PRIMARY KEY (k, c))"

// timesColumns are all columns and all their times.
const timesColumns = "k,c,v,w,f,s,u,ttl(v),writetime(v),ttl(w),writetime(w),ttl(f),writetime(f),ttl(s),writetime(s),ttl(u),writetime(u)"

// timesRows writes rows whose columns were written at times of their own, in every
// mixture of times, times to live, nulls and static columns.
func timesRows(t *testing.T) {
	t.Helper()
	for k := range 12 {
		at := 1_600_000_000_000_000 + k*1_000_000
		exec(
			t,
			fmt.Sprintf(
				"INSERT INTO it2.times (k, c, v, w, f) VALUES (%d, 0, 'v', 'w', [1, %d]) USING TIMESTAMP %d",
				k,
				k,
				at,
			),
			fmt.Sprintf(
				"INSERT INTO it2.times (k, c, v) VALUES (%d, 1, 'v') USING TIMESTAMP %d AND TTL %d",
				k,
				at+1,
				50_000+k,
			),
			fmt.Sprintf(
				"UPDATE it2.times USING TIMESTAMP %d AND TTL %d SET w = 'w' WHERE k = %d AND c = 1",
				at+2,
				90_000+k,
				k,
			),
			fmt.Sprintf(
				"UPDATE it2.times USING TIMESTAMP %d SET f = [] WHERE k = %d AND c = 1",
				at+3,
				k,
			),
			fmt.Sprintf(
				"UPDATE it2.times USING TIMESTAMP %d AND TTL 70000 SET v = 'v', w = 'later' WHERE k = %d AND c = 2",
				at+4,
				k,
			),
			fmt.Sprintf(
				"UPDATE it2.times USING TIMESTAMP %d SET v = 'over' WHERE k = %d AND c = 0",
				at+5,
				k,
			),
		)
		switch k % 3 {
		case 0:
			exec(
				t,
				fmt.Sprintf(
					"UPDATE it2.times USING TIMESTAMP %d AND TTL 60000 SET s = 's' WHERE k = %d",
					at+6,
					k,
				),
				fmt.Sprintf("UPDATE it2.times USING TIMESTAMP %d SET u = 7 WHERE k = %d", at+7, k),
			)
		case 1:
			exec(
				t,
				fmt.Sprintf(
					"DELETE w FROM it2.times USING TIMESTAMP %d WHERE k = %d AND c = 0",
					at+8,
					k,
				),
			)
		}
	}
	// Partitions of static columns alone, of values and times of their own.
	exec(t, "INSERT INTO it2.times (k, s) VALUES (100, 'alone') USING TIMESTAMP 5",
		"INSERT INTO it2.times (k, s) VALUES (101, 'alone') USING TIMESTAMP 6 AND TTL 40000",
		"UPDATE it2.times USING TIMESTAMP 1700000000000000 SET u = 1 WHERE k = 101",
		// Rows of nothing but a key have no time that could be asked for.
		"INSERT INTO it2.times (k, c) VALUES (102, 1) USING TIMESTAMP 7")
}

// timed is a scan with times, by key: each row's fields, and its times to live.
type timed struct {
	rows map[string][]string // with the times to live left out
	ttls map[string][]int    // 0: none
	at   time.Time           // of the scan's end
}

// scanTimes scans a table with its times.
func scanTimes(t *testing.T, name string) timed {
	t.Helper()
	out := ok(t, "scan", name, "--columns", timesColumns).out
	at := time.Now()
	records, err := csv.NewReader(strings.NewReader(out)).ReadAll()
	require.NoError(t, err)
	require.Equal(t, timesColumns, strings.Join(records[0], ","))
	s := timed{map[string][]string{}, map[string][]int{}, at}
	for _, r := range records[1:] {
		key := r[0] + "," + r[1]
		for i, name := range records[0] {
			if !strings.HasPrefix(name, "ttl(") {
				s.rows[key] = append(s.rows[key], name+"="+r[i])
				continue
			}
			seconds := 0
			if r[i] != "" {
				seconds, err = strconv.Atoi(r[i])
				require.NoError(t, err)
			}
			s.ttls[key] = append(s.ttls[key], seconds)
		}
	}
	return s
}

// TestTimesOfColumns copies a table with the write times and times to live of its columns into
// another one, as CSV and as JSON. The copy has the same.
func TestTimesOfColumns(t *testing.T) {
	t.Parallel()
	table(t, "it2.times", timesBody)
	table(t, "it2.times_copy", timesBody)
	timesRows(t)
	begin := time.Now()
	want := scanTimes(t, "it2.times")
	require.Len(t, want.rows, 12*3+3)
	require.Contains(
		t,
		fmt.Sprint(want.rows["3,1"]),
		"v=v w=w f=[] s=s u=7 writetime(v)=1600000003000001 writetime(w)=1600000003000002 writetime(f)=1600000003000003 writetime(s)=1600000003000006 writetime(u)=1600000003000007",
	)
	for _, format := range []string{"csv", "json"} {
		t.Run(format, func(t *testing.T) {
			exec(t, "TRUNCATE it2.times_copy")
			path := t.TempDir() + "/times." + format
			ok(t, "scan", "it2.times", "--columns", timesColumns, "-o", path, "--format", format)
			loaded := ok(t, "load", "it2.times_copy", path)
			require.Contains(t, loaded.report, "39 read, 0 rejected")
			got := scanTimes(t, "it2.times_copy")
			require.Equal(t, want.rows, got.rows)
			// What was to live for so long lives for no longer, and for shorter by
			// no more than the time that has passed since.
			passed := int(got.at.Sub(begin).Seconds()) + 2
			for key, ttls := range want.ttls {
				for i, ttl := range ttls {
					now := got.ttls[key][i]
					require.Equal(t, ttl == 0, now == 0, "%s: %v and %v", key, ttls, got.ttls[key])
					require.LessOrEqual(t, now, ttl, key)
					require.GreaterOrEqual(t, now, ttl-passed, key)
				}
			}
		})
	}
}

// TestTimesInTheInput loads times that a file gives, in any order of its fields and
// among bad ones.
func TestTimesInTheInput(t *testing.T) {
	t.Parallel()
	table(
		t,
		"it2.times_in",
		"(k int PRIMARY KEY, v text, w text) WITH default_time_to_live = 86400",
	)
	input := "writetime(v),k,w,TTL(v),v\n" +
		"1000,1,w,500000,v\n" + // w is written now, for as long as the table says
		"1000,2,w,,v\n" + // null is the time to live of what does not expire
		",3,w,600000,v\n" +
		"1000,4,w,0,v\n" +
		"1000,5,w,600000,\n" + // times of a value that is not there
		"soon,6,w,5,v\n" +
		"1000,7,w,630720001,v\n" +
		"1000,8,w,-1,v\n"
	dir := t.TempDir() + "/run"
	r := cqlbulk(t, "load", "it2.times_in", file(t, "in.csv", input), "--run-dir", dir)
	require.Equal(t, 2, r.code, r.report)
	bad := rejections(t, dir)
	slices.SortFunc(bad, func(a, b rejection) int { return int(a.Offset - b.Offset) })
	var told []string
	for _, b := range bad {
		told = append(told, fmt.Sprintf("%d:%d %s: %s", b.Line, b.Column, b.Name, b.Reason))
	}
	require.Equal(t, []string{
		`7:1 writetime(v): no number of 64 bits`,
		`8:10 ttl(v): time to live 630720001: must be from 0 to 630720000 seconds`,
		`9:10 ttl(v): time to live -1: must be from 0 to 630720000 seconds`,
	}, told)

	type row struct {
		K    int
		V, W *string
		TV   *int   `json:"ttl(v)"`
		WV   *int64 `json:"writetime(v)"`
		TW   *int   `json:"ttl(w)"`
		WW   *int64 `json:"writetime(w)"`
	}
	rows := make(map[int]row)
	out := ok(
		t,
		"scan",
		"it2.times_in",
		"--format",
		"json",
		"--columns",
		"k,v,w,ttl(v),writetime(v),ttl(w),writetime(w)",
	).out
	for line := range strings.Lines(out) {
		var r row
		require.NoError(t, json.Unmarshal([]byte(line), &r))
		rows[r.K] = r
	}
	require.Len(t, rows, 5, out)
	for k, r := range rows {
		require.Equal(t, "w", *r.W)
		require.Greater(t, *r.WW, int64(1_700_000_000_000_000), "now: %s", out)
		require.Positive(t, *r.TW, "as the table says: %s", out)
		require.LessOrEqual(t, *r.TW, 86400)
		switch k {
		case 1, 3:
			require.Greater(t, *r.TV, 400_000, out)
		case 2, 4:
			require.Nil(t, r.TV, out)
		case 5:
			require.Nil(t, r.V, out)
		}
		switch k {
		case 1, 2, 4:
			require.EqualValues(t, 1000, *r.WV, out)
		case 3:
			require.Equal(t, *r.WW, *r.WV, "without a time of its own it is that of the row")
		}
	}
}
