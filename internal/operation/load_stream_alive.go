package operation

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/internode"
)

// finishing says of a node that has all files of a session whether it still works at it. It
// belongs to one session.
type finishing struct {
	ask  func(ctx context.Context, node string, plan [16]byte) (answers, ended bool)
	node string

	silent time.Time // since when the node has not answered; zero: it answers
	ended  bool      // the node said so when it was asked last
}

// silentWhileFinishing is how long a node may answer nothing by CQL while it finishes a session.
const silentWhileFinishing = 5 * time.Minute

// alive has the session wait as long as the node answers questions, and has not ended the stream
// in its own account. What it says of the end is on its way when it is asked for the first time.
func (f *finishing) alive(ctx context.Context, plan internode.UUID) error {
	answers, ended := f.ask(ctx, f.node, plan)
	switch {
	case !answers && f.silent.IsZero():
		f.silent = time.Now()
	case !answers && time.Since(f.silent) >= silentWhileFinishing:
		return fmt.Errorf("it has answered nothing by CQL for %s", time.Since(f.silent).Round(time.Second))
	case !answers:
	case ended && f.ended:
		return errors.New("it has ended the stream without a word: see system_views.streaming there")
	default:
		f.silent, f.ended = time.Time{}, ended
	}
	return nil
}
