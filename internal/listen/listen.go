// Package listen opens the port at which nodes reach this host by the internode protocol
// (--listen).
package listen

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

// ports is the number of ports that are tried if none is named, from [internode.ListenPort]
// downwards. They are few: nodes keep metrics of every port for ever.
const ports = 8

// How long to wait for a port at which another run listens.
const (
	// Briefly is for a run that listens for a moment: the other one may do so, too.
	Briefly = 15 * time.Second
	// Lasting is for a run that listens until its end: the other one may do so as long.
	Lasting = 0
)

// Open listens at the named address and port. If named is empty, it takes the first free one of a
// few ports. It waits at most within for a port that is taken.
func Open(
	ctx context.Context,
	named string,
	within time.Duration,
	config *tls.Config,
) (*internode.Listener, error) {
	places := []string{named}
	if named == "" {
		places = nil
		for i := range ports {
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
			return nil, explain(places[0], err)
		}
		if err := pace.Sleep(ctx, pace.Backoff{}.Delay(attempt)); err != nil {
			return nil, fault.New(fault.Canceled, err)
		}
	}
}

// explain returns why nothing can listen at an address, and what to do.
func explain(at string, err error) error {
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
