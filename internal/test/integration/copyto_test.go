//go:build integration

package integration

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// copyToOptions are options of COPY TO, and the columns with which both tools write the same bytes.
// "" are all columns.
var copyToOptions = []struct{ columns, options string }{
	{"", ""},
	{"", "HEADER = true"},
	{"", "HEADER = True AND DELIMITER = '|'"},
	{"", "DELIMITER = ';' AND QUOTE = ''''"},
	{"", "ESCAPE = '\"'"},
	{"", "ESCAPE = '^'"},
	{"", "QUOTE = '#' AND ESCAPE = '#'"},
	{"", "QUOTE = '#' AND ESCAPE = '!'"},
	{"", "DELIMITER = '	'"},
	{"", "DELIMITER = ' '"},
	{"", "NULL = 'NULL'"},
	{"", "NULL = '-' AND HEADER = true"},
	{"", "NULL = 'a,b'"},
	{"", "NULL = 'say \"x\"'"},
	{"", "BOOLSTYLE = 'yes,no'"},
	{"", "BOOLSTYLE = ' 1 , 0 '"},
	{"", "BOOLSTYLE = 'True, False'"},
	{"", "FLOATPRECISION = 9 AND DOUBLEPRECISION = 17"},
	{"", "FLOATPRECISION = 1 AND DOUBLEPRECISION = 1"},
	{"", "FLOATPRECISION = 14 AND DOUBLEPRECISION = 22"},
	{"", "DOUBLEPRECISION = 3"},
	{"", "DATETIMEFORMAT = '%d/%m/%Y %H:%M:%S'"},
	{"", "DATETIMEFORMAT = '%Y-%m-%dT%H:%M:%S.%fZ'"},
	{"", "DATETIMEFORMAT = '%a %d %b %Y %I:%M:%S %p %z'"},
	{"", "DATETIMEFORMAT = '%Y%m%d%H%M%S,%f'"},
	{"", "DATETIMEFORMAT = '%m/%d/%y %H:%M:%S.%f' AND DELIMITER = '/'"},
	{"", "PAGESIZE = 7"},
	{"", "PAGETIMEOUT = 60 AND MAXATTEMPTS = 3"},
	{"", "ENCODING = 'utf8'"},
	{"", "NUMPROCESSES = 2 AND MAXREQUESTS = 2"},
	{"p, c, v", "HEADER = true"},
	{"c, p", ""},
	{"bo", ""},
	{"st, p, u", "NULL = '?' AND BOOLSTYLE = 'ja,nein'"},
	{"p, c, n, sm, ti, fl, db", "THOUSANDSSEP = ','"},
	{"p, c, n, sm, ti, fl, db", "THOUSANDSSEP = '.' AND DECIMALSEP = ','"},
	{"p, c, n, fl, db", "DECIMALSEP = ','"},
	{"p, c, n, fl, db", "DECIMALSEP = ',' AND DELIMITER = ';'"},
	{"p, c, n, fl, db", "THOUSANDSSEP = ' ' AND DOUBLEPRECISION = 4"},
	{"p, c, n, fl, db", "THOUSANDSSEP = '''' AND FLOATPRECISION = 9"},
	{"p, c, n, fl, db, v", "DECIMALSEP = ';'"},
}

// TestCopyToWritesCqlshsText gives the same statements to cqlsh and to copy. The table has every
// type. The files have the same bytes, but for the order of their lines.
func TestCopyToWritesCqlshsText(t *testing.T) {
	lengthy(t)
	t.Parallel()
	const rows = 700
	sharedTables(t, "shared_copied_to", "copied_to")
	ok(t, "load", "it1.copied_to", file(t, "shared.csv", sharedRows(rows)), "--dialect", "cqlsh")
	dir := t.TempDir()
	statements := make([]string, len(copyToOptions))
	theirs := make([]string, len(copyToOptions))
	for i, tc := range copyToOptions {
		statements[i] = "COPY it1.copied_to"
		if tc.columns != "" {
			statements[i] += " (" + tc.columns + ")"
		}
		statements[i] += " TO 'FILE'"
		if tc.options != "" {
			statements[i] += " WITH " + tc.options
		}
		theirs[i] = filepath.Join(dir, fmt.Sprintf("theirs-%d.csv", i))
	}
	var all strings.Builder
	for i, statement := range statements {
		all.WriteString(strings.ReplaceAll(statement, "FILE", theirs[i]) + ";\n")
	}
	said := cqlsh(t, all.String())
	require.Equal(t, len(statements), strings.Count(said, " rows exported to 1 files"), said)
	for i, statement := range statements {
		ours := filepath.Join(dir, fmt.Sprintf("ours-%d.csv", i))
		ok(t, "copy", strings.ReplaceAll(statement, "FILE", ours))
		header := strings.Contains(statement, "HEADER")
		require.Equal(
			t, copiedLines(t, theirs[i], header), copiedLines(t, ours, header), statement,
		)
	}
}

// copiedLines returns the lines of a file, sorted but for a header. They end in CR LF.
func copiedLines(t *testing.T, path string, header bool) []string {
	t.Helper()
	lines := strings.Split(read(t, path), "\r\n")
	first := 0
	if header {
		first = 1
	}
	slices.Sort(lines[first:])
	return lines
}

// TestCopyToIsReadBack copies a table of special texts, which COPY TO and COPY FROM change. What
// copy writes is read back by COPY FROM, of cqlsh and of copy, as the same rows. Only copy reads
// texts with line breaks: COPY FROM of cqlsh waits for 90 seconds when it has read one.
func TestCopyToIsReadBack(t *testing.T) {
	lengthy(t)
	t.Parallel()
	const rows = 300
	const digits = " AND DOUBLEPRECISION = 22 AND FLOATPRECISION = 22"
	sharedTables(t, "shared_copied_back", "copied_back", "copied_back_again")
	columns := " (" + strings.ReplaceAll(sharedColumns, ",", ", ") + ") "
	unbroken := slices.DeleteFunc(slices.Clone(specials), func(text string) bool {
		return strings.ContainsAny(text, "\r\n")
	})
	for _, tc := range []struct {
		with  string
		texts []string
		from  func(t *testing.T, statement string)
	}{
		{
			"HEADER = true AND NULL = '<null>'",
			specials,
			func(t *testing.T, statement string) { ok(t, "copy", statement) },
		},
		{
			"NULL = '\\N' AND ESCAPE = '\"' AND DECIMALSEP = ',' AND THOUSANDSSEP = '.' " +
				"AND BOOLSTYLE = 'y,n'",
			specials,
			func(t *testing.T, statement string) { ok(t, "copy", statement) },
		},
		{
			"NULL = '\\N' AND DECIMALSEP = ',' AND THOUSANDSSEP = '.' AND MAXBATCHSIZE = 5",
			unbroken,
			func(t *testing.T, statement string) {
				require.Contains(t, cqlsh(t, statement+";"), "rows imported from 1 files")
			},
		},
	} {
		exec(t, "TRUNCATE it1.copied_back")
		shared := file(t, "shared.csv", sharedRows(rows))
		ok(t, "load", "it1.copied_back", shared, "--dialect", "cqlsh")
		ok(t, "load", "it1.copied_back", file(t, "special.csv", specialRows(tc.texts)))
		path := filepath.Join(t.TempDir(), "copied.csv")
		r := ok(t, "copy", "COPY it1.copied_back"+columns+"TO '"+path+"' WITH "+tc.with+digits)
		require.NotContains(t, r.report, "digits of a float")
		all := rows + len(tc.texts)
		want := tableSum(t, "it1.copied_back", all)

		exec(t, "TRUNCATE it1.copied_back_again")
		tc.from(t, "COPY it1.copied_back_again"+columns+"FROM '"+path+"' WITH "+tc.with)
		require.Equal(t, want, tableSum(t, "it1.copied_back_again", all), tc.with)
	}
}
