package cql

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/fault"
	"github.com/cqlbulk/cqlbulk/internal/write"
)

// A connection that breaks leaves all its requests in doubt. That is one failure, and not many in a
// row.
func TestBrokenConnectionIsOneFailure(t *testing.T) {
	router := write.NewRouter(nil, nil, nil)
	_, set := router.Route(nil)
	to := New(router, Options{Patience: time.Hour, Limits: Limits{MaxRows: 1}})
	b := &batch{writer: &sponge{false}, set: set, begun: time.Now()}
	broken := &fault.Error{
		Class:    fault.Unknown,
		Err:      errors.New("connection closed"),
		Answered: true,
	}
	to.o.Backoff.Base, to.o.Backoff.Max = time.Nanosecond, time.Nanosecond
	for range 10 * leastInRow {
		require.NoError(t, to.rejectUnwritten(t.Context(), b, broken))
	}
	for range leastInRow - 1 {
		b.begun = time.Now().Add(time.Second) // after the failure before
		require.NoError(t, to.rejectUnwritten(t.Context(), b, broken))
	}
	require.ErrorContains(
		t,
		to.rejectUnwritten(t.Context(), b, broken),
		"more than 32 requests in a row failed",
	)
}
