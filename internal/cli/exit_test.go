package cli

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/fault"
	"github.com/cqlbulk/cqlbulk/internal/load"
)

func TestExitCode(t *testing.T) {
	broken := errors.New("broken")
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	for _, tc := range []struct {
		name string
		ctx  context.Context
		err  error
		want int
	}{
		{"nothing", context.Background(), nil, 0},
		{"usage", context.Background(), broken, 1},
		{"refused by the server for good", context.Background(), fault.New(fault.Permanent, broken), 1},
		{"partly", context.Background(), partly(), 2},
		{"partly, wrapped", context.Background(), fmt.Errorf("run: %w", partly()), 2},
		{"fatal", context.Background(), fatal(broken), 4},
		{"no connection", context.Background(), fault.New(fault.Fatal, broken), 4},
		{"no answer", context.Background(), fault.New(fault.Unknown, broken), 4},
		{"signal", ended, broken, 130},
		{"signal in a run", ended, fatal(fault.New(fault.Canceled, context.Canceled)), 130},
		{"signal after the end", ended, nil, 0},
		{"signal after the end, partly", ended, partly(), 2},
		{"canceled", context.Background(), context.Canceled, 130},
	} {
		t.Run(tc.name, func(t *testing.T) { require.Equal(t, tc.want, exitCode(tc.ctx, tc.err)) })
	}
	require.NoError(t, fatal(nil))
	require.Empty(t, partly().Error())
	require.ErrorIs(t, fatal(broken), broken)
}

// A header that does not fit is a matter of usage, but not when rows of earlier
// files are in the table already.
func TestHeaderThatDoesNotFit(t *testing.T) {
	err := fmt.Errorf("b.csv: %w", &load.MappingError{})
	ctx := context.Background()
	require.Equal(t, exitUsage, exitCode(ctx, runError(nil, err, load.Result{})))
	require.Equal(t, exitFatal, exitCode(ctx, runError(nil, err, load.Result{Tally: load.Tally{Read: 1}})))
	require.Equal(t, exitFatal, exitCode(ctx, runError(nil, errors.New("disk"), load.Result{})))
	require.Equal(t, exitLimit, exitCode(ctx, runError(nil, &load.LimitError{Stage: load.Parse}, load.Result{Tally: load.Tally{Read: 1}})))
}
