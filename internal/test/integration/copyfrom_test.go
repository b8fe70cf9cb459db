//go:build integration

package integration

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// copyFromOptions are options of COPY FROM, and the columns with which both tools make the same
// rows. The written options are those of the COPY TO that writes the file, too.
var copyFromOptions = []struct{ columns, written, options string }{
	{"", "", ""},
	{"", "HEADER = true", ""},
	{"", "HEADER = True AND DELIMITER = '|'", ""},
	{"", "DELIMITER = ';' AND QUOTE = ''''", ""},
	{"", "ESCAPE = '\"'", ""},
	{"", "ESCAPE = '^'", ""},
	{"", "QUOTE = '#' AND ESCAPE = '#'", ""},
	{"", "QUOTE = '#' AND ESCAPE = '!'", ""},
	{"", "DELIMITER = '	'", ""},
	{"", "DELIMITER = ' '", ""},
	{"", "NULL = 'NULL'", ""},
	{"", "NULL = '-' AND HEADER = true", ""},
	{"", "NULL = 'a,b'", ""},
	{"", "BOOLSTYLE = 'yes,no'", ""},
	{"", "BOOLSTYLE = ' 1 , 0 '", ""},
	{"p, c, ts", "DATETIMEFORMAT = '%d/%m/%Y %H:%M:%S'", ""},
	{"p, c, ts", "DATETIMEFORMAT = '%Y-%m-%dT%H:%M:%S.%fZ'", ""},
	{"p, c, ts", "DATETIMEFORMAT = '%Y-%m-%d %H:%M:%S%z'", ""},
	{"p, c, ts", "DATETIMEFORMAT = '%a %d %b %Y %I:%M:%S %p'", ""},
	{"p, c, ts, v", "DATETIMEFORMAT = '%m/%d/%y %H:%M:%S' AND DELIMITER = '/'", ""},
	{"p, c, n, sm, ti, fl, db", "THOUSANDSSEP = ','", ""},
	{"p, c, n, sm, ti, fl, db", "THOUSANDSSEP = '.' AND DECIMALSEP = ','", ""},
	{"p, c, n, fl, db", "DECIMALSEP = ',' AND DELIMITER = ';'", ""},
	{"p, c, n, fl, db", "THOUSANDSSEP = ' '", ""},
	{"", "ENCODING = 'utf8'", ""},
	{"st, c, p, u", "NULL = '?' AND BOOLSTYLE = 'ja,nein'", ""},
	{"u, l, m, s, tu, v, p, c", "HEADER = true", ""},
	{"", "", "CHUNKSIZE = 7"},
	{"", "", "INGESTRATE = 500"},
	{"", "", "MINBATCHSIZE = 1"},
	{"", "", "MINBATCHSIZE = 3 AND NUMPROCESSES = 2 AND MAXREQUESTS = 2"},
	{"", "", "MAXATTEMPTS = 2 AND REPORTFREQUENCY = 0.1"},
	{"", "", "MAXROWS = 50"},
	{"", "HEADER = true", "MAXROWS = 50"},
	{"", "", "SKIPROWS = 20"},
	{"", "HEADER = true", "SKIPROWS = 20 AND MAXROWS = 50"},
	{"", "", "SKIPCOLS = 'n, u,v'"},
	{"p, c, l, m, s", "", "SKIPCOLS = 'm'"},
	{"", "", "TTL = 100000"},
	{"", "", "MAXPARSEERRORS = 0 AND MAXINSERTERRORS = 0"},
	{"p, c, a, b, bo, n, st", "", "PREPAREDSTATEMENTS = false"},
	{"", "NULL = 'NULL'", "PAGESIZE = 10 AND PAGETIMEOUT = 3 AND BEGINTOKEN = '1'"},
}

// TestCopyFromReadsCqlshsText has cqlsh write a table with options, and gives the same COPY FROM to
// cqlsh and to copy. They make the same rows. Both read the same lines of the file where the
// options select some.
func TestCopyFromReadsCqlshsText(t *testing.T) {
	lengthy(t)
	t.Parallel()
	const rows = 120
	sharedTables(t, "shared_copied_from", "copied_out", "copied_in")
	ok(t, "load", "it1.copied_out", file(t, "shared.csv", sharedRows(rows)), "--dialect", "cqlsh")
	path := func(i int) string { return fmt.Sprintf("copied-%d.csv", i) }
	dir := t.TempDir()
	with := func(options ...string) string {
		var given []string
		for _, text := range options {
			if text != "" {
				given = append(given, text)
			}
		}
		if given == nil {
			return ""
		}
		return " WITH " + strings.Join(given, " AND ")
	}
	columns := func(names string) string {
		if names == "" {
			return ""
		}
		return " (" + names + ")"
	}
	var all strings.Builder
	for i, tc := range copyFromOptions {
		fmt.Fprintf(&all, "COPY it1.copied_out%s TO '%s'%s;\n",
			columns(tc.columns), filepath.Join(dir, path(i)), with(tc.written))
	}
	said := cqlsh(t, all.String())
	require.Equal(t, len(copyFromOptions), strings.Count(said, " rows exported to 1 files"), said)
	for i, tc := range copyFromOptions {
		options := with(tc.written, tc.options, smallBatches)
		statement := fmt.Sprintf("COPY it1.copied_in%s FROM '%s'%s",
			columns(tc.columns), filepath.Join(dir, path(i)), options)
		t.Run(statement, func(t *testing.T) {
			exec(t, "TRUNCATE it1.copied_in")
			said := cqlsh(t, statement+";")
			require.Contains(t, said, " rows imported from 1 files")
			theirs := ok(t, "scan", "it1.copied_in")
			require.NotEmpty(t, sortedLines(t, theirs.out), said)
			exec(t, "TRUNCATE it1.copied_in")
			ours := cqlbulk(t, "copy", statement)
			require.Zero(t, ours.code, ours.report)
			// Frozen sets of cqlsh are in the order of its hashes. The checksum has them sorted.
			after := ok(t, "scan", "it1.copied_in")
			want, got := checksum(t, theirs), checksum(t, after)
			require.Equal(t, want, got, "%s\n%s", theirs.out, after.out)
		})
	}
}
