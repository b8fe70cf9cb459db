package board

import "github.com/cqlbulk/cqlbulk/internal/progress"

// Stage is what a run by streaming is doing now: receiving, reading, sorting, sending or writing.
type Stage struct {
	Name      string  `json:"name"`
	Done      int64   `json:"done"`  // rows of reading, bytes of the others
	Total     int64   `json:"total"` // of those; 0: not known
	Rows      bool    `json:"rows"`  // Done and Total are rows
	PerSecond float64 `json:"per_second"`
	// NodeLimit is bytes per second that a node sends at most, if the run waits for that; else 0.
	NodeLimit int64 `json:"node_limit,omitempty"`
}

// stagesOf returns the stages that are under way. A run receives beside its other stages.
func stagesOf(r progress.Reading) []Stage {
	all := []Stage{}
	if in := r.Receiving; in != nil {
		all = append(all, Stage{Name: "receiving", Done: in.Received, Total: in.Announced, PerSecond: in.PerSecond, NodeLimit: in.NodeLimit})
	}
	if s := r.Stage; s != nil {
		all = append(all, Stage{Name: s.Name, Done: s.Done, Total: s.Total, Rows: s.Name == "reading", PerSecond: s.PerSecond})
	}
	return all
}
