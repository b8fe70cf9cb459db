//go:build integration

package integration

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// The columns of the copied table: COPY has them in the order k, "C 1", A, b, d, n, sum, t, x.
// cqlbulk has the static ones, d and x, before the others.
const copiedBody = `(k int, "C 1" text, x text static, "A" text, b boolean, sum double, t timestamp, d decimal static, n int, PRIMARY KEY (k, "C 1"))`

// copiedFrom are COPY FROM statements and the files that they read.
var copiedFrom = []struct{ name, statement, content string }{
	{"defaults", `COPY it1.copied_rows FROM 'FILE' WITH MAXBATCHSIZE = 5;`, strings.Join([]string{
		`1,a,plain,True,1.50,-7,0.25,2020-02-29 01:02:03.125+0000,static 1`,
		`1,b,"comma, and \"inside\"",False,1.50,,,,static 1`,
		`2,a\,b,back\\slash,true,,1,1e10,1970-01-01 00:00:00.000+0000,`,
		`3," blank ",,,,,,,`,
		`"4","c","line\"quote\"",FALSE,-0.001,2147483647,NaN,,x`,
	}, "\n") + "\n"},
	{
		"list and header",
		`copy IT1.Copied_Rows ("A", "C 1", sum, k, x) from 'FILE' with header = True and null = 'NA' and maxbatchsize = 5`,
		"k,k,what,\"ever, x\",y\nNA,a,1.5,1,NA\nNA ,b,,2,\n,c,NA,3,é日\n",
	},
	{
		"skipped",
		`COPY it1.copied_rows (k, "C 1", x, "A", n) FROM 'FILE' WITH HEADER='true' AND SKIPCOLS='x, A' AND SKIPROWS=2 AND MAXROWS=4 AND MAXBATCHSIZE=5;`,
		"1,2,3,4,5\n1,a,x,A,1\n1,b,x,A,2\n1,c,x,A,3\n1,d,x,A,\n1,e,x,A,5\n",
	},
	{
		"forms",
		`COPY it1.copied_rows (k, "C 1", b, sum, t, d) FROM 'FILE' WITH DELIMITER='|' AND QUOTE='''' AND ESCAPE='''' AND BOOLSTYLE='yes, no'
		AND DATETIMEFORMAT='%d/%m/%Y %H:%M' AND DECIMALSEP=',' AND THOUSANDSSEP='.' AND MAXBATCHSIZE=5 /* done */`,
		"1|'it''s|'|yes|1.234,5|24/12/2020 18:30|1.000,25\n1|b\\c|No||01/01/1970 00:00|1.000,25\n",
	},
}

// TestCopyFrom gives the same statements to cqlsh and to copy: the table then has the same
// rows. What null replaces is deleted, as it is by cqlsh.
func TestCopyFrom(t *testing.T) {
	lengthy(t)
	t.Parallel()
	table(t, "it1.copied_rows", copiedBody)
	for _, tc := range copiedFrom {
		t.Run(tc.name, func(t *testing.T) {
			statement := strings.ReplaceAll(
				tc.statement,
				"FILE",
				file(t, "rows.json.csv", tc.content),
			)
			earlier := func() {
				exec(t, "TRUNCATE it1.copied_rows")
				for k := 1; k <= 4; k++ {
					for _, c := range []string{"a", "b", "c", "d", "e", "a,b", " blank ", "it's|", `b\c`} {
						exec(
							t,
							fmt.Sprintf(
								`INSERT INTO it1.copied_rows (k, "C 1", x, "A", b, sum, t, d, n) VALUES (%d, '%s', 's', 'A', true, 1, 1, 1, 1)`,
								k,
								strings.ReplaceAll(c, "'", "''"),
							),
						)
					}
				}
			}
			earlier()
			said := cqlsh(t, strings.TrimSuffix(statement, ";")+";")
			require.Contains(t, said, "rows imported from 1 files")
			require.NotContains(t, said, "given up")
			theirs := ok(t, "scan", "it1.copied_rows")
			earlier()
			before := ok(t, "scan", "it1.copied_rows")
			ours := ok(t, "copy", statement)
			require.Contains(t, ours.report, ", 0 rejected")
			after := ok(t, "scan", "it1.copied_rows")
			require.Equal(t, sortedLines(t, theirs.out), sortedLines(t, after.out))
			require.Equal(t, checksum(t, theirs), checksum(t, after))
			require.NotEqual(t, checksum(t, before), checksum(t, after))
		})
	}
}

// TestCopyTo copies a table to a file, with the columns in the order of cqlsh's own COPY TO, and
// loads the file with COPY FROM.
func TestCopyTo(t *testing.T) {
	lengthy(t)
	t.Parallel()
	table(t, "it1.copied_out", copiedBody)
	rows := "k,C 1,A,b,sum,t,d,n,x\n"
	for i, s := range specials {
		quoted := `"` + strings.ReplaceAll(s, `"`, `""`) + `"`
		rows += fmt.Sprintf(
			"%d,%s,%s,%v,%g,%d,1.%d0,,%s\n",
			i/3,
			quoted,
			quoted,
			i%2 == 0,
			0.1*float64(i),
			i,
			i/3,
			quoted,
		)
	}
	ok(t, "load", "it1.copied_out", file(t, "rows.csv", rows))
	want := tableSum(t, "it1.copied_out", len(specials))
	dir := t.TempDir()
	their := filepath.Join(dir, "theirs.csv")
	require.Contains(
		t,
		cqlsh(t, "COPY it1.copied_out TO '"+their+"' WITH HEADER = true;"),
		"exported to 1 files",
	)
	header, _, _ := strings.Cut(read(t, their), "\r\n")
	for _, tc := range []struct{ options, header string }{
		{"WITH NULL = 'N/A'", ""},
		{"WITH HEADER = true AND NULL = '\\N' AND PAGESIZE = 5 AND MAXATTEMPTS = 3", header},
		{"WITH DELIMITER = '|' AND QUOTE = '''' AND NULL = 'no, ne' AND PAGETIMEOUT = 60", ""},
	} {
		path := filepath.Join(dir, "it's "+fmt.Sprint(len(tc.options))+".csv")
		statement := "COPY it1.copied_out TO '" + strings.ReplaceAll(
			path,
			"'",
			"''",
		) + "' " + tc.options
		r := ok(t, "copy", statement+" AND DOUBLEPRECISION = 22")
		require.NotContains(t, r.report, "written with 5 digits")
		first, _, _ := strings.Cut(read(t, path), "\r\n")
		if tc.header != "" {
			require.Equal(t, tc.header, first)
		}
		repeated := cqlbulk(t, "copy", statement)
		require.Equal(t, 1, repeated.code)
		require.Contains(t, repeated.report, "exists already")
		if tc.header != "" {
			ok(t, "copy", statement+" AND DOUBLEPRECISION = 22", "--force")
		}
		exec(t, "TRUNCATE it1.copied_out")
		ok(t, "copy", strings.Replace(statement, " TO ", " FROM ", 1))
		require.Equal(t, want, tableSum(t, "it1.copied_out", len(specials)), statement)
	}
	r := ok(t, "copy", "COPY it1.copied_out (k, sum) TO STDOUT")
	require.Contains(t, r.report, "sum: written with 5 digits of a float and 12 of a double")
}

// TestCopyResumed resumes copies that were stopped: the run directory has the order of the columns
// and all else that the statement says.
func TestCopyResumed(t *testing.T) {
	lengthy(t)
	t.Parallel()
	table(t, "it1.copied_again", copiedBody)
	const rows = 6_000
	var b strings.Builder
	for i := range rows {
		fmt.Fprintf(&b, "%d,c,A %d\\,,True,%d.5,%d,0.5,,static\n", i, i, i, i)
		if i == rows/2 {
			b.WriteString("bad,c,A,True,1,1,1,,static\n")
		}
	}
	input := file(t, "rows.csv", b.String())
	dir := filepath.Join(t.TempDir(), "run")
	r := cqlbulk(
		t,
		"copy",
		"COPY it1.copied_again FROM '"+input+"' WITH MAXPARSEERRORS = 0",
		"--run-dir",
		dir,
	)
	require.Equal(t, 3, r.code, r.report)
	require.Contains(t, r.report, "cqlbulk resume "+dir)
	require.Contains(t, read(t, filepath.Join(dir, "run.json")), `"command": "load"`)
	r = cqlbulk(t, "resume", dir, "--maxparseerrors", "5")
	require.Equal(t, 2, r.code, r.report)
	require.Contains(t, r.report, grouped(rows+1)+" read, 1 rejected")
	want := tableSum(t, "it1.copied_again", rows)
	one := ok(
		t,
		"scan",
		"it1.copied_again",
		"--where",
		"k = 77 AND \"C 1\" = 'c'",
		"--allow-filtering",
		"--header=false",
	)
	require.Equal(t, "77,c,77.5,static,\"A 77,\",true,77,0.5,\n", one.out)

	path := filepath.Join(t.TempDir(), "rows.csv")
	scan := start(
		t,
		nil,
		"copy",
		"COPY it1.copied_again TO '"+path+"' WITH HEADER = true AND DELIMITER = ';'",
		"--rate",
		"1000",
		"--run-dir",
		dir+"2",
	)
	require.Eventually(t, func() bool {
		info, err := os.Stat(path + ".part")
		return err == nil && info.Size() > 10_000
	}, time.Minute, 10*time.Millisecond)
	require.NoError(t, scan.cmd.Process.Signal(os.Interrupt))
	r = scan.end(t)
	require.Equal(t, 130, r.code, r.report)
	_, err := os.Stat(path)
	require.ErrorIs(t, err, fs.ErrNotExist)
	r = ok(t, "resume", dir+"2", "--rate", "0")
	require.Equal(t, want, checksum(t, r))
	first, others, _ := strings.Cut(read(t, path), "\r\n")
	require.Equal(t, "k;C 1;A;b;d;n;sum;t;x", first)
	require.Equal(t, rows, strings.Count(others, "\r\n"))
}
