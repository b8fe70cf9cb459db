package cli

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/operation"
)

// A load of many files with headers of their own has as many files of rejects.
func TestManyFilesOfRejectsAreCounted(t *testing.T) {
	var files []string
	for i := range 3000 {
		files = append(files, fmt.Sprintf("run/rejects-%d.csv", i+1))
	}
	var out bytes.Buffer
	newStreams(
		nil,
		nil,
		&out,
	).printRejects(operation.Rejects{Files: files, Reasons: "run/errors.jsonl"}, false)
	require.Equal(t, "cqlbulk: rejected rows are in "+strings.Join(files[:10], ", ")+
		" and 2,990 more files beside them, their reasons in run/errors.jsonl\n", out.String())
}
