package progress

import (
	"fmt"
	"sync"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/human"
)

const (
	// boundEvery is the time between checks of the gates. After boundLooks checks in a row that
	// find the gates at their limit, the user is advised that the nodes could take more.
	boundEvery = time.Second
	boundLooks = 4
)

// AdviseWhileBound shows advice as a hint while the number of requests limits a run whose nodes
// could take more. It logs the advice once. It ends when the caller calls stop, which it must.
func (c *Counters) AdviseWhileBound(
	advice string,
	logf func(format string, args ...any),
) (stop func()) {
	over := make(chan struct{})
	var looking sync.WaitGroup
	looking.Go(func() {
		ticker := time.NewTicker(boundEvery)
		defer ticker.Stop()
		logged, looks := false, 0
		for {
			select {
			case <-over:
				return
			case <-ticker.C:
			}
			if !c.Requests.Bound() {
				looks = 0
				c.Hint.Set("")
				continue
			}
			if looks++; looks < boundLooks {
				continue
			}
			c.Hint.Set(advice)
			if !logged {
				logf("%s", advice)
				logged = true
			}
		}
	})
	return func() {
		close(over)
		looking.Wait()
	}
}

const boundAdvice = "most of the requests under way are on the line, and the nodes could take more"

// MoreInFlight returns the advice for more requests in flight. Their number is limited by a flag if
// given is true, and otherwise by the default of the flag.
func MoreInFlight(requests int, flag string, given bool) string {
	if given {
		return fmt.Sprintf(
			boundAdvice+": without --%s, or with one above %s, the run is faster",
			flag,
			human.Count(requests),
		)
	}
	return fmt.Sprintf(
		boundAdvice+": the run is faster with --%s above %s",
		flag,
		human.Count(requests),
	)
}
