package driver

import (
	"context"
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/gocql/gocql"
	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/fault"
)

// answer is an error frame of the server.
type answer struct {
	code    int
	message string
}

func (a answer) GetCode() int       { return a.code }
func (a answer) GetMessage() string { return a.message }
func (a answer) Error() string      { return a.message }

func TestClassify(t *testing.T) {
	for _, tc := range []struct {
		err  error
		want fault.Class
	}{
		{answer{gocql.ErrCodeOverloaded, ""}, fault.Overloaded},
		{answer{gocql.ErrCodeUnavailable, ""}, fault.Transient},
		{answer{gocql.ErrCodeBootstrapping, ""}, fault.Transient},
		{answer{gocql.ErrCodeWriteTimeout, ""}, fault.Unknown},
		{answer{gocql.ErrCodeReadFailure, ""}, fault.Unknown},
		{answer{gocql.ErrCodeSyntax, ""}, fault.Permanent},
		{answer{gocql.ErrCodeInvalid, "Invalid null value in condition"}, fault.Permanent},
		{answer{gocql.ErrCodeInvalid, "unconfigured table flights"}, fault.Fatal},
		{answer{gocql.ErrCodeInvalid, "table flights does not exist"}, fault.Fatal},
		{answer{gocql.ErrCodeInvalid, "Keyspace demo does not exist"}, fault.Fatal},
		{answer{gocql.ErrCodeUnauthorized, ""}, fault.Fatal},
		{&gocql.RequestErrRateLimitReached{}, fault.Overloaded},
		{gocql.ErrNoStreams, fault.Overloaded},
		{fmt.Errorf("query is targeting unknown host id: %w", gocql.ErrNoPool), fault.Transient},
		{gocql.ErrTimeoutNoResponse, fault.Unknown},
		{io.EOF, fault.Unknown},
		{errors.New("something never heard of"), fault.Unknown},
	} {
		require.Equal(t, tc.want, fault.ClassOf(classify(t.Context(), tc.err)), "%T %v", tc.err, tc.err)
	}
	require.NoError(t, classify(t.Context(), nil))
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	require.Equal(t, fault.Canceled, fault.ClassOf(classify(ended, gocql.ErrTimeoutNoResponse)), "after the caller has gone nothing else counts")
}
