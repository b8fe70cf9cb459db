//go:build integration

package integration

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Sessions that nothing happens to leave nothing behind: no stream on any node, and neither a
// warning nor an error of streaming in the logs. No other test runs meanwhile, so that all of those
// would be of this one.
func TestStreamedOutLeavesNothingBehind(t *testing.T) {
	lengthy(t)
	for _, name := range []string{"it3.clean", "it3.clean_copy"} {
		table(t, name, paddedBody)
	}
	input := noisy(2_000, 500)
	ok(t, "load", "it3.clean", file(t, "in.csv", paddedHeader+strings.Join(input, "")))
	streaming := func() []string {
		return slices.DeleteFunc(
			logged(t, "WARN", "ERROR"),
			func(line string) bool { return !strings.Contains(strings.ToLower(line), "stream") },
		)
	}
	before := streaming()
	for _, level := range []string{"LOCAL_ONE", "QUORUM", "ALL"} {
		requireRows(
			t,
			input,
			ok(t, byStream("scan", "it3.clean", "--consistency", level, "--slice", "1MiB")...).out,
		)
	}
	require.Equal(t, "2000\n", ok(t, byStream("count", "it3.clean", "--quiet")...).out)
	ok(
		t,
		"clone",
		"it3.clean_copy",
		"--from-hosts",
		testHosts(),
		"--listen",
		anyPort,
		"--from-table",
		"it3.clean",
	)
	requireRows(t, input, ok(t, byStream("scan", "it3.clean_copy")...).out)
	noStreams(t)
	require.Equal(t, before, streaming())
}

// Rows with timestamps years ahead, of a clock that was wrong, are read as CQL reads them. They
// hide what is written now, and deletions ahead of time hide rows. What expires does so by the
// clock, whatever the timestamp is.
func TestTimestampsAheadOfTheClock(t *testing.T) {
	t.Parallel()
	table(t, "it3.ahead", "(k int, c int, v text, m map<text, int>, PRIMARY KEY (k, c))")
	ahead := time.Now().Add(10 * 365 * 24 * time.Hour).UnixMicro()
	for _, statement := range []string{
		"INSERT INTO it3.ahead (k, c, v, m) VALUES (1, 1, 'ahead', {'a': 1, 'b': 2}) USING TIMESTAMP %d", "INSERT INTO it3.ahead (k, c, v) VALUES (1, 1, 'now')",
		"DELETE m['a'] FROM it3.ahead USING TIMESTAMP %d WHERE k = 1 AND c = 1", "UPDATE it3.ahead SET m['b'] = 3 WHERE k = 1 AND c = 1",
		"DELETE FROM it3.ahead USING TIMESTAMP %d WHERE k = 2", "INSERT INTO it3.ahead (k, c, v) VALUES (2, 1, 'now')",
		"DELETE FROM it3.ahead USING TIMESTAMP %d WHERE k = 3 AND c > 5", "INSERT INTO it3.ahead (k, c, v) VALUES (3, 6, 'now')", "INSERT INTO it3.ahead (k, c, v) VALUES (3, 5, 'now')",
		"INSERT INTO it3.ahead (k, c, v) VALUES (4, 1, 'over') USING TIMESTAMP %d AND TTL 1", "INSERT INTO it3.ahead (k, c, v) VALUES (4, 2, 'lasts') USING TIMESTAMP %d AND TTL 100000",
	} {
		if strings.Contains(statement, "%d") {
			statement = fmt.Sprintf(statement, ahead)
		}
		exec(t, statement)
	}
	exec(
		t,
		fmt.Sprintf(
			"INSERT INTO it3.ahead (k, c, v) VALUES (5, 1, 'last') USING TIMESTAMP %d",
			math.MaxInt64,
		),
	)
	time.Sleep(2100 * time.Millisecond) // what expires has expired on every node's clock
	require.Len(t, requireSameByStream(t, "it3", "ahead"), 4)
	require.Equal(
		t,
		[]string{"1,1,ahead,{'b': 2}\n", "3,5,now,\n", "4,2,lasts,\n", "5,1,last,\n"},
		scannedLines(t, byStream("it3.ahead", "--columns", "k,c,v,m")...),
	)
	lasts := scannedLines(
		t,
		byStream("it3.ahead", "--columns", "ttl(v)", "--where", "k = 4 AND c = 2")...)
	require.Len(t, lasts, 1)
	seconds, err := strconv.Atoi(strings.TrimSpace(lasts[0]))
	require.NoError(t, err)
	require.True(t, seconds > 90_000 && seconds < 100_000, "%d seconds are left", seconds)
}
