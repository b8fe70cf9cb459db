package board

import "github.com/cqlbulk/cqlbulk/internal/progress"

// Stage is what a streaming run is doing now: receiving, reading, sorting, making, sending or
// writing.
type Stage struct {
	Name      string   `json:"name"`
	Share     *float64 `json:"share"` // of the whole work that it has done, 0 to 1; null: unknown
	Done      int64    `json:"done"`  // rows for reading, else bytes
	Total     int64    `json:"total"` // of the same units; 0: unknown
	Rows      bool     `json:"rows"`  // Done and Total are rows
	PerSecond float64  `json:"per_second"`
	Left      *float64 `json:"left_seconds"` // an estimate for this stage only; null: unknown
	// all was sent or written, and nodes have not taken it
	Waiting bool `json:"waiting,omitempty"`
	// NodeLimit is the number of bytes per second that a node sends at most, if the run waits for
	// that; else 0.
	NodeLimit int64 `json:"node_limit,omitempty"`
}

// stagesOf returns the stages in progress. A run receives beside its other stages.
func stagesOf(r progress.Reading) []Stage {
	all := []Stage{}
	if in := r.Receiving; in != nil && !in.All {
		all = append(all, Stage{
			Name:      "receiving",
			Share:     in.Share,
			Done:      in.Received,
			Total:     in.Announced,
			PerSecond: in.PerSecond,
			Left:      unless0(in.Left),
			NodeLimit: in.NodeLimit,
		})
	}
	if s := r.Stage; s != nil {
		all = append(all, Stage{
			Name:      s.Name,
			Share:     s.Share,
			Done:      s.Done,
			Total:     s.Total,
			Rows:      s.Name == progress.StageReading,
			PerSecond: s.PerSecond,
			Left:      unless0(s.Left),
			Waiting:   s.Waiting,
		})
	}
	return all
}

// unless0 returns a pointer to a figure; nil if it is 0.
func unless0(f float64) *float64 {
	if f == 0 {
		return nil
	}
	return &f
}
