package cqlshtext

import (
	"encoding/binary"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestDateTimeFormat(t *testing.T) {
	const full = "%d/%m/%Y %H:%M:%S"
	for _, c := range []struct{ format, text, want string }{
		// Python 3.11's strptime reads all these in the same way.
		{DefaultDateTimeFormat, "2015-12-13 09:46:40.1+0000", "2015-12-13T09:46:40.1Z"},
		{DefaultDateTimeFormat, "2015-1-2 3:4:5.006-01:30", "2015-01-02T04:34:05.006Z"},
		{DefaultDateTimeFormat, "1969-12-31 23:59:59.9999Z", "1969-12-31T23:59:59.999Z"},
		{full, "13/12/2015  09:46:40", "2015-12-13T09:46:40Z"},
		{"%Y%m%d%H%M%S", "20151213094640", "2015-12-13T09:46:40Z"},
		{"%a %b %d %H:%M:%S %Y", "Sun Dec 13 09:46:40 2015", "2015-12-13T09:46:40Z"},
		{"%c", "sun dec  3 09:46:40 2015", "2015-12-03T09:46:40Z"},
		{"%A, %d %B %y %I:%M %p", "Sunday, 13 December 15 12:46 AM", "2015-12-13T00:46:00Z"},
		{"%x %I%p", "12/13/69 12PM", "1969-12-13T12:00:00Z"},
		{"%x %X", "12/13/68 09:46:40", "2068-12-13T09:46:40Z"},
		{"%H:%M", "09:46", "1900-01-01T09:46:00Z"},
		{"100%% %Y", "100% 2015", "2015-01-01T00:00:00Z"},
		{"%Y-%m-%d %Z", "2015-12-13 gmt", "2015-12-13T00:00:00Z"},
		{"%w %Y-%m-%d", "0 2015-12-13", "2015-12-13T00:00:00Z"},
		{"%m%d%Y", "1132015", "2015-11-03T00:00:00Z"},
		// Python writes these but cannot read them.
		{"%F %T%z", "2015-12-13 09:46:40+0000", "2015-12-13T09:46:40Z"},
		{"%D %R", "12/13/15 09:46", "2015-12-13T09:46:00Z"},
		{"%e %h %Y", " 3 Dec 2015", "2015-12-03T00:00:00Z"},
		{"%Y/%m/%d", "33/01/02", "0033-01-02T00:00:00Z"},
		// A text that does not fit is read in the forms of CQL.
		{full, "2015-12-13 09:46:40.123+0530", "2015-12-13T04:16:40.123Z"},
		{full, "1450000000123", "2015-12-13T09:46:40.123Z"},
		{"%Y%m%d", "253402300800000", "+10000-01-01T00:00:00Z"},
		{"%Y%m%d", "-62135596800001", "0000-12-31T23:59:59.999Z"},
		{full, "31/02/2015 09:46:40", "error"},
		{full, "13/12/2015 09:46:60", "error"},
		{full, "13/12/2015 24:46:00", "error"},
		{full, "13/12/2015 09:46:40 ", "2015-12-13T09:46:40Z"},
		{full, "13/12/2015 09:46:40x", "error"},
		{full, "13/12/201 09:46:40", "error"},
		{"%Y%m%d", "2015121", "2015-12-01T00:00:00Z"},
		{"%Y%m%d", "20151", "error"},
		{DefaultDateTimeFormat, "2015-12-13 09:46:40.123+2400", "error"},
		{DefaultDateTimeFormat, "2015-12-13 09:46:40.123+0060", "error"},
		{DefaultDateTimeFormat, "2015-02-29 00:00:00.000+0000", "error"},
		{DefaultDateTimeFormat, "0-01-01 00:00:00.000+0000", "error"},
	} {
		t.Run(c.format+" "+c.text, func(t *testing.T) {
			got, err := toWire(
				t, mustPlan(t, "timestamp", Options{DateTimeFormat: c.format}), c.text,
			)
			if c.want == "error" {
				require.ErrorContains(t, err, "invalid timestamp")
				return
			}
			require.NoError(t, err)
			require.Equal(t, wireOf(t, "timestamp", c.want), got)
		})
	}
}

// TestEveryMilli checks that no millisecond is lost, unlike in COPY FROM, which loses one in a
// hundred. It checks every millisecond of some seconds, as COPY TO would write it without its own
// loss.
func TestEveryMilli(t *testing.T) {
	c := mustPlan(t, "timestamp", Options{})
	for _, start := range []int64{
		-1000, 0, 1_082_982_036_000, 549_546_354_000, -35_111_272_177_000, 253_402_300_799_000,
	} {
		for ms := start; ms < start+1000; ms++ {
			text := time.UnixMilli(ms).UTC().Format("2006-01-02 15:04:05.000-0700")
			wire, err := c.AppendWire(nil, []byte(text))
			require.NoError(t, err)
			require.Equal(t, ms, int64(binary.BigEndian.Uint64(wire)), text)
		}
	}
}

func TestBadFormat(t *testing.T) {
	for format, want := range map[string]string{
		"%Y-%j":  `date and time format "%Y-%j": %j cannot be read`,
		"%s":     `%s cannot be read`,
		"%Y-%m%": `date and time format "%Y-%m%" ends in %`,
	} {
		for _, typ := range []string{"timestamp", "map<text, frozen<list<timestamp>>>"} {
			_, err := Plan(mustParse(t, typ), Options{DateTimeFormat: format})
			require.ErrorContains(t, err, "no codec for type "+mustParse(t, typ).String()+": ")
			require.ErrorContains(t, err, want)
		}
		mustPlan(t, "text", Options{DateTimeFormat: format})
	}
}
