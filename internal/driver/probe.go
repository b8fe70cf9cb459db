package driver

import (
	"context"
	"errors"
	"net"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
)

// probe tries all contact points at the same time, with TLS if that is configured. It returns those
// for the driver to begin with: one that answers. If a data center was given, to which that one may
// not belong, it returns all that answer within [Config.AskTimeout]. The driver would wait for one
// that hangs.
//
// If none answers, probe returns those that accept connections, since the driver explains these
// best. The driver says little about a host that does not exist, so in that case probe returns an
// error of its own.
func probe(ctx context.Context, cfg Config) ([]string, error) {
	if len(cfg.Hosts) == 0 {
		return nil, errors.New("no contact point given; name one with --hosts")
	}
	probing, enough := context.WithCancel(ctx)
	defer enough()
	answered := make([]bool, len(cfg.Hosts))
	failures := make([]error, len(cfg.Hosts))
	var group errgroup.Group
	for i, host := range cfg.Hosts {
		group.Go(func() error {
			answered[i], failures[i] = probeOne(probing, cfg, withPort(host, cfg.Port))
			if answered[i] && cfg.DC == "" {
				enough()
			}
			return nil
		})
	}
	_ = group.Wait() // the errors are in failures
	var speaking, open []string
	for i, host := range cfg.Hosts {
		switch {
		case answered[i]:
			speaking = append(speaking, host)
		case failures[i] == nil:
			open = append(open, host)
		}
	}
	switch {
	case len(speaking) > 0:
		return speaking, nil
	case len(open) > 0:
		return open, nil
	default:
		return nil, errors.Join(failures...)
	}
}

// probeEach probes contact points, all at the same time. It returns those that answer and the
// others, in their order.
func probeEach(
	contacts []string, probe func(contact string) bool,
) (answering, silent []string) {
	answers := make([]bool, len(contacts))
	var probing sync.WaitGroup
	for i, contact := range contacts {
		probing.Go(func() { answers[i] = probe(contact) })
	}
	probing.Wait()
	for i, contact := range contacts {
		if answers[i] {
			answering = append(answering, contact)
		} else {
			silent = append(silent, contact)
		}
	}
	return answering, silent
}

// probeOne reports whether a contact point answers like a server. The error says that it accepts no
// connection, or none with TLS.
func probeOne(ctx context.Context, cfg Config, address string) (bool, error) {
	conn, err := (&net.Dialer{Timeout: cfg.AskTimeout}).DialContext(ctx, "tcp", address)
	if err != nil {
		return false, explainDial(address, err)
	}
	defer func() { _ = conn.Close() }()
	if cfg.TLS != nil {
		err := shake(ctx, conn, cfg)
		return err == nil, err
	}
	ctx, cancel := context.WithDeadline(ctx, time.Now().Add(cfg.AskTimeout))
	defer cancel()
	first, err := firstByte(ctx, conn)
	return err == nil && first&fromServer != 0, nil
}

// fromServer is the bit of a frame's first byte that distinguishes answers from requests.
const fromServer = 0x80
