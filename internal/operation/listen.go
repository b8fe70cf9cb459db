package operation

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"syscall"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/fault"
	"github.com/cqlbulk/cqlbulk/internal/internode"
	"github.com/cqlbulk/cqlbulk/internal/pace"
)

// listenPorts is how many ports are tried, from [DefaultListen] downwards, where none is named and
// other runs listen there. Nodes keep metrics of each port for ever, so there are few.
const listenPorts = 8

// listenWithin is how long a port is waited for that another run listens at for a moment.
const listenWithin = 15 * time.Second

// lasting is the wait for a port by a run that listens there until its end: others do so as long.
const lasting = 0

// listen opens the listener for nodes at an address and port; if named is empty, at the first free
// one of a few ports. It waits for a port that is taken no longer than within.
func listen(
	ctx context.Context,
	named string,
	within time.Duration,
	config *tls.Config,
) (*internode.Listener, error) {
	places := []string{named}
	if named == "" {
		places = nil
		for i := range listenPorts {
			places = append(places, fmt.Sprintf(":%d", internode.ListenPort-i))
		}
	}
	for begun, attempt := time.Now(), 1; ; attempt++ {
		var err error
		for _, at := range places {
			var l *internode.Listener
			if l, err = internode.Listen(at, config); err == nil {
				return l, nil
			}
			if !errors.Is(err, syscall.EADDRINUSE) {
				break
			}
		}
		if !errors.Is(err, syscall.EADDRINUSE) || time.Since(begun) >= within {
			return nil, listenError(places[0], err)
		}
		if err := pace.Sleep(ctx, pace.Backoff{}.Delay(attempt)); err != nil {
			return nil, fault.New(fault.Canceled, err)
		}
	}
}

// listenError says why nothing can listen at a place, and what to do.
func listenError(at string, err error) error {
	switch {
	case errors.Is(err, syscall.EADDRNOTAVAIL):
		err = errors.New(
			"this host has no such address: name one of its own that the nodes can reach",
		)
	case errors.Is(err, syscall.EADDRINUSE):
		err = errors.New("another program listens there: name another port")
	case errors.Is(err, syscall.EACCES):
		err = errors.New("this user may not listen there: name a port from 1024 on")
	}
	return fmt.Errorf("--listen %s: %w", at, err)
}
