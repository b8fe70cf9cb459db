package cqlshtext

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/pkg/cqltext"
	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
)

// cqlsh reads whole numbers of milliseconds (int in ImportConversion.convert_datetime). If the unit
// is a second, a number may have a fraction, as in cqltext.
func TestTimestampUnit(t *testing.T) {
	timestamp := &cqltype.Type{Kind: cqltype.Timestamp}
	list := &cqltype.Type{Kind: cqltype.List, Elems: []*cqltype.Type{timestamp}}
	for _, c := range []struct {
		of         *cqltype.Type
		unit       time.Duration
		format     string
		text, want string // want is empty: an error
	}{
		{timestamp, 0, "", "1700000000123", "2023-11-14T22:13:20.123Z"},
		{timestamp, 0, "", "1700000000.25", ""},
		{timestamp, time.Millisecond, "", "1700000000.25", ""},
		{timestamp, time.Second, "", "1700000000", "2023-11-14T22:13:20Z"},
		{timestamp, time.Second, "", "1700000000.25", "2023-11-14T22:13:20.250Z"},
		{timestamp, time.Second, "", "-0.25", "1969-12-31T23:59:59.750Z"},
		{timestamp, time.Second, "", "2023-11-14 22:13:20.25+0000", "2023-11-14T22:13:20.250Z"},
		{timestamp, time.Second, "%d/%m/%Y", "1700000000.25", "2023-11-14T22:13:20.250Z"},
		// a mistyped date, as without the fraction
		{timestamp, time.Second, "%Y%m%d", "20231114.5", ""},
		{timestamp, time.Second, "", "1700000000.", ""},
		{timestamp, time.Second, "", "1700000000.2.5", ""},
		{timestamp, time.Second, "", "1700000000.2x", ""},
		{timestamp, time.Second, "", "14.11.2023", ""},
		{timestamp, time.Microsecond, "", "1700000000.25", ""},
		{list, time.Second, "", "[1700000000.25, 1700000001]", "['2023-11-14T22:13:20.250Z', '2023-11-14T22:13:21Z']"},
		{list, 0, "", "[1700000000.25]", ""},
	} {
		codec, err := Plan(c.of, Options{TimestampUnit: c.unit, DateTimeFormat: c.format})
		require.NoError(t, err)
		wire, err := codec.AppendWire(nil, []byte(c.text))
		if c.want == "" {
			require.Error(t, err, c.text)
			continue
		}
		require.NoError(t, err, c.text)
		own, err := cqltext.Plan(c.of)
		require.NoError(t, err)
		text, err := own.AppendText(nil, wire)
		require.NoError(t, err)
		require.Equal(t, c.want, string(text), "%s of %v", c.text, c.unit)
	}
}
