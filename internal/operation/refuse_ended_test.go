package operation

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/resume"
)

// A pipe is not there again: a load that has read it to its end cannot go on. A stopped one can.
func TestPipeReadToItsEnd(t *testing.T) {
	partly, done, stopped := &resume.End{Outcome: resume.Partly}, &resume.End{Outcome: resume.Done}, &resume.End{Outcome: resume.Interrupted}
	pipe := []string{"a.csv", resume.Standard}
	require.EqualError(t, refuseEnded("r", pipe, partly), "run r has come to its end: try again what failed: cqlbulk retry r")
	require.EqualError(t, refuseEnded("r", pipe, done), "run r has come to its end: nothing is left to load")
	require.NoError(t, refuseEnded("r", pipe, stopped))
	require.NoError(t, refuseEnded("r", pipe, nil))
	require.NoError(t, refuseEnded("r", []string{"a.csv"}, partly))
}
