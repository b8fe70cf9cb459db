package driver

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/gocql/gocql"

	"github.com/cqlbulk/cqlbulk/internal/fault"
)

// classify adds the class to an error of a request. ctx is the caller's. If it has ended, the error
// counts as canceled by the caller.
//
// Codes are those of the native protocol specification, version 4, section 9.
func classify(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		return fault.New(fault.Canceled, ctx.Err())
	}
	// The driver's wrapper only adds its own view of what may be retried.
	var wrapper *gocql.QueryError
	if errors.As(err, &wrapper) && wrapper.Unwrap() != nil {
		err = wrapper.Unwrap()
	}
	var request responseError
	if errors.As(err, &request) {
		if large := largeError(request); large != nil {
			return &fault.Error{Class: fault.Unknown, Err: large, Answered: true}
		}
	}
	out := &fault.Error{
		Class:    classOf(err),
		Err:      translateError(nameDown(ctx, err)),
		Answered: request != nil,
	}
	if out.Class == fault.Overloaded && request != nil {
		out.After = retryAfter(request.GetMessage())
	}
	return out
}

// retryAfterMark stands before a number of milliseconds in the message of an Overloaded error of
// Azure Cosmos DB for Apache Cassandra (Microsoft: "Prevent rate-limiting errors").
const retryAfterMark = "RetryAfterMs="

// longestAfter is the longest wait that a server is granted.
const longestAfter = time.Minute

// retryAfter returns how long the message of an error asks to wait; 0: it does not say.
func retryAfter(message string) time.Duration {
	_, text, found := strings.Cut(message, retryAfterMark)
	if !found {
		return 0
	}
	end := strings.IndexFunc(text, func(r rune) bool { return r < '0' || r > '9' })
	if end >= 0 {
		text = text[:end]
	}
	ms, err := strconv.ParseInt(text, 10, 32)
	if err != nil {
		return 0
	}
	return min(time.Duration(ms)*time.Millisecond, longestAfter)
}

// responseError is an error that the server answered with. The library's own name for it,
// RequestError, has methods that its errors lack.
type responseError interface {
	error
	GetCode() int
	GetMessage() string
}

func classOf(err error) fault.Class {
	var limited *gocql.RequestErrRateLimitReached
	if errors.As(err, &limited) {
		return fault.Overloaded
	}
	var request responseError
	if errors.As(err, &request) {
		switch request.GetCode() {
		case gocql.ErrCodeOverloaded:
			return fault.Overloaded
		case gocql.ErrCodeUnavailable, gocql.ErrCodeBootstrapping, gocql.ErrCodeUnprepared:
			return fault.Transient
		case gocql.ErrCodeUnauthorized, gocql.ErrCodeCredentials:
			return fault.Fatal
		case gocql.ErrCodeInvalid:
			if tableGone(request.GetMessage()) {
				return fault.Fatal
			}
			return fault.Permanent
		case gocql.ErrCodeProtocol,
			gocql.ErrCodeSyntax,
			gocql.ErrCodeConfig,
			gocql.ErrCodeAlreadyExists,
			gocql.ErrCodeFunctionFailure:
			return fault.Permanent
		default:
			// timeouts, failures of replicas, and unknown codes
			return fault.Unknown
		}
	}
	switch {
	case errors.Is(err, gocql.ErrNoStreams):
		return fault.Overloaded
	case errors.Is(err, gocql.ErrNoConnections), errors.Is(err, gocql.ErrHostDown),
		errors.Is(err, gocql.ErrNoPool), errors.Is(err, gocql.ErrNoConnectionsInPool),
		errors.Is(err, gocql.ErrUnavailable), errors.Is(err, errForgotten):
		return fault.Transient
	default:
		// Silence, a broken connection, or something unknown: the request may have been carried
		// out.
		return fault.Unknown
	}
}

// tableGone recognizes the answer for a table or keyspace that was dropped. It goes by the text,
// since the code is that of any invalid request.
func tableGone(message string) bool {
	return strings.HasPrefix(message, "unconfigured ") ||
		strings.HasSuffix(message, " does not exist")
}
