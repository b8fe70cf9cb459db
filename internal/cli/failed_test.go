package cli

import (
	"bytes"
	"errors"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/operation"
	"github.com/cqlbulk/cqlbulk/internal/table"
)

// However many token ranges fail for one cause, it has one line, which counts them and names the
// first.
func TestFailuresOfOneCauseHaveOneLine(t *testing.T) {
	var failed []operation.FailedRange
	gone, away := errors.New("gone"), errors.New("away")
	for i, err := range []error{gone, gone, away, gone, gone, gone} {
		failed = append(
			failed,
			operation.FailedRange{
				Tokens: &table.TokenRange{Start: strconv.Itoa(i), End: strconv.Itoa(i + 1)},
				Err:    err,
			},
		)
	}
	var out bytes.Buffer
	newStreams(nil, nil, &out).printFailed(failed)
	require.Equal(t, "cqlbulk: 5 token ranges failed: (0, 1], (1, 2], (3, 4] and 2 more: gone\n"+
		"cqlbulk: token range (2, 3] failed: away\n", out.String())

	failed = nil
	for i := range 22 {
		failed = append(failed, operation.FailedRange{Err: errors.New(strconv.Itoa(i))})
	}
	out.Reset()
	newStreams(nil, nil, &out).printFailed(failed)
	lines := strings.Split(out.String(), "\n")
	require.Equal(t, "cqlbulk: token range (all) failed: 19", lines[19])
	require.Equal(t, "cqlbulk: and token ranges failed for 2 more causes", lines[20])
}
