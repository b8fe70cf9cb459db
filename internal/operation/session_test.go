package operation

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/fault"
	"github.com/cqlbulk/cqlbulk/internal/table"
)

func TestInsist(t *testing.T) {
	silent := fmt.Errorf("query: %w", fault.New(fault.Unknown, errors.New("no answer")))
	fails := func(asked *int, times int, err error) func() error {
		return func() error {
			if *asked++; *asked <= times {
				return err
			}
			return nil
		}
	}
	var one, other int
	require.NoError(
		t,
		table.AskAll(t.Context(), fails(&one, table.Asks-1, silent), fails(&other, 0, nil)),
	)
	require.Equal(t, table.Asks, one)
	require.Equal(t, 1, other)

	one = 0
	require.ErrorIs(t, table.AskAll(t.Context(), fails(&one, table.Asks, silent)), silent)
	require.Equal(t, table.Asks, one)

	one, other = 0, 0
	missing := fault.New(fault.Permanent, errors.New("no such table"))
	require.ErrorIs(
		t,
		table.AskAll(
			t.Context(),
			fails(&one, 1, missing),
			fails(&other, 1, errors.New("nor this")),
		),
		missing,
		"the first one's error",
	)
	require.Equal(t, 1, one)
	require.Equal(t, 1, other)

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.Equal(
		t,
		fault.Canceled,
		fault.ClassOf(table.AskAll(ctx, fails(&one, table.Asks, silent))),
	)
}
