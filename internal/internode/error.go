package internode

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"syscall"
)

// Kind says what went wrong with a node. After an error of any kind nothing is known of what the
// session left behind: nodes keep all of it or nothing, but some have kept all of one that they
// never called complete.
type Kind uint8

// The kinds.
const (
	// Unreachable: no connection could be had.
	Unreachable Kind = iota + 1
	// Unreached: the node had no connection to the address where its files are waited for, or that
	// address is its own.
	Unreached
	// Version: the node speaks a version of the protocol that is not spoken here, or none.
	Version
	// TLS: the node wants TLS, or does not speak it, or one of the certificates is refused.
	TLS
	// Failed: the node said that the session failed. Why stands in its log.
	Failed
	// Lost: a connection ended before the session was complete.
	Lost
	// Deadline: the node did not do in time what it was waited for.
	Deadline
	// Protocol: the node said what it must not say.
	Protocol
	// Source: the caller's files cannot be sent: one is not as it was announced, or failed while
	// it was read. No other node would take them either.
	Source
	// Sink: the caller did not take a file that the node sent.
	Sink
	// Foreign: the node is not one of the cluster that the caller means.
	Foreign
	// TooMuch: the node announced more bytes than were asked for.
	TooMuch
	// Canceled: the caller's context ended, or the listener was closed.
	Canceled
)

// String names the kind.
func (k Kind) String() string {
	switch k {
	case Unreachable:
		return "unreachable"
	case Unreached:
		return "not reached by the node"
	case Version:
		return "version refused"
	case TLS:
		return "TLS"
	case Failed:
		return "session failed"
	case Lost:
		return "connection lost"
	case Deadline:
		return "deadline"
	case Protocol:
		return "protocol"
	case Source:
		return "source"
	case Sink:
		return "sink"
	case Foreign:
		return "another cluster"
	case TooMuch:
		return "too much"
	case Canceled:
		return "canceled"
	default:
		return "none"
	}
}

// ours says whether the node has no part in it.
func (k Kind) ours() bool { return k == Source || k == Sink || k == TooMuch || k == Canceled }

// AnnouncedError says that a node announced more than it was to send.
type AnnouncedError struct{ Bytes int64 }

// Error says how much.
func (e *AnnouncedError) Error() string { return fmt.Sprintf("the node would send %d bytes", e.Bytes) }

// Error is every error of this package's client.
type Error struct {
	Kind Kind
	Node string // address and port
	Plan UUID   // of the session; zero when there was none
	Err  error
}

// Error names the node, and what went wrong.
func (e *Error) Error() string { return fmt.Sprintf("storage port %s: %v", e.Node, e.Err) }

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.Err }

// KindOf finds the kind of an error; 0 of one that is not of this package's client.
func KindOf(err error) Kind {
	var e *Error
	if errors.As(err, &e) {
		return e.Kind
	}
	return 0
}

// problem is an error on its way to become an [Error]: it does not know of which node.
type problem struct {
	kind Kind
	err  error
}

func (p *problem) Error() string { return p.err.Error() }
func (p *problem) Unwrap() error { return p.err }

func problemf(kind Kind, format string, args ...any) error {
	return &problem{kind, fmt.Errorf(format, args...)}
}

// kindOf is the kind of a problem, Protocol for any other error, 0 for none.
func kindOf(err error) Kind {
	var p *problem
	switch {
	case err == nil:
		return 0
	case errors.As(err, &p):
		return p.kind
	default:
		return Protocol
	}
}

// wrap makes an Error of an error; nil stays nil.
func wrap(node string, plan UUID, err error) error {
	if err == nil {
		return nil
	}
	return &Error{Kind: kindOf(err), Node: node, Plan: plan, Err: err}
}

// canceled is the problem when the caller's context ended, nil when it has not.
func canceled(ctx context.Context) error {
	if ctx.Err() == nil {
		return nil
	}
	return &problem{Canceled, context.Cause(ctx)}
}

// broken says whether a connection ended, with an alert of TLS or without.
func broken(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.ErrClosedPipe) ||
		errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE) ||
		alert(err)
}

// alert says whether the other side ended TLS with a reason.
func alert(err error) bool { return strings.Contains(err.Error(), "remote error: tls: ") }

// unanswered says whether the time ran out in which a connection was to come about.
func unanswered(err error) bool {
	var e net.Error
	return errors.As(err, &e) && e.Timeout()
}

// plainly is what the system says of a connection that did not come about, without the addresses.
func plainly(err error) error {
	var e *os.SyscallError
	if errors.As(err, &e) {
		return e.Err
	}
	return err
}

func timedOut(err error) bool { return errors.Is(err, os.ErrDeadlineExceeded) }
