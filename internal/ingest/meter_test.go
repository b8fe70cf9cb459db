package ingest

import (
	"testing"

	"github.com/stretchr/testify/require"
)

type consumed int64

func (c *consumed) Consumed() int64 { return int64(*c) }

func TestMeter(t *testing.T) {
	stored, text := consumed(500), &interruptible{read: 1000}
	m := newMeter(&stored, &text.read)
	require.EqualValues(t, 50, m.advance(100))
	require.EqualValues(t, 100, m.advance(300))
	text.read = 3000 // far more of the text came with little that is stored
	require.Zero(t, m.advance(350))
	require.EqualValues(t, 350, m.advance(3000))
	require.Zero(t, m.advance(3000))
}

func TestMeterSkips(t *testing.T) {
	stored, text := consumed(70), &interruptible{read: 70}
	m := newMeter(&stored, &text.read)
	m.skip(1000)
	stored, text.read = 1400, 1400
	require.EqualValues(t, 50, m.advance(1050))
	require.EqualValues(t, 350, m.advance(1400))
}

// An input that does not count its bytes is stored as its text.
func TestMeterOfText(t *testing.T) {
	m := newMeter(nil, &(&interruptible{read: 1000}).read)
	require.EqualValues(t, 300, m.advance(300))
	require.EqualValues(t, 700, m.advance(1000))
}
