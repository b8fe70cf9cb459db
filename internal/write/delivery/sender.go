package delivery

import (
	"context"
	"errors"
	"io"
	"maps"
	"os"
	"slices"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/driver"
	"github.com/cqlbulk/cqlbulk/internal/fault"
	"github.com/cqlbulk/cqlbulk/internal/internode"
	"github.com/cqlbulk/cqlbulk/internal/write/stream"
	"github.com/cqlbulk/cqlbulk/pkg/sstable/component"
)

// sender sends SSTables to storage ports.
type sender struct {
	client  *internode.Client
	table   internode.UUID
	address func(node string) string
	disks   Disks
	// returns why a node failed a session
	failure func(ctx context.Context, node string, plan [16]byte) driver.StreamFailure
	ended   func(ctx context.Context, node string, plan [16]byte) (answers, ended bool)

	indexes  []string      // of the table
	patience time.Duration // with a node that answers nothing
}

// Send sends a file to a node in one session. It is a method of stream.Sender.
func (s *sender) Send(ctx context.Context, node string, f stream.File) error {
	if err := s.disks.RoomFor(node, f.Size()); err != nil {
		return fault.New(fault.Transient, err)
	}
	file := internode.File{Table: s.table, Keys: f.Keys, Header: f.Header, Whole: wholeOf(f.Whole)}
	if f.Whole == nil {
		file.Length = f.Bytes
		file.Open = func() (io.ReadCloser, error) { return io.NopCloser(f.Open()), nil }
	}
	client := *s.client
	client.Limiter = limiters{s.client.Limiter, f.Transfer}
	client.Timeouts.Complete = min(s.patience/asksOfPatience, time.Minute)
	finishing := finishing{ask: s.asks, node: node, patience: s.patience}
	watch := internode.Watch{
		Sent:     f.Transfer.Sent,
		Received: func(_ int, took time.Duration) { f.Transfer.Received(took) },
		Alive:    finishing.alive,
	}
	plan, err := client.Stream(ctx, s.address(node), []internode.File{file}, watch)
	kind := internode.KindOf(err)
	if kind == internode.Failed {
		return s.explained(ctx, err, node, plan)
	}
	if errors.As(err, new(*silentNodeError)) {
		return fault.New(fault.Fatal, err) // the session has waited already
	}
	return fault.New(classOf(kind), err)
}

// limiters wait for each of them: that of all nodes, which may be nil, and that of one.
type limiters []internode.Limiter

// Wait is a method of internode.Limiter.
func (l limiters) Wait(ctx context.Context, n int) error {
	for _, one := range l {
		if one == nil {
			continue
		}
		if err := one.Wait(ctx, n); err != nil {
			return err
		}
	}
	return nil
}

// wholeOf returns an entire SSTable in the form of the protocol; nil for nil.
func wholeOf(w *stream.Whole) *internode.Whole {
	if w == nil {
		return nil
	}
	out := &internode.Whole{Version: w.Version.String(), FirstKey: w.First}
	for _, c := range slices.Sorted(maps.Keys(w.Sizes)) {
		if c == component.TOCTxt { // nodes refuse it
			continue
		}
		out.Components = append(out.Components, internode.Component{
			Name: string(
				c,
			),
			Size: w.Sizes[c],
			Open: func() (io.ReadCloser, error) { return os.Open(w.Path(c)) },
		})
	}
	return out
}

// classOf returns the class of a session's error.
func classOf(kind internode.Kind) fault.Class {
	switch kind {
	case internode.Unreachable,
		internode.Failed,
		internode.Lost,
		internode.Deadline,
		internode.Version,
		internode.TLS:
		// Sending a file twice does no harm. All nodes spoke the protocol when the load began, so
		// what a restarting node answers is not final.
		return fault.Transient
	case internode.Canceled:
		return fault.Canceled
	default:
		return fault.Permanent
	}
}

// NoSender sends nothing: it is for a dry run.
type NoSender struct{}

// Send does nothing.
func (NoSender) Send(context.Context, string, stream.File) error { return nil }
