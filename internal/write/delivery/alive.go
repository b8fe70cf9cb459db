package delivery

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/internode"
)

// asksOfPatience is how often a node that finishes a session is asked how it stands, in the time
// that it may be silent.
const asksOfPatience = 4

// finishing reports whether a node still works on a session after it has received all files. It
// belongs to one session.
type finishing struct {
	ask      func(ctx context.Context, node string, plan [16]byte) (answers, ended bool)
	node     string
	patience time.Duration // with a node that answers nothing

	silent time.Time // since when the node has not answered; zero: it answers
	ended  bool      // by its last answer, the node has ended the session
}

// silentNodeError is the error of a node that answers neither by CQL nor at its storage port.
type silentNodeError struct{ lasted time.Duration }

func (e *silentNodeError) Error() string {
	return fmt.Sprintf(
		"it has answered nothing for %s, neither by CQL nor at its storage port",
		e.lasted.Round(time.Second),
	)
}

// alive returns nil while the session should wait: the node answers, and has not ended the stream
// by its own account. A message of the end may be under way, so alive asks twice before it gives
// up.
func (f *finishing) alive(ctx context.Context, plan internode.UUID) error {
	begun := time.Now()
	answers, ended := f.ask(ctx, f.node, plan)
	if answers {
		if ended && f.ended {
			return errors.New(
				"it has ended the stream without a message: see system_views.streaming there",
			)
		}
		f.silent, f.ended = time.Time{}, ended
		return nil
	}
	if f.silent.IsZero() {
		f.silent = begun
	}
	if lasted := time.Since(f.silent); lasted >= f.patience {
		return &silentNodeError{lasted}
	}
	return nil
}

// asks asks a node by CQL about the session of a plan. If the node does not answer, it tries the
// storage port: a node that finishes a session may be too busy for CQL.
func (s *sender) asks(ctx context.Context, node string, plan [16]byte) (answers, ended bool) {
	if answers, ended = s.ended(ctx, node, plan); answers {
		return answers, ended
	}
	client := *s.client
	client.Timeouts.Connect = probeWithin
	_, err := client.Probe(ctx, s.address(node))
	return err == nil, false
}

// probeWithin is the time limit of a handshake at a storage port.
const probeWithin = 5 * time.Second
