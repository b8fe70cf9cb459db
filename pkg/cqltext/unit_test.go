package cqltext

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
)

func TestTimestampUnits(t *testing.T) {
	for _, c := range []struct {
		unit       time.Duration
		text, want string // want is empty: an error
	}{
		{time.Second, "1710000000", "2024-03-09T16:00:00Z"},
		{time.Second, "-1", "1969-12-31T23:59:59Z"},
		{time.Second, "1710000000.5", "2024-03-09T16:00:00.500Z"},
		{time.Second, "1710000000.1239", "2024-03-09T16:00:00.123Z"},
		{time.Second, "-0.25", "1969-12-31T23:59:59.750Z"},
		{time.Second, "-0.0001", "1969-12-31T23:59:59.999Z"},
		{time.Second, "9223372036854775", "+292278994-08-17T07:12:55Z"},
		{time.Second, "9223372036854776", ""},
		{time.Second, "9223372036854775.9", ""},
		{time.Second, "-9223372036854775.9", ""},
		{time.Second, "1.", ""},
		{time.Second, "1.-5", ""},
		{time.Second, "1.5.5", ""},
		{time.Second, "2024-03-09T16:00:00Z", "2024-03-09T16:00:00Z"},
		{time.Millisecond, "1710000000", "1970-01-20T19:00:00Z"},
		{time.Millisecond, "1.5", ""},
		{time.Microsecond, "1710000000000001", "2024-03-09T16:00:00Z"},
		{time.Microsecond, "-1", "1969-12-31T23:59:59.999Z"},
		{time.Nanosecond, "1710000000250000000", "2024-03-09T16:00:00.250Z"},
		{time.Nanosecond, "9223372036854775808", ""},
	} {
		codec, err := PlanIn(&cqltype.Type{Kind: cqltype.Timestamp}, c.unit)
		require.NoError(t, err)
		wire, err := codec.AppendWire(nil, []byte(c.text))
		if c.want == "" {
			require.Error(t, err, c.text)
			continue
		}
		require.NoError(t, err, c.text)
		text, err := codec.AppendText(nil, wire)
		require.NoError(t, err)
		require.Equal(t, c.want, string(text), "%s of %v", c.text, c.unit)
	}
}

// The unit applies at every depth.
func TestTimestampUnitsInside(t *testing.T) {
	list := &cqltype.Type{Kind: cqltype.List, Elems: []*cqltype.Type{{Kind: cqltype.Timestamp}}}
	nested := &cqltype.Type{Kind: cqltype.Map, Elems: []*cqltype.Type{{Kind: cqltype.Int}, list}}
	codec, err := PlanIn(nested, time.Second)
	require.NoError(t, err)
	wire, err := codec.AppendWire(nil, []byte("{1: [1710000000, 0]}"))
	require.NoError(t, err)
	text, err := codec.AppendText(nil, wire)
	require.NoError(t, err)
	require.Equal(t, "{1: ['2024-03-09T16:00:00Z', '1970-01-01T00:00:00Z']}", string(text))
}
