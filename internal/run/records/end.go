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
	// Reread has settings of a load with which its rejected rows could be read, or without which a
	// resume stops again for the same reason. nil: none are known.
	Reread map[string][]string `json:"reread,omitempty"`
	Edit   []string            `json:"edit,omitempty"` // of a load: rejects that no setting mends
	// FromStart has settings of a load that change where records begin and end. The load has to
	// start from the beginning with them. nil: none are known.
	FromStart map[string][]string `json:"anew,omitempty"`
}

// The outcomes.
const (
	Done        = "done"
	Partly      = "partly" // every row or range was tried, and some failed
	Interrupted = "interrupted"
	Failed      = "failed"
)

// Range is a token range that the scan gave up, in the format of token.ParseRange.
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

// every calls f once per d until stop is called. stop waits until f is not running.
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
