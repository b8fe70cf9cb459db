package operation

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

// finishing reports of a node whether it still works at a session that streams to it. It belongs to
// one session.
type finishing struct {
	ask      func(ctx context.Context, node string, plan [16]byte) (answers, ended bool)
	node     string
	patience time.Duration // with a node that answers nothing

	silent time.Time // since when the node has not answered; zero: it answers
	ended  bool      // the node said so when it was asked last
}

// silentNodeError says that a node which is streamed to answers nothing at all.
type silentNodeError struct{ lasted time.Duration }

func (e *silentNodeError) Error() string {
	return fmt.Sprintf(
		"it has answered nothing for %s, neither by CQL nor at its storage port",
		e.lasted.Round(time.Second),
	)
}

// alive has the session wait as long as the node answers questions, and has not ended the stream
// in its own account. What it says of the end is on its way when it is asked for the first time.
func (f *finishing) alive(ctx context.Context, plan internode.UUID) error {
	begun := time.Now()
	answers, ended := f.ask(ctx, f.node, plan)
	if answers {
		if ended && f.ended {
			return errors.New(
				"it has ended the stream without a word: see system_views.streaming there",
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

// asks asks a node by CQL how a session of that plan stands, and at its storage port if it does not
// answer: one that finishes a session may be too busy for CQL.
func (s *streamSender) asks(ctx context.Context, node string, plan [16]byte) (answers, ended bool) {
	if answers, ended = s.ended(ctx, node, plan); answers {
		return answers, ended
	}
	client := *s.client
	client.Timeouts.Connect = probeWithin
	_, err := client.Probe(ctx, s.address(node))
	return err == nil, false
}

// probeWithin is the time that a storage port has for a handshake.
const probeWithin = 5 * time.Second
