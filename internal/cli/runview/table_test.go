package runview

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/report"
)

var (
	listedAt = time.Date(2026, 1, 2, 15, 4, 5, 0, time.UTC)
	someRuns = []report.ListedRun{
		{
			Path:    "cqlbulk-load-demo.flights-20260102T150355Z-4711",
			Command: "load",
			Table:   "demo.flights",
			State:   "running",
			Started: listedAt.Add(-10 * time.Second),
			Pace: report.Pace{
				Seen:          listedAt,
				Share:         new(0.419),
				RowsPerSecond: 50312.7,
				LeftSeconds:   130,
			},
			Rows: 1234567,
		},
		{
			Path:    "begun",
			Command: "load",
			Table:   "demo.flights",
			State:   "running",
			Started: listedAt.Add(-90 * time.Second),
			Pace:    report.Pace{Seen: listedAt},
		},
		{
			Path:    "bad",
			State:   "damaged",
			Started: listedAt.Add(-time.Hour),
			Pace:    report.Pace{Seen: listedAt.Add(-time.Hour)},
			Error:   "bad: run.json is malformed",
		},
		{
			Path:    "cqlbulk-load-demo.flights-20260101T120000Z-4242",
			Command: "load",
			Table:   "demo.flights",
			State:   "partly",
			Started: listedAt.Add(-27 * time.Hour),
			Rows:    99,
			Pace: report.Pace{
				Seen:          listedAt.Add(-26 * time.Hour),
				Share:         new(1.0),
				RowsPerSecond: 0.4,
			},
			Failed: 12000,
			Next: []report.Next{
				{
					Command: "retry",
					RunDir:  "cqlbulk-load-demo.flights-20260101T120000Z-4242",
					Line:    "cqlbulk retry cqlbulk-load-demo.flights-20260101T120000Z-4242",
				},
			},
		},
		{
			Path:    "flights.csv.manifest.json",
			Command: "scan",
			Table:   "demo.flights",
			State:   "complete",
			Rows:    60000,
			Pace: report.Pace{
				Seen:          listedAt.Add(-72 * time.Hour),
				Share:         new(1.0),
				RowsPerSecond: 35683,
			},
		},
	}
)

func runsText(t *testing.T, width int) string {
	t.Helper()
	var out strings.Builder
	require.NoError(t, WriteTable(&out, someRuns, width, listedAt))
	return out.String()
}

// With enough room, each run is shown in full.
func TestRunsAreListed(t *testing.T) {
	const want = `STATE     DONE       ROWS  FAILED  ROWS/S  WHEN     WHAT               RUN
running    41%  1,234,567       -  50,312  2m left  load demo.flights  cqlbulk-load-demo.flights-20260102T150355Z-4711
running      -          0       -       -  for 1m   load demo.flights  begun
damaged      -          -       -       -  1h ago                      bad
partly    100%         99  12,000       0  26h ago  load demo.flights  cqlbulk-load-demo.flights-20260101T120000Z-4242
complete  100%     60,000       -  35,683  3d ago   scan demo.flights  flights.csv
damaged   bad: run.json is malformed
next      cqlbulk retry cqlbulk-load-demo.flights-20260101T120000Z-4242
`
	require.Equal(t, want, runsText(t, 0))
	require.Equal(t, want, runsText(t, 200))
}

// On a terminal of 80 columns a run is still one line. The part of its name that is cut off is in
// the line's other columns.
func TestRunsFitTheTerminal(t *testing.T) {
	lines := strings.Split(runsText(t, 80), "\n")
	for _, line := range lines[:1+len(someRuns)] {
		require.LessOrEqual(t, len([]rune(line)), 80, line)
	}
	require.Equal(
		t,
		"running   41% 1.23M      -  50.3k 2m left load demo.flights …260102T150355Z-4711",
		lines[1],
	)
}

// A list has the cluster of each run, by its name and the address of a node, unless a terminal is
// too narrow.
func TestRunsTellTheirCluster(t *testing.T) {
	before := someRuns
	defer func() { someRuns = before }()
	someRuns = slices.Clone(before[:2])
	someRuns[0].Cluster, someRuns[0].Hosts = "prod", []string{"10.0.0.1", "10.0.0.2"}
	someRuns[1].Cluster = "from files"
	require.Equal(
		t,
		`STATE    DONE       ROWS  FAILED  ROWS/S  WHEN     WHAT               CLUSTER                     RUN
running   41%  1,234,567       -  50,312  2m left  load demo.flights  prod (10.0.0.1 and 1 more)  cqlbulk-load-demo.flights-20260102T150355Z-4711
running     -          0       -       -  for 1m   load demo.flights  from files                  begun
`,
		runsText(t, 0),
	)
	require.Contains(t, runsText(t, 120), " prod (10.0.0.1 and 1 more) …")
	require.NotContains(t, runsText(t, 80), "prod")
}
