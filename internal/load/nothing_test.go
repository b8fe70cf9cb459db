package load

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/fault"
	"github.com/cqlbulk/cqlbulk/internal/pace"
)

// nothing is a load whose cluster answers every write with an error, and that has as many
// attempts as it likes.
func nothing(t *testing.T, sets int) (run func() error, c *cluster) {
	job, c, rejects := newJob(t, events, numbered("k,c,id", 3000))
	if sets > 1 {
		c.router = ring(t, 4, 8)
		job.Router = c.router
	}
	job.CQL.Attempts, job.CQL.Patience = 1<<30, 20*time.Millisecond
	job.CQL.Backoff = pace.Backoff{Base: 100 * time.Microsecond, Max: time.Millisecond}
	job.CQL.Ping = func(context.Context, []string) error { return nil }
	return func() error {
		_, err := job.Run(t.Context())
		require.Empty(t, rejects.rejects, "a later run takes them all")
		return err
	}, c
}

// Attempts would last for hours; the patience ends soon.
func TestALoadWhoseEveryWriteFailsEndsWithTheReason(t *testing.T) {
	for _, sets := range []int{1, 8} {
		for _, failing := range []error{
			&fault.Error{Class: fault.Transient, Err: errors.New("cannot achieve consistency level"), Answered: true},
			fault.New(fault.Unknown, errors.New("no answer within 5s")),
		} {
			t.Run(fmt.Sprint(sets, failing), func(t *testing.T) {
				run, c := nothing(t, sets)
				c.answer = func(context.Context, request) (bool, error) { return false, failing }
				err := run()
				require.Equal(t, fault.Fatal, fault.ClassOf(err))
				require.ErrorIs(t, err, failing)
				require.ErrorContains(t, err, "no write has succeeded for")
				require.ErrorContains(t, err, "though nodes answer")
			})
		}
	}
}

// One write that was taken shows that others may be.
func TestALoadOfWhichOneWriteSucceedsIsNotEnded(t *testing.T) {
	job, c, _ := newJob(t, events, numbered("k,c,id", 3000))
	job.CQL.Patience = time.Nanosecond
	job.CQL.Backoff = pace.Backoff{Base: 100 * time.Microsecond, Max: time.Millisecond}
	job.CQL.Ping = func(context.Context, []string) error { return nil }
	c.answer = func(context.Context, request) (bool, error) {
		if c.requests > 1 && c.requests < 20 {
			return false, &fault.Error{
				Class:    fault.Transient,
				Err:      errors.New("unavailable"),
				Answered: true,
			}
		}
		return true, nil
	}
	job.CQL.InFlight, job.CQL.Attempts = 1, 100
	result := mustRun(t, job, c)
	require.EqualValues(t, 3000, result.Written)
}
