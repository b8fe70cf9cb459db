package pace

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestPulse(t *testing.T) {
	var p Pulse
	p.Answered()
	require.Zero(t, p.Failed())
	time.Sleep(time.Millisecond)
	first := p.Failed()
	require.GreaterOrEqual(t, first, time.Millisecond)
	require.GreaterOrEqual(t, p.Failed(), first)
	p.Answered()
	require.Zero(t, p.Failed())
	require.EqualValues(t, 2, p.Answers())
}
