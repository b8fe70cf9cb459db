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

// Kind is what went wrong with a node. After any error, the effect of the session is unknown. Nodes
// keep all of it or nothing. But some have kept all of a session that they never reported as
// complete.
type Kind uint8

// The kinds.
const (
	// Unreachable: no connection was possible.
	Unreachable Kind = iota + 1
	// Unreached: the node has no connection to the listener's address, or that address is its own.
	Unreached
	// Version: the node speaks an unsupported version of the protocol, or none.
	Version
	// TLS: the node requires TLS, or does not speak it, or a certificate is refused.
	TLS
	// Failed: the node failed the session. Its log says why.
	Failed
	// Lost: a connection ended before the session was complete.
	Lost
	// Deadline: the node did not answer or act in time.
	Deadline
	// Protocol: the node broke the protocol.
	Protocol
	// Source: the caller's files cannot be sent. One differs from its announcement, or failed while
	// it was read. No other node would accept them either.
	Source
	// Sink: the caller's receiver failed for a file.
	Sink
	// Foreign: the node is in another cluster.
	Foreign
	// TooMuch: the node announced more bytes than allowed.
	TooMuch
	// Canceled: the caller's context ended, or the listener was closed.
	Canceled
)

// String returns the name of the kind.
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

// ours reports whether the node has no part in the error.
func (k Kind) ours() bool { return k == Source || k == Sink || k == TooMuch || k == Canceled }

// AnnouncedError is the error of a node that announced more bytes than allowed.
type AnnouncedError struct{ Bytes int64 }

// Error returns the message, with the number of bytes.
func (e *AnnouncedError) Error() string { return fmt.Sprintf("the node would send %d bytes", e.Bytes) }

// Error is every error of this package's client.
type Error struct {
	Kind Kind
	Node string // address and port
	Plan UUID   // of the session; zero: there was none
	Err  error
}

// Error returns the message, with the node.
func (e *Error) Error() string { return fmt.Sprintf("storage port %s: %v", e.Node, e.Err) }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// KindOf returns the kind of an error; 0: it is not an error of this package's client.
func KindOf(err error) Kind {
	var e *Error
	if errors.As(err, &e) {
		return e.Kind
	}
	return 0
}

// problem is an [Error] without its node.
type problem struct {
	kind Kind
	err  error
}

func (p *problem) Error() string { return p.err.Error() }
func (p *problem) Unwrap() error { return p.err }

func problemf(kind Kind, format string, args ...any) error {
	return &problem{kind, fmt.Errorf(format, args...)}
}

// kindOf returns the kind of a problem, Protocol for any other error, and 0 for nil.
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

// canceled returns the problem of a context that has ended, nil if it has not.
func canceled(ctx context.Context) error {
	if ctx.Err() == nil {
		return nil
	}
	return &problem{Canceled, context.Cause(ctx)}
}

// broken reports whether a connection ended, with or without a TLS alert.
func broken(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(
		err, io.ErrUnexpectedEOF,
	) || errors.Is(err, io.ErrClosedPipe) ||
		errors.Is(err, syscall.ECONNRESET) ||
		errors.Is(err, syscall.EPIPE) ||
		alert(err)
}

// alert reports whether the other side ended TLS with a reason.
func alert(err error) bool { return strings.Contains(err.Error(), "remote error: tls: ") }

// unanswered reports whether the time for a connection ran out.
func unanswered(err error) bool {
	var e net.Error
	return errors.As(err, &e) && e.Timeout()
}

// plainly returns the system's reason why a connection failed, without addresses.
func plainly(err error) error {
	var e *os.SyscallError
	if errors.As(err, &e) {
		return e.Err
	}
	return err
}

func timedOut(err error) bool { return errors.Is(err, os.ErrDeadlineExceeded) }
