//go:build integration

package integration

import (
	"bytes"
	"errors"
	"os"
	command "os/exec"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// program returns the path of the built program. What the tests measure or limit runs as a process
// of its own, without the race detector. It is built once for a run of the tests. Another run may
// use another cluster at the same time.
var program = sync.OnceValues(func() (string, error) {
	path, err := filepath.Abs("../../../.cache/bin/cqlbulk-" + filepath.Base(clusterFolder()))
	if err != nil {
		return "", err
	}
	build := command.Command("make", "-s", "-C", "../../..", "build", "BIN="+path)
	if out, err := build.CombinedOutput(); err != nil {
		return "", errors.Join(err, errors.New(string(out)))
	}
	return path, nil
})

// process is a run of the built program.
type process struct {
	cmd    *command.Cmd
	out    bytes.Buffer
	report reports
}

// start runs the built program on the test cluster. wrapper is what runs it, given
// its words behind its own; empty: nothing.
func start(t *testing.T, wrapper []string, args ...string) *process {
	t.Helper()
	path, err := program()
	require.NoError(t, err)
	words := slices.Concat(
		wrapper,
		[]string{path, args[0], "--hosts", testHosts()},
		[]string{"--timeout", "60s", "--consistency", consistency},
		args[1:], // a flag that is given again has its last value
	)
	p := &process{cmd: command.CommandContext(t.Context(), words[0], words[1:]...)}
	p.cmd.Dir = t.TempDir()
	p.cmd.Stdout, p.cmd.Stderr = &p.out, &p.report
	require.NoError(t, p.cmd.Start())
	return p
}

// end waits for the program to end and gives what it left.
func (p *process) end(t *testing.T) result {
	t.Helper()
	if err := p.cmd.Wait(); err != nil {
		var exit *command.ExitError
		require.ErrorAs(t, err, &exit)
	}
	return result{p.cmd.ProcessState.ExitCode(), p.out.String(), p.report.String()}
}

// written writes a file of the test's own piece by piece and returns its path.
func written(t *testing.T, name string, write func(f *os.File) error) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	f, err := os.Create(path)
	require.NoError(t, err)
	require.NoError(t, write(f))
	require.NoError(t, f.Close())
	return path
}
