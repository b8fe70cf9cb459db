package operation

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/run/records"
)

// A pipe cannot be read twice: a load that has read it to its end cannot resume. A stopped one can.
func TestPipeReadToItsEnd(t *testing.T) {
	partly := &records.End{
		Outcome: records.Partly,
	}
	done := &records.End{
		Outcome: records.Done,
	}
	stopped := &records.End{
		Outcome: records.Interrupted,
	}
	pipe := []string{"a.csv", records.Standard}
	require.EqualError(
		t,
		refuseEnded("r", pipe, partly),
		"run r has come to its end: try again what failed: cqlbulk retry r",
	)
	require.EqualError(
		t,
		refuseEnded("r", pipe, done),
		"run r has come to its end: nothing is left to load",
	)
	require.NoError(t, refuseEnded("r", pipe, stopped))
	require.NoError(t, refuseEnded("r", pipe, nil))
	require.NoError(t, refuseEnded("r", []string{"a.csv"}, partly))
}
