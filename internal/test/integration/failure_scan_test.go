//go:build integration

package integration

import (
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/run/journal"
	"github.com/cqlbulk/cqlbulk/internal/run/records"
)

// scanned is how many rows of a scan its run directory knows to be in the output;
// none as long as there is no run.
func scanned(dir string) int64 {
	status, err := journal.Read(dir, func(journal.Record) error { return nil })
	if err != nil {
		return 0
	}
	_, s, err := records.ReadScan(dir, status.Manifest)
	if err != nil {
		return 0
	}
	return s.Rows
}

// TestScanKilledRepeatedly kills scans at two moments each, or ten, and resumes each time. The
// output holds every row once, and all is as its manifest says.
func TestScanKilledRepeatedly(t *testing.T) {
	t.Parallel()
	kills := either(2, 10)
	rows := min(testRows(t, 20_000), 300_000)
	table(t, "it3.read", paddedBody)
	input := padded(rows, 200)
	want := checksum(
		t,
		ok(t, "load", "it3.read", file(t, "in.csv", paddedHeader+strings.Join(input, ""))),
	)

	// Pages under way when a scan begins come at once, whatever its rate is.
	small := slices.Clip([]string{"--parallel", "4", "--pagesize", "100"})
	t.Run("both", func(t *testing.T) {
		t.Run("file", func(t *testing.T) {
			t.Parallel()
			out := filepath.Join(t.TempDir(), "out.csv")
			r := killScan(t, kills, rows, out, append(small, "-o", out, "--compression", "zstd")...)
			require.Equal(t, want, checksum(t, r))
			f, err := os.Open(out)
			require.NoError(t, err)
			defer f.Close()
			z, err := zstd.NewReader(f)
			require.NoError(t, err)
			defer z.Close()
			text, err := io.ReadAll(z)
			require.NoError(t, err)
			requireRows(t, input, string(text))
		})
		t.Run("file, by streaming", func(t *testing.T) {
			t.Parallel()
			if either(false, true) { // else a node sends all at once
				for _, n := range nodeTables(t, "it3", "read") {
					administer(t, "nodetool", n.node, "refreshsizeestimates")
				}
			}
			out := filepath.Join(t.TempDir(), "out.csv")
			r := killScan(t, kills, rows, out, byStream("-o", out, "--slice", "1MiB")...)
			require.Equal(t, want, checksum(t, r))
			requireRows(t, input, read(t, out))
		})
		t.Run("folder", func(t *testing.T) {
			t.Parallel()
			out := filepath.Join(t.TempDir(), "out")
			r := killScan(
				t,
				kills,
				rows,
				out,
				append(
					small,
					"-d",
					out,
					"--compression",
					"gzip",
					"--maxoutputsize",
					strconv.Itoa(rows/9),
				)...)
			require.Equal(t, want, checksum(t, r))
			parts, err := filepath.Glob(out + "/*.csv.gz")
			require.NoError(t, err)
			require.GreaterOrEqual(t, len(parts), 9)
			all := paddedHeader
			for _, part := range parts {
				f, err := os.Open(part)
				require.NoError(t, err)
				defer f.Close()
				z, err := gzip.NewReader(f)
				require.NoError(t, err)
				text, err := io.ReadAll(z)
				require.NoError(t, err)
				require.True(
					t,
					strings.HasPrefix(string(text), paddedHeader),
					"%s has a header",
					part,
				)
				all += string(text[len(paddedHeader):])
			}
			requireRows(t, input, all)
		})
	})
}

// killScan is killScanOf of it3.read.
func killScan(t *testing.T, kills, rows int, out string, options ...string) result {
	t.Helper()
	return killScanOf(t, "it3.read", kills, rows, out, options...)
}

// killScanOf scans a table with some options, kills the scan that number of times, and returns what
// the last run printed.
func killScanOf(
	t *testing.T,
	name string,
	kills, rows int,
	out string,
	options ...string,
) result {
	t.Helper()
	dir := t.TempDir() + "/run"
	when := newMoments(t, kills, rows, records.MarkTime)
	args := append(
		quorum("scan", name, "--run-dir", dir, "--rate", strconv.Itoa(rows/either(10, 60))),
		options...)
	for kill := range kills {
		// killed late, on a slow machine: there is hardly anything left to be killed in
		if scanned(dir) == int64(rows) {
			break
		}
		run := spawn(t, nil, args...)
		when.await(t, kill, run, func() int64 { return scanned(dir) })
		run.kill(t)
		told := status(t, dir)
		t.Logf("%s kill %d: %d of %d rows are known as read", clock(), kill+1, scanned(dir), rows)
		require.Contains(t, told, "stopped unexpectedly")
		require.Contains(t, told, " "+grouped(int(scanned(dir)))+" read, ")
		require.Contains(t, told, "cqlbulk resume "+dir)
		args = []string{"resume", dir}
	}
	r := spawn(t, nil, args...).end(t)
	require.Zero(t, r.code)
	require.Contains(t, r.report, grouped(rows)+" rows")
	require.NoDirExists(t, dir, "nothing remains to be done")
	verified := cqlbulkOffline(t, "verify", out)
	require.Zero(t, verified.code, verified.report)
	require.Contains(t, verified.out, fmt.Sprintf("rows %d\n", rows))
	require.Contains(t, verified.out, "checksum "+checksum(t, r))
	return r
}

// TestRefusedResumesOfAScan kills a scan, damages all that a resume needs, one after the other, and
// checks the errors. What does not matter is accepted.
func TestRefusedResumesOfAScan(t *testing.T) {
	lengthy(t)
	t.Parallel()
	rows := min(testRows(t, 8_000), 50_000)
	table(t, "it3.unread", paddedBody)
	input := padded(rows, 200)
	want := checksum(
		t,
		ok(t, "load", "it3.unread", file(t, "in.csv", paddedHeader+strings.Join(input, ""))),
	)
	out, killed := filepath.Join(t.TempDir(), "out.csv"), t.TempDir()+"/run"
	run := spawn(
		t,
		nil,
		quorum(
			"scan",
			"it3.unread",
			"-o",
			out,
			"--run-dir",
			killed,
			"--rate",
			strconv.Itoa(rows/8),
		)...)
	run.until(t, "the scan was under way", func() bool { return scanned(killed) > 0 })
	run.kill(t)
	part := out + ".part"
	text := read(t, part)
	restore := func() { require.NoError(t, os.WriteFile(part, []byte(text), 0o600)) }

	t.Run("output: gone", func(t *testing.T) {
		require.NoError(t, os.Remove(part))
		refused(t, nil, folder(t, killed), part)
		require.NoFileExists(t, part)
		restore()
	})
	t.Run("output: cut off", func(t *testing.T) {
		require.NoError(t, os.Truncate(part, int64(len(paddedHeader)+100)))
		refused(t, nil, folder(t, killed), part)
		require.Equal(t, text[:len(paddedHeader)+100], read(t, part))
		restore()
	})
	t.Run("output: a file of its name", func(t *testing.T) {
		require.NoError(t, os.WriteFile(out, []byte("mine"), 0o600))
		refused(t, nil, folder(t, killed), out)
		require.Equal(t, "mine", read(t, out))
		require.NoError(t, os.Remove(out))
	})
	t.Run("table altered", func(t *testing.T) {
		exec(t, "ALTER TABLE it3.unread ADD more int")
		refused(
			t,
			nil,
			folder(t, killed),
			"table it3.unread has other columns than when the run began",
		)
		exec(t, "ALTER TABLE it3.unread DROP more")
	})
	t.Run("journal damaged", func(t *testing.T) {
		dir := folder(t, killed)
		edit(t, filepath.Join(dir, "journal"), flip)
		refused(t, nil, dir, "is damaged at ")
	})
	t.Run("folder not writable", func(t *testing.T) {
		dir := folder(t, killed)
		require.NoError(t, os.Chmod(dir, 0o500))
		refused(t, asOrdinary(t), dir, "permission denied")
		require.NoError(t, os.Chmod(dir, 0o700))
	})
	t.Run("in use", func(t *testing.T) {
		dir := folder(t, killed)
		known := scanned(dir)
		first := spawn(t, nil, "resume", dir)
		first.until(t, "the run resumed", func() bool { return scanned(dir) > known })
		second := spawn(t, nil, "resume", dir).end(t)
		require.Equal(t, 4, second.code)
		require.Contains(
			t,
			second.report,
			fmt.Sprintf("in use by process %d on ", first.cmd.Process.Pid),
		)
		first.kill(t)
		restore()
	})

	// What a killed run may have written behind the last mark, and the torn end of
	// its journal, are no damage.
	require.Equal(t, text, read(t, part), "what was refused has changed nothing")
	require.NoError(t, os.WriteFile(part, []byte(text+"1,1,not all of a li"), 0o600))
	f, err := os.OpenFile(filepath.Join(killed, "journal"), os.O_APPEND|os.O_WRONLY, 0)
	require.NoError(t, err)
	_, err = f.WriteString("01234567 9 mark {")
	require.NoError(t, err)
	require.NoError(t, f.Close())
	r := spawn(t, nil, "resume", killed, "--rate", "0").end(t)
	require.Zero(t, r.code)
	requireRows(t, input, read(t, out))
	require.Equal(t, want, checksum(t, r))
	require.Zero(t, cqlbulkOffline(t, "verify", out).code)
}
