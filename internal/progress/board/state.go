package board

import (
	"cmp"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/progress"
)

// Phase is how far a run is.
type Phase string

// The phases of a run.
const (
	Connecting  Phase = "connecting"
	Running     Phase = "running"
	Done        Phase = "done"
	Partly      Phase = "partly"      // done, except for what failed
	Failed      Phase = "failed"      // could not continue
	Interrupted Phase = "interrupted" // was interrupted
)

// Over reports whether the run has ended.
func (p Phase) Over() bool { return p != Connecting && p != Running }

// StateVersion is the version of the form of a State.
const StateVersion = 1

// State is what a run shows at a moment. As JSON it is the content of /status.json. Rates and
// latencies are those of the last ten seconds. Once the run has ended, they are those of all of it,
// except for the latencies of each node.
type State struct {
	Version int       `json:"version"` // StateVersion
	Tool    string    `json:"tool"`    // version of the program
	Command string    `json:"command"`
	Table   string    `json:"table"` // empty while connecting
	Phase   Phase     `json:"phase"`
	Error   string    `json:"error,omitempty"`
	Began   time.Time `json:"began"`
	Elapsed float64   `json:"elapsed_seconds"`
	About   About     `json:"about"`
	// resumes or retries the run; empty: there is nothing left to do
	Next   string   `json:"next_command,omitempty"`
	Edit   []string `json:"next_edit,omitempty"` // files of rejected rows to edit before that
	Stages []Stage  `json:"stages"`              // of a streaming run in progress

	Share *float64 `json:"share"`        // 0 to 1; null: unknown
	Left  *float64 `json:"left_seconds"` // an estimate; null: unknown

	// including those of an earlier run that this one resumes
	Rows           int64   `json:"rows"`
	EarlierRows    int64   `json:"earlier_rows"`    // those of an earlier run
	EarlierSeconds float64 `json:"earlier_seconds"` // time that earlier processes of the run took
	// read and not written yet: by a load that writes many at once, or of partitions that a scan
	// has not finished
	Ready        int64 `json:"ready_rows"`
	Bytes        int64 `json:"text_bytes"`
	EarlierBytes int64 `json:"earlier_text_bytes"` // those of an earlier run
	Retries      int64 `json:"retries"`
	FailedRanges int64 `json:"failed_ranges"`
	RejectedRows int64 `json:"rejected_rows"`

	RowsPerSecond  float64 `json:"rows_per_second"`
	BytesPerSecond float64 `json:"text_bytes_per_second"`
	InFlight       int64   `json:"requests_in_flight"`
	P50            float64 `json:"p50_seconds"`
	P99            float64 `json:"p99_seconds"`
	// of small reads, that the run keeps to; 0: none
	TargetP99   float64 `json:"target_p99_seconds"`
	HeldP99     float64 `json:"held_p99_seconds"`   // measured for that target, now
	HeldSeconds int     `json:"held_seconds"`       // of the run so far
	HeldAbove   int     `json:"held_seconds_above"` // those in which it was above the target
	HeldWorst   float64 `json:"held_worst_seconds"` // p99 of the worst of them
	// p99 of small reads before the run's first request
	IdleP99 float64 `json:"idle_p99_seconds"`
	// what would make the run faster; empty: nothing known
	Hint string `json:"hint,omitempty"`

	Nodes    []NodeState `json:"nodes"`
	Gates    []GateState `json:"gates"`
	RowsRing bool        `json:"ring_of_rows"` // the ring shows rows written, and not ranges read
	Ring     []NodeRing  `json:"ring"`         // empty if the table is read as one range
	Rejects  []Cause     `json:"rejects"`
	History  []Point     `json:"history"`
	Log      []Line      `json:"log"`
	Said     int64       `json:"log_lines"` // in total; Log has the last ones
}

// NodeState is how a node answers.
type NodeState struct {
	Member
	InFlight int64         `json:"requests_in_flight"`
	Requests int64         `json:"requests"`         // answered
	Failures int64         `json:"request_failures"` // those that failed or were not answered
	P50      float64       `json:"p50_seconds"`
	P99      float64       `json:"p99_seconds"`
	Streamed int64         `json:"streamed_bytes"`
	Sessions int64         `json:"stream_sessions"`
	Took     time.Duration `json:"-"` // of all answered requests together
}

// GateState is the limit of a gate that holds back the requests to a node.
type GateState struct {
	Node     string `json:"node"` // address; empty: all nodes together
	Limit    int    `json:"limit"`
	InFlight int    `json:"requests_in_flight"`
}

// Point is the speed at a moment of the run.
type Point struct {
	Seconds  float64 `json:"seconds"` // since the run began
	Rows     float64 `json:"rows_per_second"`
	Bytes    float64 `json:"text_bytes_per_second"`
	Streamed float64 `json:"streamed_bytes_per_second"`
	// of the requests of the last ten seconds; 0: there were none
	P50     float64 `json:"p50_seconds"`
	P99     float64 `json:"p99_seconds"`
	HeldP99 float64 `json:"held_p99_seconds"` // of small reads; 0: unknown
}

// Line is a logged line.
type Line struct {
	Time time.Time `json:"time"`
	Text string    `json:"text"`
}

// State returns what the run shows now.
func (w *Watch) State() State {
	w.mu.Lock()
	defer w.mu.Unlock()
	end := time.Now()
	if w.phase.Over() {
		end = w.ended
	}
	s := State{
		Version: StateVersion,
		Tool:    w.version,
		Command: w.command,
		Table:   w.table,
		Phase:   w.phase,
		Error:   w.problem,
		Began:   w.began.UTC(),
		Elapsed: round(end.Sub(w.began).Seconds()),
		Said:    w.said,
		Stages:  []Stage{},
		Nodes:   []NodeState{},
		Gates:   []GateState{},
		Ring:    []NodeRing{},
		Rejects: []Cause{},
		History: append([]Point{}, w.history...),
		Log:     append([]Line{}, w.lines...),
	}
	w.fillAboutLocked(&s)
	if w.board != nil {
		w.fillLocked(&s, end)
	}
	return s
}

// fillLocked adds what the board has.
func (w *Watch) fillLocked(s *State, now time.Time) {
	read := w.board.Counters.Read
	if w.phase.Over() {
		read = func(time.Time) progress.Reading { return w.view.reading } // the last reading
	}
	v := w.viewLocked(now, read)
	r := v.reading
	s.Rows, s.EarlierRows, s.Bytes, s.EarlierBytes = r.Rows, r.Earlier, r.Bytes, r.EarlierBytes
	s.Ready, s.EarlierSeconds = r.Ready, round(r.EarlierSeconds)
	s.Retries, s.FailedRanges, s.RejectedRows = r.Retries, r.Failed, r.Rejected
	s.Share = r.Share
	s.RowsPerSecond, s.BytesPerSecond = r.RowsPerSecond, r.BytesPerSecond
	s.P50, s.P99, s.InFlight = r.P50, r.P99, r.UnderWay
	s.Left = unless0(r.Left)
	s.Hint = w.board.Counters.Hint.Text()
	s.Stages = stagesOf(r)
	if w.phase.Over() {
		took := cmp.Or(w.board.Counters.Took(), w.ended.Sub(w.began))
		own := ownOf(r)
		seconds := max(took.Seconds(), 0.001)
		latency := w.board.Counters.Requests.Whole()
		s.Elapsed = round(took.Seconds())
		s.Stages, s.Hint = []Stage{}, ""
		s.Left, s.RowsPerSecond, s.BytesPerSecond = nil, own[0]/seconds, own[1]/seconds
		s.P50, s.P99 = latency.P50.Seconds(), latency.P99.Seconds()
	}
	target, kept := w.board.Counters.Latency.Now()
	s.TargetP99, s.HeldP99 = target.Seconds(), r.Held
	s.HeldSeconds, s.HeldAbove = kept.Seconds, kept.Above
	s.HeldWorst, s.IdleP99 = kept.Worst.Seconds(), kept.Idle.Seconds()
	s.RowsRing = w.board.Ring != nil && w.board.Ring.rows
	s.Nodes, s.Gates = append(s.Nodes, v.nodes...), append(s.Gates, v.gates...)
	s.Ring, s.Rejects = append(s.Ring, v.ring...), append(s.Rejects, v.rejects...)
}

// fillNodes adds how the nodes answer, and the limits of the gates.
func (v *view) fillNodes(b *Board, now time.Time) {
	at := make(map[string]int)
	for i, m := range b.Nodes {
		at[m.Address] = i
		v.nodes = append(v.nodes, NodeState{Member: m})
	}
	find := func(name string) *NodeState {
		i, known := at[name]
		if !known {
			i = len(v.nodes)
			at[name] = i
			v.nodes = append(v.nodes, NodeState{Member: Member{Address: name}})
		}
		return &v.nodes[i]
	}
	for _, r := range b.Counters.Requests.Nodes(now) {
		if r.Limit > 0 {
			gate := GateState{r.Node, r.Limit, int(r.UnderWay)}
			if r.Node == "" {
				gate.InFlight = int(v.reading.UnderWay)
			}
			v.gates = append(v.gates, gate)
		}
		if r.UnderWay+r.Answered+r.Failed == 0 {
			continue
		}
		n := find(r.Node)
		n.InFlight, n.Requests, n.Failures, n.Took = r.UnderWay, r.Answered, r.Failed, r.Took
		n.P50, n.P99 = r.Now.P50.Seconds(), r.Now.P99.Seconds()
	}
	for _, streamed := range b.Counters.Streams.List() {
		n := find(streamed.Node)
		n.Streamed, n.Sessions = streamed.Bytes, streamed.Sessions
	}
}

// Phases lists all phases.
func Phases() []Phase { return []Phase{Connecting, Running, Done, Partly, Failed, Interrupted} }
