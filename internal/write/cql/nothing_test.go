package cql_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/fault"
	"github.com/cqlbulk/cqlbulk/internal/pace"
	"github.com/cqlbulk/cqlbulk/internal/test/loadtest"
	"github.com/cqlbulk/cqlbulk/internal/test/tabletest"
)

// nothing is a load whose cluster answers every write with an error, and that has as many
// attempts as it likes.
func nothing(t *testing.T, sets int) (run func() error, c *loadtest.Cluster) {
	job, c, rejects := loadtest.NewJob(tabletest.Events, loadtest.Numbered("k,c,id", 3000))
	if sets > 1 {
		c.Router = loadtest.Ring(t, 4, 8)
		job.Router = c.Router
	}
	job.CQL.Attempts, job.CQL.Patience = 1<<30, 20*time.Millisecond
	job.CQL.Backoff = pace.Backoff{Base: 100 * time.Microsecond, Max: time.Millisecond}
	job.CQL.Ping = func(context.Context, []string) error { return nil }
	return func() error {
		_, err := job.Run(t.Context())
		require.Empty(t, rejects.Rejects, "a later run takes them all")
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
				c.Answer = func(context.Context, loadtest.Request) (bool, error) {
					return false, failing
				}
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
	job, c, _ := loadtest.NewJob(tabletest.Events, loadtest.Numbered("k,c,id", 3000))
	job.CQL.Patience = time.Nanosecond
	job.CQL.Backoff = pace.Backoff{Base: 100 * time.Microsecond, Max: time.Millisecond}
	job.CQL.Ping = func(context.Context, []string) error { return nil }
	c.Answer = func(context.Context, loadtest.Request) (bool, error) {
		if c.Requests > 1 && c.Requests < 20 {
			return false, &fault.Error{
				Class:    fault.Transient,
				Err:      errors.New("unavailable"),
				Answered: true,
			}
		}
		return true, nil
	}
	job.CQL.InFlight, job.CQL.Attempts = 1, 100
	result := loadtest.MustRun(t, job, c)
	require.EqualValues(t, 3000, result.Written)
}
