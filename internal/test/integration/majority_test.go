//go:build integration

package integration

import (
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// With one of three replicas down, a load at LOCAL_QUORUM is acknowledged by the two others. A
// count at QUORUM right after it, which reads both, has every row.
func TestNodesMajorityAcknowledges(t *testing.T) {
	const rows = 5000
	all := servers(t)
	table(t, "it3.majority", "(k int PRIMARY KEY, v text)")
	var in strings.Builder
	in.WriteString("k,v\n")
	for k := range rows {
		fmt.Fprintf(&in, "%d,value %d\n", k, k)
	}
	input := file(t, "in.csv", in.String())
	all[2].signal(t, syscall.SIGTERM) // so that the others know at once
	require.Eventually(
		t,
		func() bool { _, err := all[2].pid(); return err != nil },
		time.Minute,
		50*time.Millisecond,
	)
	require.Regexp(t, " down +", ok(t, "plan", "it3.majority").out)
	r := ok(
		t,
		"load",
		"it3.majority",
		input,
		"--consistency",
		"LOCAL_QUORUM",
		"--run-dir",
		t.TempDir()+"/run",
	)
	require.Contains(t, r.report, "5,000 rows")
	require.Equal(
		t,
		fmt.Sprintln(rows),
		ok(t, "count", "it3.majority", "--consistency", "QUORUM").out,
	)
}
