package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A watch writes what differs from what it wrote before, an error like any answer, and ends well
// with its context.
func TestWatch(t *testing.T) {
	var out bytes.Buffer
	ctx, cancel := context.WithCancel(t.Context())
	look := make(chan time.Time)
	answers := []string{"", "one\n", "one\n", "two\n"}
	go func() {
		for range answers[1:] {
			look <- time.Time{}
		}
		cancel()
	}()
	looks := 0
	require.NoError(
		t,
		watchAt(ctx, newStreams(nil, &out, nil), look, func(s streams, width int) error {
			require.Zero(t, width)
			answer := answers[looks]
			looks++
			if answer == "" {
				return errors.New("there is no run")
			}
			_, err := fmt.Fprint(s.out, answer)
			return err
		}),
	)
	require.Equal(t, "there is no run\n\none\n\ntwo\n", out.String())
}
