package web

import (
	"cmp"
	"net/http"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/cqlbulk/cqlbulk/internal/progress/board"
)

// metricsOf serves the metrics of a run, with those of the process.
func metricsOf(w *board.Watch) http.Handler {
	registry := prometheus.NewRegistry()
	registry.MustRegister(
		runCollector{w},
		collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
	)
	return promhttp.HandlerFor(
		registry,
		promhttp.HandlerOpts{Registry: registry, MaxRequestsInFlight: 4},
	)
}

// runCollector makes metrics of a run's state when they are asked for.
type runCollector struct{ watch *board.Watch }

func metric(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc("cqlbulk_"+name, help, labels, nil)
}

var (
	runInfo  = metric("run_info", "1, with what is run.", "command", "table", "version")
	runStart = metric("run_start_time_seconds", "When the run began, in seconds since 1970.")
	runPhase = metric("run_phase", "1 for the phase that the run is in, 0 for others.", "phase")
	runShare = metric(
		"run_progress_ratio",
		"Part of the work that is done, 0 to 1: of a run by streaming what was sent or written. Absent while it is not known.",
	)
	runLeft = metric(
		"run_remaining_seconds",
		"How long the rest takes, by the pace so far. Absent while it is not known.",
	)
	stageShare = metric(
		"run_stage_progress_ratio",
		"Part of the whole work that a stage of a run by streaming has done, 0 to 1. Absent while it is not known.",
		"stage",
	)
	stageTime = metric(
		"run_stage_remaining_seconds",
		"How long the rest takes that the stage alone has to do. Absent while it is not known.",
		"stage",
	)
	rowsTotal    = metric("rows_total", "Rows written, acknowledged or counted by this process.")
	textTotal    = metric("text_bytes_total", "Bytes of text written out or read in.")
	retriesTotal = metric("request_retries_total", "Requests sent again.")
	failedTotal  = metric("failed_token_ranges_total", "Token ranges that were given up.")
	rejectsTotal = metric("rejected_rows_total", "Rows rejected.")
	saidTotal    = metric(
		"log_lines_total",
		"Lines said to the user: warnings, notes and the summary.",
	)
	underWay = metric(
		"requests_in_flight",
		"Requests under way. Those whose node the driver chooses have the node any.",
		"node",
	)
	gateLimit = metric(
		"requests_limit",
		"Requests that a gate allows in flight now. One gate for all nodes together has the node all.",
		"node",
	)
	requestTimes = metric(
		"request_duration_seconds",
		"How long requests took that were answered, with quantiles of the last ten seconds.",
		"node",
	)
	requestFails = metric(
		"request_failures_total",
		"Requests that failed or got no answer.",
		"node",
	)
	targetP99 = metric(
		"target_p99_seconds",
		"99th percentile of small reads that the run keeps to (--target-p99). Absent without one.",
	)
	heldP99 = metric(
		"held_p99_seconds",
		"That percentile as it is now. Absent without a target.",
	)
	ringDone = metric(
		"ring_done_ratio",
		"Part of a node's token ranges (those it is the first replica of) that was read, 0 to 1.",
		"node",
	)
	ringFailed = metric(
		"ring_failed_ratio",
		"Part of those token ranges that was given up, 0 to 1.",
		"node",
	)
	streamed = metric("streamed_bytes_total", "Bytes streamed to a node.", "node")
	sessions = metric("stream_sessions", "Streaming sessions under way with a node.", "node")
)

// Describe is a method of prometheus.Collector. Which metrics there are depends on the run.
func (c runCollector) Describe(chan<- *prometheus.Desc) {}

// Collect is a method of prometheus.Collector.
func (c runCollector) Collect(out chan<- prometheus.Metric) {
	s := c.watch.State()
	gauge := func(d *prometheus.Desc, v float64, labels ...string) {
		out <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v, labels...)
	}
	counter := func(d *prometheus.Desc, v int64, labels ...string) {
		out <- prometheus.MustNewConstMetric(d, prometheus.CounterValue, float64(v), labels...)
	}
	gauge(runInfo, 1, s.Command, s.Table, s.Tool)
	gauge(runStart, float64(s.Began.UnixMilli())/1000)
	for _, p := range board.Phases() {
		is := 0.0
		if p == s.Phase {
			is = 1
		}
		gauge(runPhase, is, string(p))
	}
	if s.Share != nil {
		gauge(runShare, *s.Share)
	}
	if s.Left != nil {
		gauge(runLeft, *s.Left)
	}
	for _, stage := range s.Stages {
		if stage.Share != nil {
			gauge(stageShare, *stage.Share, stage.Name)
		}
		if stage.Left != nil {
			gauge(stageTime, *stage.Left, stage.Name)
		}
	}
	if s.TargetP99 > 0 {
		gauge(targetP99, s.TargetP99)
		gauge(heldP99, s.HeldP99)
	}
	counter(rowsTotal, s.Rows-s.EarlierRows)
	counter(textTotal, s.Bytes-s.EarlierBytes)
	counter(retriesTotal, s.Retries)
	counter(failedTotal, s.FailedRanges)
	counter(rejectsTotal, s.RejectedRows)
	counter(saidTotal, s.Said)
	for _, g := range s.Gates {
		gauge(gateLimit, float64(g.Limit), cmp.Or(g.Node, "all"))
	}
	for _, n := range s.Nodes {
		node := cmp.Or(n.Address, "any") // an empty label is none to Prometheus
		gauge(underWay, float64(n.InFlight), node)
		counter(requestFails, n.Failures, node)
		out <- prometheus.MustNewConstSummary(requestTimes, uint64(n.Requests),
			n.Took.Seconds(), map[float64]float64{0.5: n.P50, 0.99: n.P99}, node)
		if n.Streamed > 0 || n.Sessions > 0 {
			counter(streamed, n.Streamed, node)
			gauge(sessions, float64(n.Sessions), node)
		}
	}
	if !s.RowsRing {
		for _, n := range s.Ring {
			gauge(ringDone, n.DoneShare(), n.Node)
			gauge(ringFailed, n.FailedShare(), n.Node)
		}
	}
}
