package records

import (
	"time"

	"github.com/cqlbulk/cqlbulk/internal/run/journal"
)

// End is how a run ended.
type End struct {
	Outcome string `json:"outcome"`         // done, partly, interrupted or failed
	Error   string `json:"error,omitempty"` // why it failed
	// Refused reports whether no resume can help: the error says what can.
	Refused bool    `json:"refused,omitempty"`
	Failed  []Range `json:"failed,omitempty"` // of a scan
	// Reread are of a load: settings by which rejected rows would be read, or without which a
	// resume stops again for the same reason; nil: none are known.
	Reread map[string][]string `json:"reread,omitempty"`
	Edit   []string            `json:"edit,omitempty"` // of a load: names of files of rejects that no setting mends
	// Anew are of a load: settings of how records are cut, by which its inputs are read; it has to
	// start again with them. nil: none are known.
	Anew map[string][]string `json:"anew,omitempty"`
}

// The outcomes.
const (
	Done        = "done"
	Partly      = "partly" // all was tried, and some of it failed
	Interrupted = "interrupted"
	Failed      = "failed"
)

// Range is a token range that was given up, as token.ParseRange reads it.
type Range struct {
	Range  string `json:"range"`
	Reason string `json:"reason"`
}

func closeJournal(j *journal.Journal, e End) error {
	err := j.Append(kindEnd, e)
	if closeErr := j.Close(); err == nil {
		err = closeErr
	}
	return err
}

// every calls f again and again until stop is called.
func every(d time.Duration, f func()) (stop func()) {
	end, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		ticker := time.NewTicker(d)
		defer ticker.Stop()
		for {
			select {
			case <-end:
				return
			case <-ticker.C:
				f()
			}
		}
	}()
	return func() {
		close(end)
		<-ended
	}
}
