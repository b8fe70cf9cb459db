//go:build integration

package integration

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/cli"
)

// A column that is added during a load by streaming ends the load, with the reason. Nothing that
// comes after counts as loaded or as complete, and the run does not resume. A load from the
// beginning loads all rows.
func TestColumnAddedInMidLoad(t *testing.T) {
	t.Parallel()
	input := padded(4000, 500)
	text := paddedHeader + strings.Join(input, "")
	path := file(t, "in.csv", text)
	for _, via := range []string{"stream", "sstables"} {
		t.Run(via, func(t *testing.T) {
			t.Parallel()
			name := "it2.altered_" + via
			run := filepath.Join(t.TempDir(), "run")
			dir := filepath.Join(t.TempDir(), "out")
			table(t, name, paddedBody)
			flags := map[string][]string{"stream": {"--slice", "1MiB"}, "sstables": {"-d", dir}}[via]
			in, rest := io.Pipe()
			var report reports
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
						run,
						"--hosts",
						testHosts(),
					},
					flags...)
				code := cli.Run(t.Context(), args, in, io.Discard, &report)
				_ = in.CloseWithError(errors.New("the load has ended"))
				ended <- code
			}()
			begun := len(text) * 3 / 4 // more than a slice
			_, err := rest.Write([]byte(text[:begun]))
			require.NoError(t, err, report.String())
			if via == "stream" {
				require.Eventually(
					t,
					func() bool { return recordedRows(run) > 0 || len(ended) > 0 },
					time.Minute,
					10*time.Millisecond,
				)
			}
			exec(t, "ALTER TABLE "+name+" ADD more int")
			_, _ = rest.Write([]byte(text[begun:])) // the load may have ended
			_ = rest.Close()
			require.Equal(t, 4, <-ended, report.String())
			require.Contains(
				t,
				report.String(),
				"the table was altered, or created again, meanwhile: this load cannot continue",
			)
			for _, untrue := range []string{"to be imported", "continue with"} {
				require.NotContains(t, report.String(), untrue)
			}
			require.Less(t, recordedRows(run), int64(len(input)))
			if via == "sstables" {
				require.Zero(t, recordedRows(run))
				require.NoFileExists(t, filepath.Join(dir, "manifest.json"))
				require.NoFileExists(t, filepath.Join(dir, "import.txt"))
				require.NoDirExists(t, run, "nothing was made that a resume could use")
				return
			}
			r := spawn(t, nil, "resume", run).end(t)
			require.Equal(t, 4, r.code)
			require.Contains(
				t,
				r.report,
				"table "+name+" has other columns than when the run began",
			)

			ok(t, append([]string{"load", name, path, "--via", via}, flags...)...)
			requireRows(t, input, ok(t, "scan", name, "--columns", "p,c,note").out)
		})
	}
}

// If the table gets another default time to live, or an index, in the midst of a load, the load
// ends with the reason. It ends before it sends rows that were made for the table as it was. Those
// that a resume sends are as by CQL.
func TestTableThatChangesBetweenSlices(t *testing.T) {
	t.Parallel()
	input := padded(4000, 500)
	text := paddedHeader + strings.Join(input, "")
	for _, c := range []struct{ name, statement, reason string }{
		{"lives", "ALTER TABLE %s WITH default_time_to_live = 1000000", "the table's default time to live was changed from 0 to 1000000 seconds"},
		{"indexed", "CREATE INDEX made_later ON %s (note)", "the index made_later was created"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			name, dir := "it2.between_"+c.name, filepath.Join(t.TempDir(), "run")
			table(t, name, paddedBody)
			var report reports
			in, rest := io.Pipe()
			ended := make(chan int, 1)
			go func() {
				ended <- cli.Run(t.Context(), []string{"load", name, "-", "--via", "stream", "--slice", "1MiB", "--run-dir", dir, "--hosts", testHosts()}, in, io.Discard, &report)
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
			exec(t, fmt.Sprintf(c.statement, name))
			_, _ = rest.Write([]byte(text[begun:])) // the load may have ended
			_ = rest.Close()
			require.Equal(t, 4, <-ended, report.String())
			require.Contains(t, report.String(), c.reason)
			require.Contains(t, report.String(), "continue with: ... | cqlbulk resume")
			before := recordedRows(dir)
			require.Less(t, before, int64(len(input)))

			require.Zero(
				t,
				cli.Run(
					t.Context(),
					[]string{"resume", dir},
					strings.NewReader(text),
					io.Discard,
					&report,
				),
				report.String(),
			)
			requireRows(t, input, ok(t, "scan", name, "--columns", "p,c,note").out)
			if c.name == "lives" {
				forever := strings.Count(
					ok(t, "scan", name, "--columns", "p,c,ttl(note)").out,
					",\n",
				)
				require.EqualValues(
					t,
					before,
					forever,
					"rows that were loaded before do not expire",
				)
			}
		})
	}
}
