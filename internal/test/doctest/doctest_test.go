package doctest

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// root is the repository's, seen from here.
const root = "../../.."

// manual reads all pages.
func manual(t *testing.T) (pages []*Page) {
	t.Helper()
	names, err := Pages(root)
	require.NoError(t, err)
	require.Greater(t, len(names), 10)
	for _, name := range names {
		p, err := ReadPage(root, name)
		require.NoError(t, err)
		pages = append(pages, p)
	}
	return pages
}

// The integration tests run every command of a page, unless it is listed with the reason. What is
// listed stands on a page.
func TestWhatIsNotRunStandsOnAPage(t *testing.T) {
	stands := make(map[int]bool)
	for _, p := range manual(t) {
		for _, c := range p.Commands {
			for i, n := range notRun {
				if n.page == c.Page && n.words == c.Words() {
					stands[i] = true
				}
			}
		}
	}
	for i, n := range notRun {
		require.True(t, stands[i], "%s no longer has %q: take it off the list", n.page, n.words)
		require.NotEmpty(t, n.why, n.words)
	}
}

func TestTheFrontPageIsShort(t *testing.T) {
	p, err := ReadPage(root, "README.md")
	require.NoError(t, err)
	require.LessOrEqual(t, len(p.Lines)-1, 130, "README.md is for the essentials, details belong into docs")
}

var (
	link    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading = regexp.MustCompile(`(?m)^#+ (.+)$`)
	unlike  = regexp.MustCompile(`[^\p{L}\p{N}\- _]`)
)

// Links of the pages, also those of the other pages at the top, lead to files that there are, and
// to their headings.
func TestLinksLeadSomewhere(t *testing.T) {
	names, err := filepath.Glob(filepath.Join(root, "*.md"))
	require.NoError(t, err)
	docs, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
	require.NoError(t, err)
	for _, name := range append(names, docs...) {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		for _, found := range link.FindAllStringSubmatch(string(text), -1) {
			if strings.Contains(found[1], "://") {
				continue
			}
			path, anchor, _ := strings.Cut(found[1], "#")
			target := name
			if path != "" {
				target = filepath.Join(filepath.Dir(name), path)
			}
			require.FileExists(t, target, "%s links to %s", name, found[1])
			if anchor == "" {
				continue
			}
			text, err := os.ReadFile(target)
			require.NoError(t, err)
			var anchors []string
			for _, h := range heading.FindAllStringSubmatch(string(text), -1) {
				anchors = append(
					anchors,
					strings.ReplaceAll(
						strings.ToLower(unlike.ReplaceAllString(h[1], "")),
						" ",
						"-",
					),
				)
			}
			require.Contains(t, anchors, anchor, "%s links to %s", name, found[1])
		}
	}
}

const sample = "# A page\n" +
	"```console\n$ one \\\n> --more   # a remark\nprinted\n\n$ two\n```\n" +
	"words\n```sh\n# a remark\nthree   # a remark\nfor x in a b; do\n  four\\\n  five\n```\n" +
	"```cql\nGRANT a\n  TO b;   -- a remark\nGRANT c;\n```\n```text\nseen\n```\n"

func TestParse(t *testing.T) {
	p, err := parse("p.md", sample)
	require.NoError(t, err)
	require.Equal(t, []Command{
		{
			Page:  "p.md",
			Line:  3,
			Kind:  "console",
			Text:  "one \\\n--more   # a remark",
			Shown: []string{"printed", ""},
		},
		{Page: "p.md", Line: 7, Kind: "console", Text: "two"},
		{Page: "p.md", Line: 12, Kind: "sh", Text: "three   # a remark"},
		{Page: "p.md", Line: 13, Kind: "sh", Text: "for x in a b; do\n  four\\\n  five"},
		{Page: "p.md", Line: 18, Kind: "cql", Text: "GRANT a\nTO b"},
		{Page: "p.md", Line: 20, Kind: "cql", Text: "GRANT c"},
	}, p.Commands)
	require.Equal(t, `p.md:12`, p.Commands[2].At())
	require.Equal(t, "three", p.Commands[2].Words())
}

func TestPagesThatAreWrong(t *testing.T) {
	for text, want := range map[string]string{
		"```\nx\n```\n":                    `p.md:1: a block of kind ""; there are console, sh, cql, yaml, text`,
		"a\n```bash\nx\n```\n":             `p.md:2: a block of kind "bash"; there are console, sh, cql, yaml, text`,
		"```sh\nx\n":                       "p.md:1: a block that does not end",
		"```console\nprinted\n$ x\n```\n":  `p.md:1: a console that does not begin with "$ "`,
		"```cql\nGRANT a;\nGRANT b\n```\n": "p.md:1: a statement without a semicolon",
	} {
		_, err := parse("p.md", text)
		require.EqualError(t, err, want, text)
	}
}

func TestShow(t *testing.T) {
	p, err := parse("p.md", sample)
	require.NoError(t, err)
	p.Show(0, []string{"a", "b", "c"})
	p.Show(1, []string{"d"})
	reparsed, err := parse("p.md", strings.Join(p.Lines, "\n"))
	require.NoError(t, err)
	require.Equal(t, p.Commands, reparsed.Commands)
	require.Equal(t, []string{"a", "b", "c"}, reparsed.Commands[0].Shown)
	require.Equal(t, []string{"d"}, reparsed.Commands[1].Shown)
}

func TestCompare(t *testing.T) {
	for _, same := range []struct{ shown, printed string }{
		{"", ""},
		{"loaded           60,000 rows into demo.flights", "loaded  60,000 rows into demo.flights"},
		{"in                 1.7s 35,683 rows/s, 3.2 MiB/s, 5.3 MiB read", "in  12.0s 5 rows/s, 913 B/s, 5.3 MiB read"},
		{"requests            702 of 85.5 rows, p50 26.5ms, p99 391ms", "requests  7 of 8,500 rows, p50 1m20s, p99 2h"},
		{"recorded   1015.2 KiB of text, in 3 pieces", "recorded   1 B of text, in 1 piece"},
		{"requests   7 of 85.5 rows, 1 retry, p50 1ms, p99 1ms", "requests   7 of 85.5 rows, 12 retries, p50 1ms, p99 1ms"},
		{"begun 2026-11-21T04:55:42Z by cqlbulk 0.1.0", "begun 2027-01-02T00:00:00Z by cqlbulk 1.2.3-4-gabcdef"},
		{"done: 100.0%, seed 7", "done: 3%, seed 9485618483488850357"},
		{"cqlbulk-load-a.b-20261121T030611Z-4711/x", "cqlbulk-load-a.b-20270101T000000Z-1/x"},
		{"node 10.0.0.1:9042 has 5.0.6", "node 10.0.0.1:9042 has 4.1.10"},
		{"a ... c", "a b c"},
		{"stopped  8%  15,140  -  4,065  3m ago  a run-7", "stopped  -  1  -  -  0s ago  a run-8"},
		{"a\n...\nd", "a\nb\nc\nd"},
		{"...", ""},
		{"a\n...", "a"},
		{"...\nb\n...\nb", "a\nb\nb\nc\nb"},
	} {
		require.NoError(t, Compare(Lines(same.shown), Lines(same.printed)), same.shown)
	}
	for _, other := range []struct{ shown, printed, want string }{
		{"loaded 60,000 rows", "loaded 60,001 rows", `the page shows "loaded 60,000 rows", and printed was "loaded 60,001 rows"`},
		{"checksum a1ff", "checksum a1fe", `the page shows "checksum a1ff", and printed was "checksum a1fe"`},
		{"a", "", `the page shows "a", and printed was nothing more`},
		{"", "a", `the page does not show "a"`},
		{"a", "a\nb", `the page does not show "b"`},
		{"10.0.0.1:9042", "10.0.0.2:9042", `the page shows "10.0.0.1:9042", and printed was "10.0.0.2:9042"`},
		{"2013-11-02T09:00:00Z", "2013-11-02T10:00:00Z", `the page shows "2013-11-02T09:00:00Z", and printed was "2013-11-02T10:00:00Z"`},
		{"a\n...\nd", "a\nb", `the page shows "d", and printed was nothing more`},
	} {
		require.EqualError(t, Compare(Lines(other.shown), Lines(other.printed)), other.want)
	}
}

func TestShell(t *testing.T) {
	dir := t.TempDir()
	s, err := NewShell(
		t.Context(),
		dir,
		[]string{"PATH=" + os.Getenv("PATH"), "WHAT=world"},
		filepath.Join(dir, "printed"),
	)
	require.NoError(t, err)
	for _, c := range []struct {
		command, printed string
		status           int
	}{
		{"echo hello $WHAT; echo wrong >&2", "hello world\nwrong\n", 0},
		{"(exit 3)", "", 3},
		{"echo $?", "3\n", 0},
		{"export WHAT=\"two\nlines\"", "", 0},
		{"echo \"$WHAT\"; false", "two\nlines\n", 1},
		{"set -o pipefail", "", 0},
		{"false | cat", "", 1},
		{"cat; pwd", dir + "\n", 0}, // nothing stands on the input
		{"sleep 1000 & ", "", 0},
	} {
		printed, status, err := s.Run(c.command)
		require.NoError(t, err)
		require.Equal(t, c.printed, printed, c.command)
		require.Equal(t, c.status, status, c.command)
	}
	_, _, err = s.Run("exit 7")
	require.ErrorContains(t, err, "the shell has ended")
	require.NoError(t, s.Close())
}
