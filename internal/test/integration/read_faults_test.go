//go:build integration

package integration

import (
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// byStream adds to a command line that a table is streamed out of its nodes.
func byStream(
	args ...string,
) []string {
	return append(args, "--via", "stream", "--listen", anyPort)
}

// streamedBy adds as well how the cluster is reached, for a process of its own.
func streamedBy(level string, args ...string) []string {
	return append(
		byStream(args...),
		"--hosts",
		testHosts(),
		"--timeout",
		"5s",
		"--consistency",
		level,
	)
}

// noisy makes rows as padded does, of text that does not compress.
func noisy(rows, size int) []string {
	r := rand.NewChaCha8([32]byte{7})
	all, text := make([]string, rows), make([]byte, size*3/4)
	for i := range all {
		_, _ = r.Read(text) // it gives no error
		all[i] = fmt.Sprintf("%d,%d,%s\n", i/4, i, base64.RawStdEncoding.EncodeToString(text))
	}
	return all
}

// limitStreams limits nodes to a number of megabits a second; a node that starts sends 200.
func limitStreams(t *testing.T, megabits string, nodes ...string) {
	t.Helper()
	for _, n := range nodes {
		administer(t, "nodetool", n, "setstreamthroughput", megabits)
		administer(t, "nodetool", n, "setstreamthroughput", "-e", megabits) // of entire SSTables
	}
}

// received is how many bytes of SSTables a program holds that nodes sent, in files without names.
func (c *child) received() (bytes int64) {
	fds, _ := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", c.cmd.Process.Pid))
	for _, fd := range fds {
		if name, err := os.Readlink(fd); err == nil && strings.Contains(name, "/.streamed-") {
			if info, err := os.Stat(fd); err == nil {
				bytes += info.Size()
			}
		}
	}
	return bytes
}

// inMidSession waits until nodes send.
func (c *child) inMidSession(t *testing.T) {
	t.Helper()
	c.until(t, "nodes sent something", func() bool { return c.received() > 0 })
	t.Logf("%s %d bytes have come", clock(), c.received())
}

// logged are the lines of the nodes' logs of some levels, such as ERROR.
func logged(t *testing.T, levels ...string) (found []string) {
	t.Helper()
	logs, err := filepath.Glob(clusterFolder() + "/node*/logs/system.log")
	require.NoError(t, err)
	require.NotEmpty(t, logs)
	for _, log := range logs {
		for line := range strings.Lines(read(t, log)) {
			if level, _, _ := strings.Cut(line, " "); slices.Contains(levels, level) {
				found = append(found, line)
			}
		}
	}
	return found
}

// noStreams waits until no node streams anything.
func noStreams(t *testing.T) {
	t.Helper()
	for _, n := range []string{"1", "2", "3"} {
		require.Eventually(t, func() bool {
			return strings.Contains(
				administer(t, "nodetool", n, "netstats"),
				"Not sending any streams.",
			)
		}, time.Minute, 100*time.Millisecond)
	}
}

// Nodes are killed and stopped while they send their SSTables. Rows with other replicas are read
// from those. Other ranges are listed, and a retry reads them once the node is back. A node that is
// stopped for a while continues.
func TestNodesHarmedWhileStreamedFrom(t *testing.T) {
	lengthy(t)
	all := servers(t)
	input := noisy(min(testRows(t, 6_000), 6_000), 1000)
	in := file(t, "in.csv", paddedHeader+strings.Join(input, ""))
	for _, name := range []string{"it1.torn", "it3.torn"} {
		table(t, name, paddedBody+" WITH compression = {'enabled': false}")
		ok(t, "load", name, in)
	}
	for _, s := range all {
		s.flush(t, "it1", "torn")
		s.flush(t, "it3", "torn")
	}
	before := logged(t, "ERROR")
	temp := t.TempDir()
	scan := func(t *testing.T, name, level string, more ...string) (run *child, out, dir string) {
		out, dir = filepath.Join(t.TempDir(), "out.csv"), filepath.Join(t.TempDir(), "run")
		return spawn(
			t,
			nil,
			append(
				streamedBy(level, "scan", name, "-o", out, "--run-dir", dir, "--temp-dir", temp),
				more...)...), out, dir
	}
	whole := func(t *testing.T, run *child, out string) result {
		r := run.end(t)
		require.Zero(t, r.code)
		requireRows(t, input, read(t, out))
		return r
	}
	listed := func(t *testing.T, run *child, out, dir string) {
		r := run.end(t)
		require.Equal(t, 2, r.code)
		require.Contains(t, r.report, "token ranges failed")
		require.Contains(t, r.report, "cqlbulk retry "+dir)
		require.NoFileExists(t, out)
		require.Positive(t, scanned(dir), "rows of the other nodes")
	}
	retried := func(t *testing.T, out, dir string) {
		whole(t, spawn(t, nil, "retry", dir), out)
		require.NoDirExists(t, dir)
	}
	for _, level := range []string{"LOCAL_ONE", "QUORUM", "ALL"} {
		run, out, _ := scan(t, "it3.torn", level)
		whole(t, run, out)
	}
	noStreams(t)
	require.Equal(t, before, logged(t, "ERROR"), "of sessions that nothing happened to")

	limitStreams(t, "1", "1", "2", "3")
	t.Cleanup(func() { limitStreams(t, "200", "1", "2", "3") })
	t.Run("killed", func(t *testing.T) {
		run, out, _ := scan(t, "it3.torn", "LOCAL_ONE")
		run.inMidSession(t)
		all[1].signal(t, syscall.SIGKILL)
		require.Contains(t, whole(t, run, out).report, "asking another replica")
		// It is away from the start.
		run, out, _ = scan(t, "it3.torn", "LOCAL_QUORUM")
		whole(t, run, out)
		run, out, dir := scan(t, "it1.torn", "LOCAL_ONE")
		listed(t, run, out, dir)
		startServers(t)
		retried(t, out, dir)
	})
	t.Run("killed, and no other node has its rows", func(t *testing.T) {
		limitStreams(t, "1", "2")
		run, out, dir := scan(t, "it1.torn", "LOCAL_ONE")
		run.inMidSession(t)
		all[1].signal(t, syscall.SIGKILL)
		listed(t, run, out, dir)
		startServers(t)
		retried(t, out, dir)
	})
	t.Run("stopped for a while", func(t *testing.T) {
		limitStreams(t, "1", "2")
		run, out, _ := scan(t, "it1.torn", "LOCAL_ONE")
		run.inMidSession(t)
		all[2].signal(t, syscall.SIGSTOP)
		<-time.After(10 * time.Second)
		all[2].signal(t, syscall.SIGCONT)
		require.NotContains(t, whole(t, run, out).report, "asking another replica")
	})
	t.Run("stopped for good", func(t *testing.T) {
		run, out, _ := scan(t, "it3.torn", "LOCAL_ONE", "--patience", "3s")
		run.inMidSession(t)
		all[2].signal(t, syscall.SIGSTOP)
		require.Contains(
			t,
			whole(t, run, out).report,
			"nothing was heard of the node for 3s (--patience): asking another replica",
		)
		all[2].signal(t, syscall.SIGCONT)
	})
	noStreams(t)
	left, err := os.ReadDir(temp)
	require.NoError(t, err)
	require.Empty(t, left)
}

// Rows that a replica has missed, or has older values of, are not missed where it is read together
// with others.
func TestReplicasThatMissedWritesAreReadBesideOthers(t *testing.T) {
	t.Parallel()
	table(t, "it3.missed", "(k int PRIMARY KEY, v text)")
	rows := func(from, to int, v string) (text string) {
		for k := from; k < to; k++ {
			text += fmt.Sprintf("%d,%s%d\n", k, v, k)
		}
		return text
	}
	for i, part := range []string{rows(0, 600, "first"), rows(300, 900, "second"), rows(500, 700, "third")} {
		args := []string{"load", "it3.missed", file(t, "in.csv", "k,v\n"+part), "--via", "stream"}
		if i > 0 {
			args = append(args, "--ignore-hosts", strings.Split(testHosts(), ",")[i])
		}
		ok(t, args...)
	}
	want := slices.Sorted(
		strings.Lines(
			rows(
				0,
				300,
				"first",
			) + rows(
				300,
				500,
				"second",
			) + rows(
				500,
				700,
				"third",
			) + rows(
				700,
				900,
				"second",
			),
		),
	)
	require.NotEqual(
		t,
		want,
		scannedLines(t, byStream("it3.missed", "--consistency", "LOCAL_ONE")...),
		"nothing was missed",
	)
	for _, level := range []string{"TWO", "QUORUM", "LOCAL_QUORUM", "ALL"} {
		require.Equal(
			t,
			want,
			scannedLines(t, byStream("it3.missed", "--consistency", level)...),
			level,
		)
	}
	// CQL last, since it repairs what it reads.
	for _, level := range []string{"QUORUM", "ALL"} {
		require.Equal(t, want, scannedLines(t, "it3.missed", "--consistency", level), level)
	}
}

// What was acknowledged before a scan began is in it, whatever is written, flushed and compacted
// meanwhile.
func TestAllThatWasAcknowledgedIsStreamed(t *testing.T) {
	lengthy(t)
	t.Parallel()
	const chunk = 2_000
	rows := either(20_000, 100_000) / chunk * chunk
	table(t, "it3.growing", "(k int PRIMARY KEY, v text)")
	var acknowledged atomic.Int64
	var writing sync.WaitGroup
	defer writing.Wait()
	writing.Go(func() {
		for from := 0; from < rows; from += chunk {
			var text strings.Builder
			text.WriteString("k,v\n")
			for k := from; k < from+chunk; k++ {
				fmt.Fprintf(&text, "%d,value %d\n", k, k)
			}
			path := filepath.Join(t.TempDir(), "in.csv")
			if err := os.WriteFile(path, []byte(text.String()), 0o600); err != nil {
				t.Error(err)
				break
			}
			if r := cqlbulk(
				t,
				"load",
				"it3.growing",
				path,
				"--consistency",
				"QUORUM",
			); r.code != 0 {
				t.Error(r.report)
				break
			}
			acknowledged.Store(int64(from + chunk))
		}
		acknowledged.Store(int64(rows))
	})
	writing.Go(func() {
		for n := 0; acknowledged.Load() < int64(rows); n++ {
			node := strconv.Itoa(n%3 + 1)
			administer(t, "nodetool", node, "flush", "it3", "growing")
			administer(t, "nodetool", node, "compact", "it3", "growing")
		}
	})
	for scans, before := 0, int64(0); before < int64(rows); scans++ {
		before = acknowledged.Load()
		seen := make([]bool, rows)
		for _, line := range scannedLines(t, byStream("it3.growing", "--columns", "k", "--consistency", "QUORUM")...) {
			k, err := strconv.Atoi(strings.TrimSpace(line))
			require.NoError(t, err)
			require.False(t, seen[k], "row %d is there twice", k)
			seen[k] = true
		}
		require.NotContains(t, seen[:before], false, "scan %d, of %d rows", scans, before)
		t.Logf("%s %d rows were acknowledged before scan %d", clock(), before, scans)
	}
}

// If a table is altered, dropped or truncated while it is streamed out of its nodes, the scan ends.
// It prints the reason, and gives no file its name.
func TestTableThatChangesWhileItIsStreamed(t *testing.T) {
	lengthy(t)
	t.Parallel()
	const rows = 6_000
	in := file(t, "in.csv", paddedHeader+strings.Join(noisy(rows, 2000), ""))
	changes := []struct{ name, change, says, resumed string }{
		{
			"it1.read_altered",
			"ALTER TABLE it1.read_altered ADD more int",
			"the table was altered, or created again, meanwhile",
			"has other columns than when the run began",
		},
		{
			"it1.read_dropped",
			"DROP TABLE it1.read_dropped",
			"the table was dropped meanwhile",
			`table "read_dropped" not found`,
		},
		{"it1.read_truncated", "TRUNCATE it1.read_truncated", "the table was truncated at ", ""},
	}
	for _, c := range changes {
		table(t, c.name, paddedBody)
		ok(t, "load", c.name, in)
	}
	for _, n := range []string{"1", "2", "3"} {
		administer(t, "nodetool", n, "flush", "it1")
		administer(t, "nodetool", n, "refreshsizeestimates") // so that there are several pieces
	}
	for _, c := range changes {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			out, dir := filepath.Join(t.TempDir(), "out.csv"), filepath.Join(t.TempDir(), "run")
			run := spawn(
				t,
				nil,
				streamedBy(
					"LOCAL_ONE",
					"scan",
					c.name,
					"-o",
					out,
					"--run-dir",
					dir,
					"--slice",
					"1MiB",
					"--rate",
					strconv.Itoa(rows/30),
				)...)
			run.until(t, "rows were written", func() bool { return scanned(dir) > 0 })
			exec(t, c.change)
			r := run.end(t)
			require.Equal(t, 4, r.code)
			require.Contains(t, r.report, c.says)
			require.NotContains(t, r.report, "continue with")
			require.NoFileExists(t, out)
			require.NoFileExists(t, out+".manifest.json")
			if c.resumed != "" {
				r = spawn(t, nil, "resume", dir).end(t)
				require.Equal(t, 4, r.code)
				require.Contains(t, r.report, c.resumed)
			}
		})
	}
}

// What is wrong on this side is reported: a folder that is full, which no other node could help
// with, and a port that is taken.
func TestStreamedToWhereThereIsNoRoom(t *testing.T) {
	t.Parallel()
	input := noisy(1_500, 1000)
	table(t, "it1.noroom_read", paddedBody)
	ok(t, "load", "it1.noroom_read", file(t, "in.csv", paddedHeader+strings.Join(input, "")))
	temp := t.TempDir()
	dir := filepath.Join(t.TempDir(), "run")
	out := filepath.Join(t.TempDir(), "out.csv")
	limited := []string{"sh", "-c", `ulimit -f 256; "$@"`, "sh"}
	r := start(
		t,
		limited,
		byStream(
			"scan",
			"it1.noroom_read",
			"-o",
			out,
			"--run-dir",
			dir,
			"--temp-dir",
			temp,
		)...).end(t)
	require.Equal(t, 4, r.code, r.report)
	require.Regexp(t, "--temp-dir "+temp+": file too large", r.report)
	require.NotContains(t, r.report, "asking another replica")
	require.NoFileExists(t, out)
	left, err := os.ReadDir(temp)
	require.NoError(t, err)
	require.Empty(t, left)
	require.NoDirExists(t, dir, "nothing was done")

	taken, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer taken.Close()
	r = cqlbulk(t, "scan", "it1.noroom_read", "--via", "stream", "--listen", taken.Addr().String())
	require.Equal(t, 1, r.code, r.report)
	require.Contains(
		t,
		r.report,
		"--listen "+taken.Addr().String()+": another program listens there",
	)

	requireRows(t, input, ok(t, byStream("scan", "it1.noroom_read", "--temp-dir", temp)...).out)
}
