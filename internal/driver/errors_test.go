package driver

import (
	"context"
	"errors"
	"fmt"
	"io"
	"testing"
	"time"

	"github.com/gocql/gocql"
	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/fault"
)

// answerError is an error frame of the server.
type answerError struct {
	code    int
	message string
}

func (a answerError) GetCode() int       { return a.code }
func (a answerError) GetMessage() string { return a.message }
func (a answerError) Error() string      { return a.message }

// Azure Cosmos DB says in an Overloaded error how long to wait.
func TestRetryAfter(t *testing.T) {
	for message, want := range map[string]time.Duration{
		"Request rate is large: ActivityID=8f1, RetryAfterMs=512, Additional details='Response'": 512 * time.Millisecond,
		"RetryAfterMs=7": 7 * time.Millisecond, "RetryAfterMs=": 0, "RetryAfterMs=x": 0, "too much": 0,
		"RetryAfterMs=99999999": time.Minute, "RetryAfterMs=99999999999": 0,
	} {
		err := classify(t.Context(), answerError{gocql.ErrCodeOverloaded, message})
		require.Equal(t, want, fault.After(err), message)
	}
	require.Zero(t, fault.After(classify(t.Context(), answerError{gocql.ErrCodeInvalid, "RetryAfterMs=7"})))
}

func TestClassify(t *testing.T) {
	for _, tc := range []struct {
		err  error
		want fault.Class
	}{
		{answerError{gocql.ErrCodeOverloaded, ""}, fault.Overloaded},
		{answerError{gocql.ErrCodeUnavailable, ""}, fault.Transient},
		{answerError{gocql.ErrCodeBootstrapping, ""}, fault.Transient},
		{answerError{gocql.ErrCodeWriteTimeout, ""}, fault.Unknown},
		{answerError{gocql.ErrCodeReadFailure, ""}, fault.Unknown},
		{answerError{gocql.ErrCodeSyntax, ""}, fault.Permanent},
		{answerError{gocql.ErrCodeInvalid, "Invalid null value in condition"}, fault.Permanent},
		{answerError{gocql.ErrCodeInvalid, "unconfigured table flights"}, fault.Fatal},
		{answerError{gocql.ErrCodeInvalid, "table flights does not exist"}, fault.Fatal},
		{answerError{gocql.ErrCodeInvalid, "Keyspace demo does not exist"}, fault.Fatal},
		{answerError{gocql.ErrCodeUnauthorized, ""}, fault.Fatal},
		{&gocql.RequestErrRateLimitReached{}, fault.Overloaded},
		{gocql.ErrNoStreams, fault.Overloaded},
		{fmt.Errorf("query is targeting unknown host id: %w", gocql.ErrNoPool), fault.Transient},
		{gocql.ErrTimeoutNoResponse, fault.Unknown},
		{io.EOF, fault.Unknown},
		{errors.New("something never heard of"), fault.Unknown},
	} {
		require.Equal(
			t,
			tc.want,
			fault.ClassOf(classify(t.Context(), tc.err)),
			"%T %v",
			tc.err,
			tc.err,
		)
	}
	require.NoError(t, classify(t.Context(), nil))
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	require.Equal(
		t,
		fault.Canceled,
		fault.ClassOf(classify(ended, gocql.ErrTimeoutNoResponse)),
		"after the caller has gone nothing else counts",
	)
}
