package table

import (
	"context"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/fault"
	"github.com/cqlbulk/cqlbulk/internal/pace"
)

// settleTime is the time that gossip may take until all nodes know of a change. Nodes themselves
// wait as long (StorageService.RING_DELAY).
const settleTime = 30 * time.Second

// AwaitAgreement calls ask, a question about the ring, until the nodes agree. It stops when
// patience or [settleTime] has passed.
func AwaitAgreement(ctx context.Context, patience time.Duration, ask func() error) error {
	begun := time.Now()
	for attempt := 1; ; attempt++ {
		err := ask()
		if err == nil || !fault.Retryable(err, true) ||
			time.Since(begun) >= min(settleTime, patience) {
			return err
		}
		if err := pace.Sleep(ctx, pace.Backoff{}.Delay(attempt)); err != nil {
			return fault.New(fault.Canceled, err)
		}
	}
}
