package driver

import (
	"context"
	"errors"
	"net"
	"time"

	"golang.org/x/sync/errgroup"
)

// probe tries all contact points at the same time, with TLS where that is asked for, and
// gives those for the driver to begin with: one that answers, or when a data center
// was asked for, to which it may not belong, all that do within [Config.AskTimeout]. The driver
// would wait for one that hangs. When none answers they are those that take connections,
// about which the driver's word is the better one; it says little about a host that is not
// there, so that is an error of probe's own.
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

// probeOne says whether a contact point speaks as a server does. The error is that it
// takes no connection, or none by TLS.
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

// fromServer is the bit of a frame's first byte by which answers differ from requests.
const fromServer = 0x80
