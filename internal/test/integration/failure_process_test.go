//go:build integration

package integration

import (
	"bytes"
	"fmt"
	"io"
	"os"
	command "os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/run/records"
)

// child is the built program at work at consistency QUORUM, for a test that stops
// it, or what it works with, on its way.
type child struct {
	cmd         *command.Cmd
	name        string // for the log
	out, report bytes.Buffer
	ended       chan struct{} // closed when the program has ended
}

// spawn runs the program with options of the test's own. Options of the connection are not needed
// if a run directory has them.
func spawn(t *testing.T, prepare func(*command.Cmd), args ...string) *child {
	t.Helper()
	path, err := program()
	require.NoError(t, err)
	c := &child{
		cmd:   command.CommandContext(t.Context(), path, args...),
		name:  args[0],
		ended: make(chan struct{}),
	}
	c.cmd.Dir, c.cmd.Stdout, c.cmd.Stderr = t.TempDir(), &c.out, &c.report
	c.cmd.WaitDelay = time.Second // for what the test itself holds back
	if prepare != nil {
		prepare(c.cmd)
	}
	require.NoError(t, c.cmd.Start())
	go func() {
		defer close(c.ended)
		_ = c.cmd.Wait() // the exit code has the result
	}()
	return c
}

// quorum adds to a command line how the cluster is reached by runs that do without one
// node of three.
func quorum(args ...string) []string {
	return append(args, "--hosts", testHosts(), "--consistency", "QUORUM", "--timeout", "5s")
}

// end waits for the program to end, at most five minutes.
func (c *child) end(t *testing.T) result {
	t.Helper()
	select {
	case <-c.ended:
	case <-time.After(5 * time.Minute):
		require.Fail(t, "five minutes were not enough", c.name)
	}
	r := result{c.cmd.ProcessState.ExitCode(), c.out.String(), c.report.String()}
	t.Logf(
		"%s %s ended with exit code %d: %s",
		clock(),
		c.name,
		r.code,
		r.report[max(len(r.report)-2000, 0):],
	)
	return r
}

// kill ends the program as kill -9 does.
func (c *child) kill(t *testing.T) {
	t.Helper()
	_ = c.cmd.Process.Kill() // that it has ended shows below
	<-c.ended
	require.Equal(
		t,
		-1,
		c.cmd.ProcessState.ExitCode(),
		"it ended before it was killed: %s",
		c.report.String(),
	)
}

// until waits for a condition while the program runs, at most two minutes.
func (c *child) until(t *testing.T, what string, reached func() bool) {
	t.Helper()
	late := time.After(2 * time.Minute)
	ticker := time.NewTicker(10 * time.Millisecond)
	defer ticker.Stop()
	for !reached() {
		select {
		case <-ticker.C:
		case <-c.ended:
			require.Fail(t, "the program ended", "before %s: %s", what, c.report.String())
		case <-late:
			require.Fail(t, "two minutes were not enough", "until %s", what)
		}
	}
}

// noted says whether the journal in a run directory has a record of a kind.
func noted(dir, kind string) bool {
	journal, err := os.ReadFile(filepath.Join(dir, "journal"))
	return err == nil && strings.Contains(string(journal), kind)
}

// recordedRows returns the number of rows of a load that its run directory has as written or in
// doubt; 0 if there is no run.
func recordedRows(dir string) int64 {
	_, l, err := records.ReadLoad(dir)
	if err != nil {
		return 0
	}
	return l.Tally.Written + l.Tally.InDoubt
}

// status returns what the program prints about a run directory.
func status(t *testing.T, dir string) string {
	t.Helper()
	r := cqlbulkOffline(t, "status", dir)
	require.Zero(t, r.code, r.report)
	return r.out
}

// clock is the time of day, for the log.
func clock() string { return time.Now().Format("15:04:05.000") }

// padded returns the rows of an input of the columns p, c and note, four of them to a partition,
// each with size bytes of text.
func padded(rows, size int) []string {
	all := make([]string, rows)
	for i := range all {
		word := fmt.Sprintf("note-%d ", i)
		all[i] = fmt.Sprintf("%d,%d,%s\n", i/4, i, strings.Repeat(word, size/len(word)+1)[:size])
	}
	return all
}

const (
	paddedBody   = "(p int, c int, note text, PRIMARY KEY (p, c))"
	paddedHeader = "p,c,note\n"
)

// requireRows wants exactly the given lines in a text, below its header and in any
// order.
func requireRows(t *testing.T, want []string, text string) {
	t.Helper()
	got := slices.Collect(strings.Lines(text))
	require.NotEmpty(t, got)
	got = got[1:]
	slices.Sort(got)
	want = slices.Clone(want)
	slices.Sort(want)
	require.Equal(t, len(want), len(got), "rows")
	for i := range want {
		if want[i] != got[i] { // the message has room for the one that differs alone
			require.Equal(t, want[i], got[i])
		}
	}
}

// requireTable wants exactly the given rows in a table, by a scan at QUORUM, and
// gives their checksum.
func requireTable(t *testing.T, name string, want []string) string {
	t.Helper()
	r := ok(t, "scan", name, "--consistency", "QUORUM")
	requireRows(t, want, r.out)
	return checksum(t, r)
}

// gate passes a number of lines, and the rest when it is opened.
type gate struct {
	lines int
	open  chan struct{}
	done  <-chan struct{} // the test is over
}

// pass counts the lines of a text and waits where it has to.
func (g *gate) pass(p []byte) error {
	if g.lines -= bytes.Count(p, []byte("\n")); g.lines > 0 {
		return nil
	}
	select {
	case <-g.open:
		return nil
	case <-g.done:
		return io.ErrClosedPipe
	}
}

// gatedReader holds back the end of an input.
type gatedReader struct {
	io.Reader
	gate
}

// Read reads less than it might, so that the gate shuts in time.
func (r *gatedReader) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p[:min(len(p), 4096)])
	if err != nil {
		return n, err
	}
	return n, r.pass(p[:n])
}

// gatedWriter holds back the end of an output.
type gatedWriter struct {
	io.Writer
	gate
}

func (w *gatedWriter) Write(p []byte) (int, error) {
	if err := w.pass(p); err != nil {
		return 0, err
	}
	return w.Writer.Write(p)
}
