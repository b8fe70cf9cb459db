package fault

import (
	"context"
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestClassOf(t *testing.T) {
	base := errors.New("no replica")
	for _, c := range []struct {
		name string
		err  error
		want Class
	}{
		{"with a class", New(Transient, base), Transient},
		{"wrapped", fmt.Errorf("page 3: %w", New(Overloaded, base)), Overloaded},
		{"joined", errors.Join(io.EOF, New(Fatal, base)), Fatal},
		{"the outer class counts", New(Unknown, New(Transient, base)), Unknown},
		{"without a class", base, Permanent},
		{"nothing", nil, Permanent},
		{"cancelled", context.Canceled, Canceled},
		{"cancelled, wrapped", fmt.Errorf("scan: %w", context.Canceled), Canceled},
		{"a class before cancellation", New(Unknown, context.Canceled), Unknown},
		{"a deadline is not the caller's cancellation", context.DeadlineExceeded, Permanent},
	} {
		t.Run(c.name, func(t *testing.T) { require.Equal(t, c.want, ClassOf(c.err)) })
	}
}

func TestNew(t *testing.T) {
	require.NoError(t, New(Fatal, nil))
	base := errors.New("no replica")
	err := New(Transient, base)
	require.EqualError(t, err, "no replica")
	require.ErrorIs(t, err, base)
}

func TestRetryable(t *testing.T) {
	for _, c := range []struct {
		class      Class
		idempotent bool // what is said of an idempotent request
		other      bool
		name       string
	}{
		{Permanent, false, false, "permanent"},
		{Transient, true, true, "transient"},
		{Overloaded, true, true, "overloaded"},
		{Unknown, true, false, "unknown outcome"},
		{Fatal, false, false, "fatal"},
		{Canceled, false, false, "canceled"},
	} {
		err := fmt.Errorf("page: %w", New(c.class, errors.New("x")))
		require.Equal(t, c.idempotent, Retryable(err, true), c.name)
		require.Equal(t, c.other, Retryable(err, false), c.name)
		require.Equal(t, c.name, c.class.String())
	}
	require.False(t, Retryable(errors.New("no class"), true))
	require.False(t, Retryable(nil, true))
}
