package resultview

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/doctor"
)

// A finding is read without colours, in 80 columns; what to do stands below it.
func TestFindingIsWrittenIn80Columns(t *testing.T) {
	var out strings.Builder
	require.NoError(
		t,
		WriteFinding(
			&out,
			doctor.Finding{
				Name:  "connection",
				State: doctor.OK,
				Found: "3 of 3 nodes answer, in 2 ms",
			},
		),
	)
	long := strings.Repeat("many words ", 20)
	require.NoError(
		t,
		WriteFinding(
			&out,
			doctor.Finding{Name: "storage port", State: doctor.Warning, Found: long, Do: long},
		),
	)
	require.True(
		t,
		strings.HasPrefix(
			out.String(),
			"ok       connection     3 of 3 nodes answer, in 2 ms\nwarning  storage port   many words",
		),
	)
	require.Contains(t, out.String(), "\n                        do: many words")
	require.Contains(t, out.String(), "\n                            many words")
	for line := range strings.Lines(out.String()) {
		require.LessOrEqual(t, len(line), 81, line)
	}
}
