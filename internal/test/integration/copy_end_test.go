//go:build integration

package integration

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// interval matches a time as cqlsh prints it.
const interval = `(?:\d+ days?, \d+ hours?, \d+ minutes?, and )?\d+\.\d{3} seconds`

var (
	importedLine = regexp.MustCompile(
		`\n(\d+) rows imported from (\d+) files in ` + interval + ` \((\d+) skipped\)\.\n`,
	)
	exportedLine = regexp.MustCompile(`\n(\d+) rows exported to (\d+) files in ` + interval + `\.\n`)
	failedLine   = regexp.MustCompile(`Failed to process (\d+) rows; failed rows written to (\S+)\n`)
	rateLine     = regexp.MustCompile(
		`^Processed: (\d+) rows; Rate: [ \d]{7,} rows/s; Avg\. rate: [ \d]{7,} rows/s\r\n`,
	)
)

// found returns what an expression matches in a text, and its groups.
func found(t *testing.T, of *regexp.Regexp, text string) []string {
	t.Helper()
	groups := of.FindStringSubmatch(text)
	require.NotNil(t, groups, "%s\n%s", of, text)
	return groups[1:]
}

// TestCopyEnd gives the same statements to cqlsh and to copy. Both print the same last line, and
// leave the same files of rejected rows, of the pace and of the output.
func TestCopyEnd(t *testing.T) {
	lengthy(t)
	t.Parallel()
	table(t, "it1.copied_end", "(k int PRIMARY KEY, v text, n int)")
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	content := "k,v,n\n"
	for i := range 44 {
		content += fmt.Sprintf("%d,text %d,%d\n", i, i, i)
	}
	content += "bad,\"no, key\",1\n50,no number,1.5\n51,too few\n"
	require.NoError(t, os.WriteFile(path("a.csv"), []byte(content), 0o600))
	require.NoError(t, os.WriteFile(path("b.csv"), []byte("k,v,n\n60,one more,1\n"), 0o600))
	from := func(who string) string {
		require.NoError(t, os.WriteFile(path(who+".err"), []byte("earlier\n"), 0o600))
		require.NoError(t, os.WriteFile(path(who+".rates"), []byte("earlier\n"), 0o600))
		return fmt.Sprintf(
			"COPY it1.copied_end (k, v, n) FROM '%s,%s' WITH HEADER = true AND SKIPROWS = 2 AND "+
				"ERRFILE = '%s' AND RATEFILE = '%s' AND NUMPROCESSES = 1 AND MAXBATCHSIZE = 5;",
			path("a.csv"), path("b.csv"), path(who+".err"), path(who+".rates"),
		)
	}
	theirs := cqlsh(t, from("theirs"))
	ours := cqlbulk(t, "copy", from("ours"), "--run-dir", path("run"))
	require.Equal(t, 2, ours.code, ours.report)
	require.Equal(t, []string{"43", "2", "2"}, found(t, importedLine, theirs))
	require.Equal(t, found(t, importedLine, theirs), found(t, importedLine, ours.out))
	require.Equal(t, []string{"3", path("theirs.err")}, found(t, failedLine, theirs))
	require.Equal(t, []string{"3", path("ours.err")}, found(t, failedLine, ours.report))
	lines := func(name string) []string {
		all := strings.Split(strings.ReplaceAll(read(t, path(name)), "\r\n", "\n"), "\n")
		slices.Sort(all)
		return all
	}
	require.Equal(t, lines("theirs.err"), lines("ours.err"))
	for _, who := range []string{"theirs", "ours"} {
		moved, err := filepath.Glob(path(who + ".err.*"))
		require.NoError(t, err)
		require.Len(t, moved, 1)
		require.Regexp(t, `\.err\.\d{8}_\d{6}$`, moved[0])
		require.Equal(t, "earlier\n", read(t, moved[0]))
		require.Equal(t, "46", found(t, rateLine, last(read(t, path(who+".rates"))))[0])
	}

	// What is corrected loads with the same statement, without the header.
	mended := strings.NewReplacer("bad,", "61,", "1.5", "1", "too few", "enough,1").
		Replace(read(t, path("ours.err")))
	require.NoError(t, os.WriteFile(path("mended.csv"), []byte(mended), 0o600))
	again := ok(t, "copy", "COPY it1.copied_end (k, v, n) FROM '"+path("mended.csv")+"'")
	require.Equal(t, []string{"3", "1", "0"}, found(t, importedLine, again.out))

	to := func(who string) string {
		return fmt.Sprintf(
			"COPY it1.copied_end (k, v, n) TO '%s' WITH HEADER = true AND MAXOUTPUTSIZE = 10 AND "+
				"RATEFILE = '%s' AND NUMPROCESSES = 1 AND MAXREQUESTS = 2;",
			path(who), path(who+".rates"),
		)
	}
	theirs = cqlsh(t, to("theirs"))
	ours = ok(t, "copy", to("ours"))
	require.Equal(t, []string{"46", "5"}, found(t, exportedLine, theirs))
	require.Equal(t, found(t, exportedLine, theirs), found(t, exportedLine, ours.out))
	var joined, theirRows []string
	for i, rows := range []int{11, 10, 10, 10, 6} {
		ending := ""
		if i > 0 {
			ending = fmt.Sprintf(".%d", i)
		}
		text := read(t, path("ours"+ending))
		require.Equal(t, rows, strings.Count(text, "\n"), ending)
		require.Equal(t, i == 0, strings.HasPrefix(text, "k,v,n\r\n"))
		joined = append(joined, lines("ours"+ending)...)
		theirRows = append(theirRows, lines("theirs"+ending)...)
	}
	require.NoFileExists(t, path("ours.5"))
	require.ElementsMatch(t, theirRows, joined)
	require.Equal(t, "46", found(t, rateLine, last(read(t, path("ours.rates"))))[0])
}

// last returns the last line of a text.
func last(text string) string {
	lines := strings.SplitAfter(text, "\n")
	return lines[max(len(lines)-2, 0)]
}
