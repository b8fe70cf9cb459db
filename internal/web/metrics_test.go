package web

import (
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/progress"
	"github.com/cqlbulk/cqlbulk/internal/progress/board"
)

func TestMetrics(t *testing.T) {
	w, _ := newRun(t)
	problems, err := testutil.CollectAndLint(runCollector{w})
	require.NoError(t, err)
	require.Empty(t, problems)
	require.NoError(t, testutil.CollectAndCompare(runCollector{w}, strings.NewReader(`
# HELP cqlbulk_rows_total Rows written, acknowledged or counted by this process.
# TYPE cqlbulk_rows_total counter
cqlbulk_rows_total 1.234e+06
# HELP cqlbulk_requests_limit Requests that a gate allows in flight now. One gate for all nodes together has the node all.
# TYPE cqlbulk_requests_limit gauge
cqlbulk_requests_limit{node="a"} 7
# HELP cqlbulk_request_failures_total Requests that failed or got no answer.
# TYPE cqlbulk_request_failures_total counter
cqlbulk_request_failures_total{node="a"} 0
cqlbulk_request_failures_total{node="b"} 1
# HELP cqlbulk_ring_failed_ratio Part of those token ranges that was given up, 0 to 1.
# TYPE cqlbulk_ring_failed_ratio gauge
cqlbulk_ring_failed_ratio{node="a"} 0
cqlbulk_ring_failed_ratio{node="b"} 0.5
# HELP cqlbulk_streamed_bytes_total Bytes streamed to a node.
# TYPE cqlbulk_streamed_bytes_total counter
cqlbulk_streamed_bytes_total{node="b"} 77
# HELP cqlbulk_run_info 1, with what is run.
# TYPE cqlbulk_run_info gauge
cqlbulk_run_info{command="load",table="shop.orders",version="1.2.3"} 1
`), "cqlbulk_rows_total", "cqlbulk_requests_limit", "cqlbulk_request_failures_total", "cqlbulk_ring_failed_ratio", "cqlbulk_streamed_bytes_total", "cqlbulk_run_info"))
}

// A run by streaming has the share of each stage beside that of what is done.
func TestMetricsOfStages(t *testing.T) {
	require.NoError(
		t,
		testutil.CollectAndCompare(runCollector{newStreamedRun(t)}, strings.NewReader(`
# HELP cqlbulk_run_progress_ratio Part of the work that is done, 0 to 1: of a run by streaming what was sent or written. Absent while it is not known.
# TYPE cqlbulk_run_progress_ratio gauge
cqlbulk_run_progress_ratio 0.4
# HELP cqlbulk_run_stage_progress_ratio Part of the whole work that a stage of a run by streaming has done, 0 to 1. Absent while it is not known.
# TYPE cqlbulk_run_stage_progress_ratio gauge
cqlbulk_run_stage_progress_ratio{stage="receiving"} 0.430062630480167
cqlbulk_run_stage_progress_ratio{stage="sending"} 0.4
`), "cqlbulk_run_progress_ratio", "cqlbulk_run_stage_progress_ratio"),
	)
}

// Prometheus takes an empty label for none: a gate of all nodes, and requests whose node the driver
// chose, have names.
func TestMetricsHaveNoEmptyNode(t *testing.T) {
	w, c := newWatch(), new(progress.Counters)
	c.Requests.SetGate("", fixed(9))
	c.Requests.End("", c.Requests.Begin(""), progress.Answered)
	c.Requests.End("", c.Requests.Begin(""), progress.Failed)
	c.Requests.Begin("")
	w.Show("shop.orders", &board.Board{Counters: c})
	require.NoError(t, testutil.CollectAndCompare(runCollector{w}, strings.NewReader(`
# HELP cqlbulk_requests_limit Requests that a gate allows in flight now. One gate for all nodes together has the node all.
# TYPE cqlbulk_requests_limit gauge
cqlbulk_requests_limit{node="all"} 9
# HELP cqlbulk_requests_in_flight Requests under way. Those whose node the driver chooses have the node any.
# TYPE cqlbulk_requests_in_flight gauge
cqlbulk_requests_in_flight{node="any"} 1
# HELP cqlbulk_request_failures_total Requests that failed or got no answer.
# TYPE cqlbulk_request_failures_total counter
cqlbulk_request_failures_total{node="any"} 1
`), "cqlbulk_requests_limit", "cqlbulk_requests_in_flight", "cqlbulk_request_failures_total"))
	registry := prometheus.NewPedanticRegistry()
	require.NoError(t, registry.Register(runCollector{w}))
	families, err := registry.Gather()
	require.NoError(t, err)
	for _, f := range families {
		for _, m := range f.Metric {
			for _, l := range m.Label {
				if l.GetName() == "node" {
					require.NotEmpty(t, l.GetValue(), f.GetName())
				}
			}
		}
	}
}
