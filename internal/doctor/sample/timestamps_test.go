package sample

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/doctor"
	"github.com/cqlbulk/cqlbulk/pkg/cqltext"
	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
)

// Timestamps are found wherever they stand in a value, and nothing else is taken for one.
func TestTimestampsInValues(t *testing.T) {
	timestamp, text := &cqltype.Type{Kind: cqltype.Timestamp}, &cqltype.Type{Kind: cqltype.Text}
	of := func(kind cqltype.Kind, elems ...*cqltype.Type) *cqltype.Type {
		return &cqltype.Type{Kind: kind, Elems: elems}
	}
	visit := &cqltype.Type{
		Kind:       cqltype.UDT,
		Keyspace:   "ks",
		Name:       "visit",
		FieldNames: []string{"page", "at"},
		Elems:      []*cqltype.Type{text, timestamp},
	}
	for _, c := range []struct {
		of   *cqltype.Type
		text string
		want int64
	}{
		{timestamp, "1710000000", 1},
		{of(cqltype.List, timestamp), "[1710000000, 1710000001]", 2},
		{of(cqltype.Set, timestamp), "{1710000000, 1710000001, 1710000002}", 3},
		{of(cqltype.Map, timestamp, text), "{1710000000: 'a', 1710000001: 'b'}", 2},
		{of(cqltype.Map, text, timestamp), "{'12345678': 1710000000}", 1},
		{of(cqltype.Tuple, text, timestamp, timestamp), "('12345678', 1710000000, null)", 1},
		{visit, "{page: '12345678', at: 1710000000}", 1},
		{visit, "{page: '12345678'}", 0},
		{of(cqltype.List, of(cqltype.Map, text, visit)), "[{'a': {at: 1710000000}}, {'b': {at: 1710000001}, 'c': {page: 'x'}}]", 2},
		{&cqltype.Type{Kind: cqltype.Vector, Dimension: 2, Elems: []*cqltype.Type{timestamp}}, "[1710000000, 1710000001]", 2},
		{of(cqltype.List, timestamp), "[]", 0},
	} {
		codec, err := cqltext.Plan(c.of)
		require.NoError(t, err, c.of)
		wire, err := codec.AppendWire(nil, []byte(c.text))
		require.NoError(t, err, c.text)
		found := planTimestamps(c.of)
		require.NotNil(t, found, c.of)
		times := &doctor.Times{Column: "c", File: "f"}
		found.note(wire, times, 2, nil)
		_, _, all := times.AllEarly()
		require.Equal(t, c.want > 0, all, "%s: %s", c.of, c.text)
		if c.want > 0 {
			require.Contains(
				t,
				doctor.Units([]doctor.Sample{{Times: []doctor.Times{*times}}}, "")[0].Found,
				fmt.Sprintf(": %d of %d value", c.want, c.want),
				c.text,
			)
		}
		require.NotPanics(t, func() { found.note(wire[:max(len(wire)-1, 0)], times, 2, nil) })
	}
	bigint := &cqltype.Type{Kind: cqltype.Bigint}
	for _, none := range []*cqltype.Type{
		text,
		of(cqltype.List, bigint),
		of(cqltype.Map, text, bigint),
		of(cqltype.Tuple, bigint, of(cqltype.List, text)),
	} {
		require.Nil(t, planTimestamps(none), none)
	}
}
