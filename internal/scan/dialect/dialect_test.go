package dialect

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/ingest/dialect"
	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/internal/spec"
	"github.com/cqlbulk/cqlbulk/pkg/cqltext"
	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
	"github.com/cqlbulk/cqlbulk/pkg/dsv"
)

func wireOf(t *testing.T, kind cqltype.Kind, text string) []byte {
	t.Helper()
	codec, err := cqltext.Plan(&cqltype.Type{Kind: kind})
	require.NoError(t, err)
	wire, err := codec.AppendWire(nil, []byte(text))
	require.NoError(t, err)
	return wire
}

// column is a column c of a type.
func column(t *cqltype.Type) schema.Selector {
	return schema.Selector{Name: "c", Type: t, Plain: true}
}

func TestTexts(t *testing.T) {
	pattern := func(o *spec.Scan) {
		o.DateTimeFormats = []string{"%d.%m.%Y %H:%M:%S"}
		o.DateFormats, o.TimeFormats = []string{"M/d/yyyy"}, []string{"h:mm:ss.SSS a"}
	}
	unit := func(name string) func(*spec.Scan) {
		return func(o *spec.Scan) { o.TimestampUnit = name }
	}
	german := func(o *spec.Scan) {
		o.DecimalSep, o.ThousandsSep, o.BoolStyle = ",", ".", "ja, nein"
	}
	cqlsh := func(o *spec.Scan) {
		o.Dialect, o.FloatPrecision = "cqlsh", 3
		o.DateTimeFormats = []string{"%d.%m.%Y %H:%M:%S.%f"}
	}
	berlin := func(o *spec.Scan) { o.TimeZone = "Europe/Berlin" }
	for _, c := range []struct {
		set        func(*spec.Scan)
		kind       cqltype.Kind
		text, want string
	}{
		{pattern, cqltype.Timestamp, "2024-03-01T07:08:09.123Z", "01.03.2024 07:08:09"},
		{pattern, cqltype.Timestamp, "+10000-01-01T00:00:00Z", "+10000-01-01T00:00:00Z"},
		{pattern, cqltype.Timestamp, "-9223372036854775808", "-292275055-05-16T16:47:04.192Z"},
		{pattern, cqltype.Date, "2024-03-01", "3/1/2024"},
		{pattern, cqltype.Date, "-5877641-06-23", "-5877641-06-23"},
		{pattern, cqltype.Time, "00:08:09.123456789", "12:08:09.123 AM"},
		{berlin, cqltype.Timestamp, "2024-07-01T10:00:00.5Z", "2024-07-01T12:00:00.500+02:00"},
		{berlin, cqltype.Timestamp, "2024-10-27T00:30:00Z", "2024-10-27T02:30:00.000+02:00"},
		{unit("s"), cqltype.Timestamp, "-1", "-0.001"},
		{unit("s"), cqltype.Timestamp, "-1500", "-1.5"},
		{unit("s"), cqltype.Timestamp, "1700000000120", "1700000000.12"},
		{unit("s"), cqltype.Timestamp, "0", "0"},
		{unit("ms"), cqltype.Timestamp, "-1", "-1"},
		{unit("us"), cqltype.Timestamp, "1700000000123", "1700000000123000"},
		{unit("ns"), cqltype.Timestamp, "0", "0"},
		{unit("ns"), cqltype.Timestamp, "9223372036854775807", "9223372036854775807000000"},
		{german, cqltype.Double, "-1234567.5", "-1.234.567,5"},
		{german, cqltype.Double, "1e22", "1e+22"},
		{german, cqltype.Decimal, "1000.00", "1.000,00"},
		{german, cqltype.Bigint, "-9223372036854775808", "-9.223.372.036.854.775.808"},
		{german, cqltype.Boolean, "true", "ja"},
		{german, cqltype.Boolean, "false", "nein"},
		{cqlsh, cqltype.Boolean, "true", "True"},
		{cqlsh, cqltype.Double, "-1234567.8901234", "-1234567.890123399906"},
		{cqlsh, cqltype.Float, "3.1415927", "3.142"},
		{cqlsh, cqltype.Timestamp, "2024-03-01T07:08:09.123Z", "01.03.2024 07:08:09.123"},
	} {
		o := spec.NewScan()
		c.set(o)
		_, err := o.Check(true)
		require.NoError(t, err)
		texts, err := Texts(&o.ScanText)
		require.NoError(t, err)
		text, err := texts(column(&cqltype.Type{Kind: c.kind}))
		require.NoError(t, err)
		got, err := text.AppendText([]byte("x"), wireOf(t, c.kind, c.text))
		require.NoError(t, err)
		require.Equal(t, "x"+c.want, string(got))
		if c.kind != cqltype.Decimal { // its malformed values have a text
			_, err = text.AppendText(nil, []byte("123"))
			require.Error(t, err, "no value of %v", c.kind)
		}
	}
}

func TestTextsOfCQL(t *testing.T) {
	texts, err := Texts(&spec.NewScan().ScanText)
	require.NoError(t, err)
	kinds := []cqltype.Kind{cqltype.Timestamp, cqltype.Date, cqltype.Time, cqltype.Text}
	for _, kind := range kinds {
		text, err := texts(column(&cqltype.Type{Kind: kind}))
		require.NoError(t, err)
		require.Nil(t, text)
	}
}

// A load with the same settings reads what a scan writes.
func TestLoadReadsTheTexts(t *testing.T) {
	o := spec.NewScan()
	o.DateTimeFormats = []string{"EEE, d MMM yyyy HH:mm:ss.SSS xx"}
	o.DateFormats, o.TimeFormats = []string{"%A %d %B %Y"}, []string{"hh:mm:ss.SSSSSSSSS a"}
	o.TimeZone = "Asia/Kolkata"
	load := spec.NewLoad()
	load.Dialect.TimeTexts = o.TimeTexts
	texts, err := Texts(&o.ScanText)
	require.NoError(t, err)
	format := dsv.DefaultFormat
	reading, err := dialect.Reading(load, &format)
	require.NoError(t, err)
	for kind, values := range map[cqltype.Kind][]string{
		cqltype.Timestamp: {
			"2024-03-01T07:08:09.123Z", "1969-12-31T23:59:59.999Z", "-62135596800001",
		},
		cqltype.Date: {"2024-02-29", "1969-12-31", "0000-12-31"},
		cqltype.Time: {"00:00:00", "12:00:00.000000001", "23:59:59.999999999"},
	} {
		typ := &cqltype.Type{Kind: kind}
		codec, err := reading.Fields.Codec(schema.Column{Name: "c", Type: typ})
		require.NoError(t, err)
		for _, value := range values {
			wire := wireOf(t, kind, value)
			written, err := texts(column(typ))
			require.NoError(t, err)
			text, err := written.AppendText(nil, wire)
			require.NoError(t, err)
			again, err := codec.AppendWire(nil, text)
			require.NoError(t, err)
			require.Equal(t, wire, again, "%s", text)
		}
	}
}

func TestTextsThatCannotBe(t *testing.T) {
	for want, set := range map[string]func(*spec.Scan){
		"give it once": func(o *spec.Scan) { o.DateFormats = []string{"%D", "%F"} },
		"exclude each other": func(o *spec.Scan) {
			o.DateTimeFormats, o.TimestampUnit = []string{"%c"}, "s"
		},
		`--timestamp-unit "h"`:     func(o *spec.Scan) { o.TimestampUnit = "h" },
		`--timezone "CET9"`:        func(o *spec.Scan) { o.TimeZone = "CET9" },
		"has no year":              func(o *spec.Scan) { o.DateTimeFormats = []string{"HH:mm"} },
		"must be cqlbulk, cqlsh, ": func(o *spec.Scan) { o.Dialect = "excel" },
		"knows no JSON":            func(o *spec.Scan) { o.Dialect, o.Format = "cqlsh", "json" },
		"--escape-formulas: cqlsh": func(o *spec.Scan) { o.Dialect, o.EscapeFormulas = "cqlsh", true },
		"--timestamp-unit: cqlsh":  func(o *spec.Scan) { o.Dialect, o.TimestampUnit = "cqlsh", "s" },
		"--timezone: a time":       func(o *spec.Scan) { o.Dialect, o.TimeZone = "cqlsh", "UTC" },
		"no such pattern":          func(o *spec.Scan) { o.Dialect, o.DateFormats = "cqlsh", []string{"%F"} },
		"require --dialect cqlsh":  func(o *spec.Scan) { o.DoublePrecision = 17 },
		"at least 1 digit":         func(o *spec.Scan) { o.Dialect, o.FloatPrecision = "cqlsh", -1 },
		`are both ","`:             func(o *spec.Scan) { o.DecimalSep, o.ThousandsSep = ",", "," },
		"two words":                func(o *spec.Scan) { o.BoolStyle = "yes" },
		`--escape "ab"`:            func(o *spec.Scan) { o.Escape = "ab" },
		"behind the escape":        func(o *spec.Scan) { o.Escape, o.Null = `\`, `\-` },
		"%Q cannot be read":        func(o *spec.Scan) { o.DateFormats = []string{"%Q"} },
	} {
		o := spec.NewScan()
		set(o)
		_, err := o.Check(true)
		require.ErrorContains(t, err, want)
	}
}
