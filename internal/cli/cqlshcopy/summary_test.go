package cqlshcopy

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// The texts are those that describe_interval of cqlsh 6.2.2 returned on Python 3.11.
func TestInterval(t *testing.T) {
	for took, want := range map[time.Duration]string{
		0:                                        "0.000 seconds",
		500 * time.Millisecond:                   "0.500 seconds",
		1234 * time.Millisecond:                  "0 day, 0 hour, 0 minute, and 1.234 seconds",
		60 * time.Second:                         "0 day, 0 hour, 1 minute, and 0.000 seconds",
		65 * time.Second:                         "0 day, 0 hour, 1 minutes, and 5.000 seconds",
		time.Hour:                                "0 day, 1 hour, and 0.000 seconds",
		3700 * time.Second:                       "0 day, 1 hours, 1 minutes, and 40.000 seconds",
		24 * time.Hour:                           "1 day and 0.000 seconds",
		90061 * time.Second:                      "1 days, 1 hours, 1 minutes, and 1.000 seconds",
		59*time.Second + 999600*time.Microsecond: "0 day, 0 hour, 0 minute, and 60.000 seconds",
	} {
		require.Equal(t, want, interval(took), took)
	}
}

func TestSummary(t *testing.T) {
	require.Equal(t,
		"\n10 rows imported from 2 files in 0.250 seconds (3 skipped).\n",
		Imported(10, 2, 250*time.Millisecond, 3))
	require.Equal(t,
		"\n1 rows exported to 1 files in 0 day, 0 hour, 0 minute, and 2.000 seconds.\n",
		Exported(1, 1, 2*time.Second))
	require.Equal(t,
		"Failed to process 1 rows; failed rows written to f.err", Failed(1, "f.err"))
}
