//go:build integration

package integration

import (
	"errors"
	"fmt"
	"io"
	"os"
	osexec "os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/cli"
	"github.com/cqlbulk/cqlbulk/internal/run/reject"
)

// Rejects that are corrected after a retry has loaded them, or are read otherwise, replace what
// that retry wrote. What an application wrote after the load stays.
func TestRetryOfCorrectedRows(t *testing.T) {
	t.Parallel()
	table(t, "it1.corrected", "(k int PRIMARY KEY, n int, at timestamp)")
	dir := filepath.Join(t.TempDir(), "run")
	r := cqlbulk(
		t,
		"load",
		"it1.corrected",
		file(t, "in.csv", "k,n,at\n1,x,\n2,x,\n3,3,\n"),
		"--run-dir",
		dir,
	)
	require.Equal(t, 2, r.code, r.report)
	exec(t, "INSERT INTO it1.corrected (k, n) VALUES (2, 0)")
	rejects := filepath.Join(dir, "rejects.csv")
	rows := func() []string {
		return strings.Fields(
			ok(t, "scan", "it1.corrected", "--columns", "k,n,at", "--header=false").out,
		)
	}
	for _, n := range []string{"9", "4", "7", "1"} {
		require.NoError(
			t,
			os.WriteFile(rejects, []byte("k,n,at\n1,"+n+",05/04/2026\n2,5,\n"), 0o600),
		)
		ok(t, "retry", dir, "--dialect", "cqlsh", "--datetimeformat", "%d/%m/%Y")
		require.ElementsMatch(
			t,
			[]string{"1," + n + ",2026-04-05T00:00:00Z", "2,0,", "3,3,"},
			rows(),
		)
	}
	// A later date is read first, so that the correction has the smaller value.
	for _, c := range []struct{ format, want string }{{"%m/%d/%Y", "2026-05-04"}, {"%d/%m/%Y", "2026-04-05"}} {
		r := ok(t, "retry", dir, "--datetimeformat", c.format)
		require.Contains(
			t,
			r.report,
			"2 rows may have been written before, and have another text or reading by now",
		)
		require.ElementsMatch(t, []string{"1,1," + c.want + "T00:00:00Z", "2,0,", "3,3,"}, rows())
	}
	before := ok(t, "scan", "it1.corrected", "--columns", "k,writetime(n)", "--header=false").out
	r = ok(t, "retry", dir)
	require.NotContains(t, r.report, "may have been written before")
	require.ElementsMatch(
		t,
		strings.Fields(before),
		strings.Fields(
			ok(t, "scan", "it1.corrected", "--columns", "k,writetime(n)", "--header=false").out,
		),
	)
}

// advised are the arguments of a command that the report of a refusal has behind a text.
func advised(t *testing.T, report, behind string) []string {
	t.Helper()
	_, line, found := strings.Cut(report, behind)
	require.True(t, found, report)
	line, _, _ = strings.Cut(line, "\n")
	words, err := osexec.CommandContext(t.Context(), "sh", "-c", "for w in "+line+`; do printf '%s\0' "$w"; done`).
		Output()
	require.NoError(t, err)
	args := strings.Split(strings.TrimSuffix(string(words), "\x00"), "\x00")
	require.Equal(t, "cqlbulk", args[0])
	if args[1] == "load" {
		// The command has a new run directory, which is beside the user and would be beside this
		// test.
		args = append(args, "--run-dir", filepath.Join(t.TempDir(), "anew"))
	}
	return args[1:]
}

// The command that the refusal of a changed reading advises brings the table to what the file says.
func TestAdviceOfARefusedReading(t *testing.T) {
	t.Parallel()
	stopped := func(name, text string, flags ...string) (dir string) {
		dir = filepath.Join(t.TempDir(), "run")
		r := cqlbulk(
			t,
			append(
				[]string{
					"load",
					name,
					file(t, "in.csv", text),
					"--run-dir",
					dir,
					"--maxparseerrors",
					"0",
				},
				flags...)...)
		require.Equal(t, 3, r.code, r.report)
		return dir
	}
	rows := func(name string) []string {
		return strings.Fields(ok(t, "scan", name, "--columns", "k,v,at", "--header=false").out)
	}
	// written are rows as the stopped run may have written them: it was stopped in its first piece.
	written := func(name, at, using string) {
		exec(
			t,
			fmt.Sprintf("INSERT INTO %s (k, v, at) VALUES (1, 'NA', '%s') %s", name, at, using),
			fmt.Sprintf("INSERT INTO %s (k, v, at) VALUES (2, 'b', '%s') %s", name, at, using),
		)
	}
	const body = "(k int PRIMARY KEY, v text, at timestamp)"
	const text = "k,v,at\n1,NA,05/04/2026\n2,b,05/04/2026\n"
	const broken = text + "x,c,\n"
	slashed := func(format string) []string { return []string{"--dialect", "cqlsh", "--datetimeformat", format} }

	table(t, "it1.advised_nulls", body)
	dir := stopped("it1.advised_nulls", broken, slashed("%d/%m/%Y")...)
	written("it1.advised_nulls", "2026-04-05", "")
	r := cqlbulk(t, "resume", dir, "--null-string", "NA")
	require.Equal(t, 1, r.code, r.report)
	r = cqlbulk(
		t,
		append(
			advised(t, r.report, "deletes values that are null by now: "),
			"--maxparseerrors",
			"1",
		)...)
	require.Equal(t, 2, r.code, r.report)
	require.ElementsMatch(
		t,
		[]string{"1,,2026-04-05T00:00:00Z", "2,b,2026-04-05T00:00:00Z"},
		rows("it1.advised_nulls"),
	)

	// With a timestamp of its own, the load that is advised has a later one.
	table(t, "it1.advised_times", body)
	dir = stopped(
		"it1.advised_times",
		broken,
		append(slashed("%m/%d/%Y"), "--timestamp", "1700000000000000")...)
	written("it1.advised_times", "2026-05-04", "USING TIMESTAMP 1700000000000000")
	r = cqlbulk(t, "resume", dir, "--datetimeformat", "%d/%m/%Y")
	require.Equal(t, 1, r.code, r.report)
	r = cqlbulk(
		t,
		append(
			advised(t, r.report, "replaces rows of the same keys: "),
			"--maxparseerrors",
			"1",
		)...)
	require.Equal(t, 2, r.code, r.report)
	require.ElementsMatch(
		t,
		[]string{"1,NA,2026-04-05T00:00:00Z", "2,b,2026-04-05T00:00:00Z"},
		rows("it1.advised_times"),
	)

	// A column that is written no more: the rows are deleted first.
	table(t, "it1.advised_columns", body)
	dir = stopped("it1.advised_columns", broken, slashed("%d/%m/%Y")...)
	written("it1.advised_columns", "2026-04-05", "")
	r = cqlbulk(t, "resume", dir, "--skipcols", "v")
	require.Equal(t, 1, r.code, r.report)
	require.Contains(t, r.report, "delete those that are loaded, since ")
	exec(t, "DELETE FROM it1.advised_columns WHERE k IN (1, 2)")
	r = cqlbulk(t, append(advised(t, r.report, "and load from the start: "), "--maxparseerrors", "1")...)
	require.Equal(t, 2, r.code, r.report)
	require.ElementsMatch(
		t,
		[]string{"1,,2026-04-05T00:00:00Z", "2,,2026-04-05T00:00:00Z"},
		rows("it1.advised_columns"),
	)

	// A retry that was stopped: the rows of the first load are in, and one retry after it is
	// enough.
	table(t, "it1.advised_retry", body)
	dir = filepath.Join(t.TempDir(), "run")
	r = cqlbulk(
		t,
		append(
			[]string{
				"load",
				"it1.advised_retry",
				file(t, "in.csv", "k,v,at\nx,a,05/04/2026\ny,b,05/04/2026\nz,c,\n"),
				"--run-dir",
				dir,
			},
			slashed("%m/%d/%Y")...)...)
	require.Equal(t, 2, r.code, r.report)
	require.NoError(
		t,
		os.WriteFile(
			filepath.Join(dir, "rejects.csv"),
			[]byte("k,v,at\n1,b,05/04/2026\n2,b,05/04/2026\nz,c,\n"),
			0o600,
		),
	)
	r = cqlbulk(t, "retry", dir, "--maxparseerrors", "0")
	require.Equal(t, 3, r.code, r.report)
	kept, err := reject.Find(dir)
	require.NoError(t, err)
	for i, stamp := range kept[0].Stamps[:2] {
		exec(
			t,
			fmt.Sprintf(
				"INSERT INTO it1.advised_retry (k, v, at) VALUES (%d, 'b', '2026-05-04') USING TIMESTAMP %d",
				i+1,
				stamp,
			),
		)
	}
	r = cqlbulk(t, "resume", filepath.Join(dir, "retry-1"), "--datetimeformat", "%d/%m/%Y")
	require.Equal(t, 1, r.code, r.report)
	r = cqlbulk(
		t,
		append(
			advised(t, r.report, "which replaces what this retry wrote: "),
			"--maxparseerrors",
			"1",
		)...)
	require.Equal(t, 2, r.code, r.report)
	require.ElementsMatch(
		t,
		[]string{"1,b,2026-04-05T00:00:00Z", "2,b,2026-04-05T00:00:00Z"},
		rows("it1.advised_retry"),
	)
}

// A column that is dropped and added again hides what was written before. A load that was stopped
// is not resumed then, its rejects are not loaded, and neither is a scan resumed.
func TestColumnDroppedAfterALoad(t *testing.T) {
	t.Parallel()
	table(t, "it1.readded", "(k int PRIMARY KEY, n int, v text)")
	partly, stopped := filepath.Join(t.TempDir(), "partly"), filepath.Join(t.TempDir(), "stopped")
	input := file(t, "in.csv", "k,n,v\n1,1,a\n2,x,b\n")
	require.Equal(t, 2, cqlbulk(t, "load", "it1.readded", input, "--run-dir", partly).code)
	require.Equal(
		t,
		3,
		cqlbulk(
			t,
			"load",
			"it1.readded",
			input,
			"--run-dir",
			stopped,
			"--maxparseerrors",
			"0",
		).code,
	)
	// A drop that came before a load is no reason.
	exec(t, "ALTER TABLE it1.readded DROP v", "ALTER TABLE it1.readded ADD v text")
	later := filepath.Join(t.TempDir(), "later")
	require.Equal(t, 2, cqlbulk(t, "load", "it1.readded", input, "--run-dir", later).code)
	require.Equal(t, 2, cqlbulk(t, "retry", later).code)

	for _, args := range [][]string{{"retry", partly}, {"resume", stopped}} {
		r := cqlbulk(t, args...)
		require.Equal(t, 4, r.code, r.report)
		require.Contains(t, r.report, `column "v" of table it1.readded was dropped at 20`)
		require.Contains(t, r.report, "load all inputs again with cqlbulk load")
	}
}

// So it is while rows are loaded, by CQL and by streaming.
func TestColumnDroppedUnderALoad(t *testing.T) {
	t.Parallel()
	input := padded(4000, 500)
	text := paddedHeader + strings.Join(input, "")
	for via, flags := range map[string][]string{"cql": nil, "stream": {"--slice", "1MiB"}} {
		t.Run(via, func(t *testing.T) {
			t.Parallel()
			name, dir := "it1.redropped_"+via, filepath.Join(t.TempDir(), "run")
			table(t, name, paddedBody)
			var report reports
			in, rest := io.Pipe()
			ended := make(chan int, 1)
			go func() {
				args := append(
					[]string{
						"load",
						name,
						"-",
						"--via",
						via,
						"--run-dir",
						dir,
						"--hosts",
						testHosts(),
					},
					flags...)
				ended <- cli.Run(t.Context(), args, in, io.Discard, &report)
				_ = in.CloseWithError(errors.New("the load has ended"))
			}()
			begun := len(text) * 3 / 4 // more than a slice
			_, err := rest.Write([]byte(text[:begun]))
			require.NoError(t, err, report.String())
			require.Eventually(
				t,
				func() bool { return recordedRows(dir) > 0 || len(ended) > 0 },
				time.Minute,
				10*time.Millisecond,
			)
			exec(t, "ALTER TABLE "+name+" DROP note", "ALTER TABLE "+name+" ADD note text")
			_, _ = rest.Write([]byte(text[begun:])) // the load may have ended
			_ = rest.Close()
			require.Equal(t, 4, <-ended, report.String())
			require.Contains(
				t,
				report.String(),
				`column "note" of table `+name+" was dropped at 20",
			)
			require.Contains(t, report.String(), "load all inputs again with cqlbulk load")
			require.NotContains(t, report.String(), "continue with")
			status := cqlbulkOffline(t, "status", dir)
			require.Zero(t, status.code, status.report)
			require.Contains(t, status.out, "failed for good: ")
			require.NotContains(t, status.out, "cqlbulk resume")
			path := file(t, "in.csv", text)
			ok(t, append([]string{"load", name, path, "--via", via}, flags...)...)
			requireRows(t, input, ok(t, "scan", name, "--columns", "p,c,note").out)
		})
	}
}
