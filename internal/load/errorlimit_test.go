package load

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestErrorLimits(t *testing.T) {
	input := "k,n\n" + strings.Repeat("a,1\nb,x\n", 5)
	job, c, rejects := newJob(t, names, input)
	job.MaxParseErrors, job.MaxInsertErrors = 5, 0
	mustRun(t, job, c)
	require.Len(t, rejects.rejects, 5, "as many as are allowed")

	job, _, rejects = newJob(t, names, input)
	job.MaxParseErrors = 4
	_, err := job.Run(t.Context())
	var limit *LimitError
	require.ErrorAs(t, err, &limit)
	require.EqualError(t, err, "stopped: more than 4 parse errors")
	require.Len(t, rejects.rejects, 5, "the one too many is kept as well")
}
