//go:build integration

package integration

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestScanKilledInPartition kills a scan while it reads a partition that is larger than the memory
// it may use, and resumes it. Every row is in the output once.
func TestScanKilledInPartition(t *testing.T) {
	t.Parallel()
	const (
		memory = 32 << 20
		wide   = 8_000 // rows of 10 kB of one partition
	)
	table(t, "it1.wide", paddedBody)
	var input []string
	text := strings.Repeat("wide ", 2_000)
	for c := range wide {
		input = append(input, fmt.Sprintf("-1,%d,%s\n", c, text))
	}
	require.Greater(t, wide*len(text), 2*memory)
	input = append(input, padded(2_000, 200)...)
	want := checksum(
		t,
		ok(t, "load", "it1.wide", file(t, "in.csv", paddedHeader+strings.Join(input, ""))),
	)

	out, dir := filepath.Join(t.TempDir(), "out.csv"), t.TempDir()+"/run"
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 2))
	args := quorum(
		"scan",
		"it1.wide",
		"-o",
		out,
		"--run-dir",
		dir,
		"--memory",
		"32MiB",
		"--max-bytes-per-sec",
		"8MB",
	)
	for kill := range either(1, 4) {
		run := spawn(t, nil, args...)
		run.until(t, "the scan was under way", func() bool { return kill > 0 || scanned(dir) > 0 })
		<-time.After(time.Second + time.Duration(random.Int64N(int64(3*time.Second))))
		run.kill(t)
		t.Logf(
			"%s kill %d: %d of %d rows are known as read",
			clock(),
			kill+1,
			scanned(dir),
			len(input),
		)
		args = []string{"resume", dir}
	}
	require.Less(t, scanned(dir), int64(len(input)))
	r, peak := measured(t, append(args, "--max-bytes-per-sec", "0")...)
	require.Zero(t, r.code, r.report)
	require.Less(t, peak, int64(128<<20))
	require.Equal(t, want, checksum(t, r))
	requireRows(t, input, read(t, out))
	require.Zero(t, cqlbulkOffline(t, "verify", out).code)
	require.NoDirExists(t, dir)
}
