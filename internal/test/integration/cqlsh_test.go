//go:build integration

package integration

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	command "os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// cqlsh runs statements with cqlsh, in a working directory of its own, and gives
// all it said.
func cqlsh(t *testing.T, statements string) string {
	t.Helper()
	host, _, _ := strings.Cut(testHosts(), ",")
	return runCqlsh(t, host, "--cqlshrc", file(t, "cqlshrc", ""),
		"--connect-timeout", "60", "--request-timeout", "60", "-e", "CONSISTENCY ALL;\n"+statements)
}

// runCqlsh runs cqlsh with arguments.
func runCqlsh(t *testing.T, args ...string) string {
	t.Helper()
	path, err := filepath.Abs(env("CQLBULK_TEST_CQLSH", "../../../.cache/cqlsh/bin/cqlsh"))
	require.NoError(t, err)
	require.FileExists(t, path, "get cqlsh with: deploy/cqlsh/install")
	shell := command.CommandContext(t.Context(), path, args...)
	shell.Dir = t.TempDir()
	// COPY reads and writes timestamps in the zone of the machine, and text in its encoding.
	shell.Env = append(shell.Environ(), "TZ=UTC", "LC_ALL=C.UTF-8", "PYTHONWARNINGS=ignore")
	var out bytes.Buffer
	shell.Stdout, shell.Stderr = &out, &out
	if err := shell.Run(); err != nil { // it ends so whenever it has said something
		fmt.Fprintln(&out, err)
	}
	return out.String()
}

// smallBatches is an option of every COPY FROM. For a larger batch over many partitions the servers
// log warnings, at most once a minute. Those would hide warnings about cqlbulk's own batches.
const smallBatches = "MAXBATCHSIZE = 5"

// The tables of the comparison have every type that both tools read from the same
// text. COPY FROM cannot load durations at all, and is no match for nulls inside tuples.
const (
	sharedType = `(street text, zip int, tags frozen<set<text>>)`
	sharedBody = `(p text, c timeuuid, a ascii, b bigint, bl blob, bo boolean, d date, de decimal,
		db double, fl float, i inet, n int, l list<text>, m map<text, int>, s set<uuid>,
		st text static, sm smallint, t time, ti tinyint, ts timestamp, tu tuple<int, text>, u frozen<%s>,
		v vector<float, 3>, vi varint, PRIMARY KEY (p, c))`
	sharedColumns = "p,c,a,b,bl,bo,d,de,db,fl,i,n,l,m,s,st,sm,t,ti,ts,tu,u,v,vi"
)

// sharedRows makes rows in the text that COPY FROM and cqlbulk understand in the
// same way. In one row in five each column but the keys may be null.
func sharedRows(rows int) string {
	random := rand.New(rand.NewPCG(5, 6))
	var b strings.Builder
	b.WriteString(sharedColumns + "\n")
	id := make([]byte, 16)
	uuid := func(version byte, n int) string {
		binary.BigEndian.PutUint64(id, uint64(n)*0x9e3779b97f4a7c15)
		binary.BigEndian.PutUint64(id[8:], uint64(n))
		id[6], id[8] = id[6]&0x0f|version<<4, id[8]&0x3f|0x80
		return fmt.Sprintf("%x-%x-%x-%x-%x", id[:4], id[4:6], id[6:8], id[8:10], id[10:])
	}
	for i := range rows {
		fields := []string{
			fmt.Sprintf("part %d", i/7),
			uuid(1, i),
			fmt.Sprintf(
				"ascii~%d",
				i,
			),
			fmt.Sprint(random.Int64() - 1<<62),
			fmt.Sprintf("0x%x", random.Uint64()|1<<60),
			[]string{"True", "False"}[i%2],
			fmt.Sprintf(
				"%d-%02d-%02d",
				1600+random.IntN(1000),
				1+random.IntN(12),
				1+random.IntN(28),
			),
			fmt.Sprintf("%d.%0*d", random.IntN(1<<30)-1<<29, 1+random.IntN(12), random.IntN(10)),
			fmt.Sprint(random.NormFloat64() * 1e6),
			fmt.Sprint(float32(random.NormFloat64())),
			fmt.Sprintf(
				"10.%d.%d.%d",
				random.IntN(256),
				random.IntN(256),
				random.IntN(256),
			),
			fmt.Sprint(int32(random.Uint32())),
			fmt.Sprintf(
				`"['a', 'it''s %d', 'é日😀']"`,
				i,
			),
			fmt.Sprintf(`"{'a': %d, 'b,c': %d}"`, i, -i),
			fmt.Sprintf(`"{%s, %s}"`, uuid(4, i), uuid(4, i+1)),
			fmt.Sprintf("static %d é日😀", i/7),
			fmt.Sprint(int16(random.Uint32())),
			fmt.Sprintf(
				"%02d:%02d:%02d.%09d",
				random.IntN(24),
				random.IntN(60),
				random.IntN(60),
				random.IntN(1e9),
			),
			fmt.Sprint(int8(random.Uint32())),
			// Of other fractions COPY FROM loses a millisecond now and then.
			fmt.Sprintf(
				"%d-%02d-%02d %02d:%02d:%02d.%03d+0000",
				1970+random.IntN(100),
				1+random.IntN(12),
				1+random.IntN(28),
				random.IntN(24),
				random.IntN(60),
				random.IntN(60),
				125*random.IntN(8),
			),
			fmt.Sprintf(
				`"(%d, 'x, y')"`,
				i,
			),
			fmt.Sprintf(`"{street: 'Main, it''s', zip: %d, tags: {'x', 'y%d'}}"`, i, i),
			fmt.Sprintf(
				`"[%d, %g, -0.5]"`,
				i,
				random.Float32(),
			),
			fmt.Sprintf("-%d%019d", i+1, random.Int64N(1e18)),
		}
		if i%5 == 4 {
			for k := 2; k < len(fields); k++ {
				// The rows of a partition agree about what is static.
				if k != 15 && random.IntN(3) == 0 {
					fields[k] = ""
				}
			}
		}
		b.WriteString(strings.Join(fields, ",") + "\n")
	}
	return b.String()
}

// sharedTables makes tables of every type, and the type that they share, which no other test uses.
func sharedTables(t *testing.T, userType string, names ...string) {
	t.Helper()
	for _, name := range names {
		exec(t, "DROP TABLE IF EXISTS it1."+name)
	}
	exec(t, "DROP TYPE IF EXISTS it1."+userType, "CREATE TYPE it1."+userType+" "+sharedType)
	for _, name := range names {
		exec(t, "CREATE TABLE it1."+name+" "+fmt.Sprintf(sharedBody, userType))
	}
}

// TestAgreesWithCqlsh loads one file with COPY FROM and with load: the tables have
// the same rows. The file is one that both read in the same way.
func TestAgreesWithCqlsh(t *testing.T) {
	t.Parallel()
	rows := testRows(t, either(2_000, 20_000)) // COPY FROM loads some hundreds a second
	sharedTables(t, "shared", "by_cqlsh", "by_cqlbulk")
	path := file(t, "shared.csv", sharedRows(rows))
	copyFrom(t, "it1.by_cqlsh", path, rows, "HEADER = true")
	want := tableSum(t, "it1.by_cqlsh", rows)
	for _, dialect := range []string{"cqlbulk", "cqlsh"} {
		exec(t, "TRUNCATE it1.by_cqlbulk")
		r := ok(t, "load", "it1.by_cqlbulk", path, "--dialect", dialect)
		require.Contains(t, r.report, grouped(rows)+" read, 0 rejected")
		require.Equal(t, want, tableSum(t, "it1.by_cqlbulk", rows), dialect)
	}
}

// copyFrom loads a file of that number of rows with cqlsh, and requires that it loads all.
func copyFrom(t *testing.T, name, path string, rows int, options string) {
	t.Helper()
	said := cqlsh(
		t,
		fmt.Sprintf(
			"COPY %s (%s) FROM '%s' WITH %s AND %s;",
			name,
			strings.ReplaceAll(sharedColumns, ",", ", "),
			path,
			options,
			smallBatches,
		),
	)
	require.Contains(t, said, fmt.Sprintf("%d rows imported from 1 files", rows))
	require.NotContains(t, said, "given up", "what was refused for too much load is written again")
}

// tableSum returns the checksum of a table, and requires that number of rows.
func tableSum(t *testing.T, name string, rows int) string {
	t.Helper()
	r := ok(t, "scan", name, "-o", t.TempDir()+"/rows.csv")
	require.Contains(t, r.report, " "+grouped(rows)+" rows of ")
	return checksum(t, r)
}

// specials are texts that COPY TO escapes, twice over, and that COPY FROM does not
// read back.
var specials = []string{
	"plain",
	`a\b`,
	`C:\new\x41`,
	`\`,
	`\\n`,
	"line\nfeed",
	"carriage\rreturn",
	"both\r\n",
	"tab\t",
	"nul\x00",
	"delete\x7f",
	"c1\u0085",
	"blank\u00a0hard",
	`say "hi"`,
	`"`,
	"it's",
	"'",
	"a,b",
	"a, 'b",
	"[x",
	"}",
	" blanks ",
	"é日😀",
	"null",
	"None",
	"",
}

// specialRows makes a row for each of the special texts, in cqlbulk's text.
func specialRows(texts []string) string {
	var b strings.Builder
	b.WriteString("p,c,st,l,m,tu,u\n")
	for i, s := range texts {
		quoted := strings.ReplaceAll(s, `"`, `""`)
		literal := "'" + strings.ReplaceAll(quoted, "'", "''") + "'"
		street := literal
		if s == "" {
			street = "null" // as COPY FROM takes an empty text there
		}
		fmt.Fprintf(
			&b,
			"\"special %d\",00000000-0000-1000-8000-%012x,\"%s\",\"[%s, %s]\",\"{%s: 1}\",\"(1, %s)\",\"{street: %s, zip: 1, tags: {%s}}\"\n",
			i,
			i,
			quoted,
			literal,
			literal,
			literal,
			literal,
			street,
			literal,
		)
	}
	return b.String()
}

// TestReadsWhatCqlshWrites copies a table with COPY TO and loads the file. With its escapes undone
// it makes the same rows again, which COPY FROM cannot. Otherwise it makes the rows that COPY FROM
// makes.
func TestReadsWhatCqlshWrites(t *testing.T) {
	lengthy(t)
	t.Parallel()
	rows := testRows(t, either(2_000, 20_000)) // COPY FROM loads some hundreds a second
	sharedTables(t, "shared_copied", "copied", "copied_cqlsh", "copied_cqlbulk")
	ok(t, "load", "it1.copied", file(t, "shared.csv", sharedRows(rows)), "--dialect", "cqlsh")
	ok(t, "load", "it1.copied", file(t, "special.csv", specialRows(specials)))
	rows += len(specials)
	original := tableSum(t, "it1.copied", rows)

	path := filepath.Join(t.TempDir(), "copied.csv")
	// COPY TO counts digits after the point, and small numbers need more of those.
	const exact = "HEADER = true AND NULL = '<null>' AND DOUBLEPRECISION = 22 AND FLOATPRECISION = 14"
	said := cqlsh(
		t,
		fmt.Sprintf(
			"COPY it1.copied (%s) TO '%s' WITH %s;",
			strings.ReplaceAll(sharedColumns, ",", ", "),
			path,
			exact,
		),
	)
	require.Contains(t, said, fmt.Sprintf("%d rows exported to 1 files", rows))
	dialect := []string{
		"load",
		"it1.copied_cqlbulk",
		path,
		"--dialect",
		"cqlsh",
		"--null-string",
		"<null>",
	}
	ok(t, append(dialect, "--unescape")...)
	require.Equal(t, original, tableSum(t, "it1.copied_cqlbulk", rows), "with the escapes undone")

	copyFrom(t, "it1.copied_cqlsh", path, rows, "HEADER = true AND NULL = '<null>'")
	theirs := tableSum(t, "it1.copied_cqlsh", rows)
	require.NotEqual(t, original, theirs, "COPY FROM does not read what COPY TO writes")
	exec(t, "TRUNCATE it1.copied_cqlbulk")
	ok(t, dialect...)
	require.Equal(t, theirs, tableSum(t, "it1.copied_cqlbulk", rows), "as COPY FROM reads it")
}
