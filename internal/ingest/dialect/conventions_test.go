package dialect

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/internal/spec"
	"github.com/cqlbulk/cqlbulk/pkg/cqltext"
	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
	"github.com/cqlbulk/cqlbulk/pkg/dsv"
)

// Texts of other programs are the values that CQL's texts are, and what is another number is none.
func TestConventions(t *testing.T) {
	o := spec.NewDialect()
	o.DateTimeFormats, o.DateFormats = []string{"%m/%d/%Y %I:%M %p"}, []string{"%d.%m.%Y"}
	o.BoolStyle, o.DecimalSep, o.ThousandsSep = "ja,nein", ",", "."
	format := dsv.DefaultFormat
	plan, err := codecsOf(&o, "csv", nil, &format)
	require.NoError(t, err)
	for _, tc := range []struct {
		kind       cqltype.Kind
		text, want string // empty: it is refused
	}{
		{cqltype.Decimal, "1.234,56", "1234.56"}, {cqltype.Decimal, "-1.000.000,00", "-1000000.00"}, {cqltype.Decimal, "12,5", "12.5"},
		{cqltype.Decimal, "12", "12"}, {cqltype.Double, "1,5e3", "1500"}, {cqltype.Double, "1e3", "1000"}, {cqltype.Double, "NaN", "NaN"},
		{cqltype.Decimal, "12.5", ""}, {cqltype.Decimal, "1.23.456", ""}, {cqltype.Decimal, "1234.567", ""}, {cqltype.Decimal, "1,234.5", ""},
		{cqltype.Decimal, ".5", ""}, {cqltype.Decimal, "1..234", ""}, {cqltype.Decimal, "1,2,3", ""}, {cqltype.Decimal, "", ""},
		{cqltype.Int, "1.234", "1234"}, {cqltype.Bigint, "-1.234.567", "-1234567"}, {cqltype.Int, "12.5", ""}, {cqltype.Int, "1,5", ""},
		{cqltype.Boolean, "Ja", "true"}, {cqltype.Boolean, "nein", "false"}, {cqltype.Boolean, "oui", ""},
		{cqltype.Timestamp, "3/14/2024 1:05 PM", "2024-03-14T13:05:00Z"}, {cqltype.Timestamp, "12/1/2024 12:00 am", "2024-12-01T00:00:00Z"},
		{cqltype.Timestamp, "2024-03-14T13:05:00Z", "2024-03-14T13:05:00Z"}, {cqltype.Timestamp, "14/3/2024 1:05 PM", ""},
		{cqltype.Date, "14.3.2024", "2024-03-14"}, {cqltype.Date, "2024-03-14", "2024-03-14"}, {cqltype.Date, "3.14.2024", ""},
		{cqltype.Date, "1.1.1960", "1960-01-01"}, {cqltype.Date, "14.3.2024 10:00", ""}, {cqltype.Text, "1.234,56", "1.234,56"},
	} {
		typ := &cqltype.Type{Kind: tc.kind}
		codec, err := plan(schema.Column{Name: "c", Type: typ})
		require.NoError(t, err)
		_, own := codec.(interface{ IsNull([]byte) bool })
		require.False(t, own, "null is the dialect's matter")
		got, err := codec.AppendWire([]byte("x"), []byte(tc.text))
		if tc.want == "" {
			require.Error(t, err, "%v %q", tc.kind, tc.text)
			require.Equal(t, "x", string(got))
			continue
		}
		require.NoError(t, err, "%v %q", tc.kind, tc.text)
		usual, err := cqltext.Plan(typ)
		require.NoError(t, err)
		want, err := usual.AppendWire([]byte("x"), []byte(tc.want))
		require.NoError(t, err)
		require.Equal(t, want, got, "%v %q", tc.kind, tc.text)
	}
}

// Several patterns and a time zone: a text that has two readings is no value.
func TestPatternsAndTimeZone(t *testing.T) {
	o := spec.NewDialect()
	o.DateTimeFormats = []string{"dd.MM.yyyy HH:mm[:ss]", "%m/%d/%Y %H:%M", "%d/%m/%Y %H:%M"}
	o.DateFormats = []string{"yyyyMMdd", "d/M/yy"}
	o.TimeFormats = []string{"%I:%M %p", "H:mm:ss.SSSSSSSSS"}
	o.TimeZone = "Europe/Berlin"
	format := dsv.DefaultFormat
	plan, err := codecsOf(&o, "csv", nil, &format)
	require.NoError(t, err)
	for _, c := range []struct {
		kind           cqltype.Kind
		text, want, no string // no: why there is no value
	}{
		{cqltype.Timestamp, "14.03.2024 13:05", "2024-03-14T12:05:00Z", ""},
		{cqltype.Timestamp, "14.07.2024 13:05:06", "2024-07-14T11:05:06Z", ""},
		{cqltype.Timestamp, "07/14/2024 13:05", "2024-07-14T11:05:00Z", ""},
		{cqltype.Timestamp, "14/07/2024 13:05", "2024-07-14T11:05:00Z", ""},
		{cqltype.Timestamp, "03/04/2024 13:05", "", "two readings: 2024-03-04 13:05:00 by \"%m/%d/%Y %H:%M\" and 2024-04-03"},
		{cqltype.Timestamp, "03/03/2024 13:05", "2024-03-03T12:05:00Z", ""},
		{cqltype.Timestamp, "2024-07-14 13:05", "2024-07-14T11:05:00Z", ""},
		{cqltype.Timestamp, "2024-07-14", "2024-07-13T22:00:00Z", ""},
		{cqltype.Timestamp, "2024-07-14T13:05:06.789Z", "2024-07-14T13:05:06.789Z", ""},
		{cqltype.Timestamp, "2024-07-14 13:05+0000", "2024-07-14T13:05:00Z", ""},
		{cqltype.Timestamp, "1720962306789", "2024-07-14T13:05:06.789Z", ""},
		{cqltype.Timestamp, "31.03.2024 02:30", "", "clocks in Europe/Berlin skip this time"},
		{cqltype.Timestamp, "2024-03-31 02:30", "", "clocks in Europe/Berlin skip this time"},
		{cqltype.Timestamp, "27.10.2024 02:30", "", "twice, at 2024-10-27T0"},
		{cqltype.Timestamp, "2024-10-27 02:30", "", "twice, at 2024-10-27T0"},
		{cqltype.Timestamp, "2024-10-27 02:30+0100", "2024-10-27T01:30:00Z", ""},
		{cqltype.Timestamp, "14.13.2024 13:05", "", `not of the form "dd.MM.yyyy HH:mm[:ss]" or "%m/%d/%Y`},
		{cqltype.Date, "20240314", "2024-03-14", ""},
		{cqltype.Date, "3/4/24", "2024-04-03", ""},
		{cqltype.Date, "2024-03-14", "2024-03-14", ""},
		{cqltype.Date, "19796", "", "not of the form"},
		{cqltype.Time, "1:05 PM", "13:05:00.000000000", ""},
		{cqltype.Time, "1:05:06.123456789", "01:05:06.123456789", ""},
		{cqltype.Time, "13:05:06", "13:05:06.000000000", ""},
		{cqltype.Time, "13 h", "", `not of the form "%I:%M %p" or "H:mm:ss.SSSSSSSSS", nor HH:MM:SS`},
	} {
		typ := &cqltype.Type{Kind: c.kind}
		codec, err := plan(schema.Column{Name: "c", Type: typ})
		require.NoError(t, err)
		got, err := codec.AppendWire([]byte("x"), []byte(c.text))
		if c.no != "" {
			require.ErrorContains(t, err, c.no, c.text)
			require.Equal(t, "x", string(got))
			continue
		}
		require.NoError(t, err, c.text)
		usual, err := cqltext.Plan(typ)
		require.NoError(t, err)
		want, err := usual.AppendWire([]byte("x"), []byte(c.want))
		require.NoError(t, err)
		require.Equal(t, want, got, c.text)
	}
}

func TestConventionsThatAreNone(t *testing.T) {
	for want, set := range map[string]func(*spec.Dialect){
		"--dateformat: ":               func(o *spec.Dialect) { o.DateFormats = []string{"%Q"} },
		`--line-end "x"`:               func(o *spec.Dialect) { o.LineEnd = "x" },
		`--extra-fields "null"`:        func(o *spec.Dialect) { o.ExtraFields = "null" },
		`--missing-fields "ignore"`:    func(o *spec.Dialect) { o.MissingFields = "ignore" },
		"--skiplines -1":               func(o *spec.Dialect) { o.SkipLines = -1 },
		`--comment "##"`:               func(o *spec.Dialect) { o.Comment = "##" },
		"has another meaning":          func(o *spec.Dialect) { o.Comment = "," },
		"--unescape requires":          func(o *spec.Dialect) { o.Unescape = true },
		"are both":                     func(o *spec.Dialect) { o.DecimalSep, o.ThousandsSep = ",", "," },
		"cqlsh has no such pattern":    func(o *spec.Dialect) { o.Name, o.DateFormats = "cqlsh", []string{"%Y"} },
		"cqlsh knows one pattern":      func(o *spec.Dialect) { o.Name, o.DateTimeFormats = "cqlsh", []string{"%D", "%F"} },
		"names no part of a date":      func(o *spec.Dialect) { o.Name, o.DateTimeFormats = "cqlsh", []string{"yyyy-MM-dd"} },
		"without an offset is UTC":     func(o *spec.Dialect) { o.Name, o.TimeZone = "cqlsh", "Europe/Berlin" },
		`--timezone "Berlin"`:          func(o *spec.Dialect) { o.TimeZone = "Berlin" },
		`--timezone "Local"`:           func(o *spec.Dialect) { o.TimeZone = "Local" },
		"has no day (%d)":              func(o *spec.Dialect) { o.DateTimeFormats = []string{"yyyy-MM"} },
		"the letter q":                 func(o *spec.Dialect) { o.DateFormats = []string{"yyyy-q"} },
		"has no hour (%H)":             func(o *spec.Dialect) { o.TimeFormats = []string{"mm:ss"} },
		"which has no date":            func(o *spec.Dialect) { o.TimeFormats = []string{"%c"} },
		"a digit in the decimal":       func(o *spec.Dialect) { o.DecimalSep = "1" },
		"must be two words":            func(o *spec.Dialect) { o.BoolStyle = "yes" },
		"two different words":          func(o *spec.Dialect) { o.BoolStyle = "yes,YES" },
		"--escape \"ab\": must be one": func(o *spec.Dialect) { o.Escape = "ab" },
	} {
		o, format := spec.NewDialect(), dsv.DefaultFormat
		set(&o)
		_, err := codecsOf(&o, "csv", nil, &format)
		require.ErrorContains(t, err, want)
	}
}
