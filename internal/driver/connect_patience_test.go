package driver

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/gocql/gocql"
	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/fault"
)

// A session is opened again if no connection for requests came about in time.
func TestUntilConnected(t *testing.T) {
	none := fault.New(fault.Fatal, fmt.Errorf("session: %w", gocql.ErrNoConnectionsStarted))
	other := errors.New("a wrong password")
	ended, end := context.WithCancel(t.Context())
	end()
	for _, c := range []struct {
		ctx      context.Context
		patience time.Duration
		errs     []error
		attempts int
		want     error
	}{
		{t.Context(), time.Minute, []error{none, none, nil}, 3, nil},
		{t.Context(), time.Minute, []error{none, other, nil}, 2, other},
		{t.Context(), 0, []error{none, nil}, 1, none},
		{ended, time.Minute, []error{none, nil}, 1, none},
	} {
		attempts := 0
		_, err := untilConnected(c.ctx, Config{Patience: c.patience}, func() (*Session, error) {
			attempts++
			return nil, c.errs[attempts-1]
		})
		require.Equal(t, c.want, err)
		require.Equal(t, c.attempts, attempts)
	}
}
