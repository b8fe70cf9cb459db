package operation

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/fault"
)

func TestInsist(t *testing.T) {
	silent := fmt.Errorf("query: %w", fault.New(fault.Unknown, errors.New("no answer")))
	asked := 0
	fails := func(times int, err error) func() error {
		return func() error {
			if asked++; asked <= times {
				return err
			}
			return nil
		}
	}
	require.NoError(t, insist(t.Context(), fails(asks-1, silent), fails(0, nil)))
	require.Equal(t, asks+1, asked)

	asked = 0
	require.ErrorIs(t, insist(t.Context(), fails(asks, silent)), silent)
	require.Equal(t, asks, asked)

	asked = 0
	refused := fault.New(fault.Permanent, errors.New("no such table"))
	require.ErrorIs(t, insist(t.Context(), fails(1, refused)), refused)
	require.Equal(t, 1, asked)

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.Equal(t, fault.Canceled, fault.ClassOf(insist(ctx, fails(asks, silent))))
}
