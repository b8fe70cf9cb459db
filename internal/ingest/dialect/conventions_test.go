package dialect

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/spec"
	"github.com/cqlbulk/cqlbulk/pkg/cqltext"
	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
	"github.com/cqlbulk/cqlbulk/pkg/dsv"
)

// Texts of other programs are the values that CQL's texts are, and what is another number is none.
func TestConventions(t *testing.T) {
	o := spec.NewDialect()
	o.DateTimeFormat, o.DateFormat, o.BoolStyle, o.DecimalSep, o.ThousandsSep = "%m/%d/%Y %I:%M %p", "%d.%m.%Y", "ja,nein", ",", "."
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
		codec, err := plan(typ)
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

func TestConventionsThatAreNone(t *testing.T) {
	for want, set := range map[string]func(*spec.Dialect){
		"--dateformat: ":               func(o *spec.Dialect) { o.DateFormat = "%Q" },
		`--line-end "x"`:               func(o *spec.Dialect) { o.LineEnd = "x" },
		`--comment "##"`:               func(o *spec.Dialect) { o.Comment = "##" },
		"has another meaning":          func(o *spec.Dialect) { o.Comment = "," },
		"--unescape requires":          func(o *spec.Dialect) { o.Unescape = true },
		"are both":                     func(o *spec.Dialect) { o.DecimalSep, o.ThousandsSep = ",", "," },
		"cqlsh has no pattern":         func(o *spec.Dialect) { o.Name, o.DateFormat = "cqlsh", "%Y" },
		"a digit in the decimal":       func(o *spec.Dialect) { o.DecimalSep = "1" },
		"must be two words":            func(o *spec.Dialect) { o.BoolStyle = "yes" },
		"the same word":                func(o *spec.Dialect) { o.BoolStyle = "yes,YES" },
		"--escape \"ab\": must be one": func(o *spec.Dialect) { o.Escape = "ab" },
	} {
		o, format := spec.NewDialect(), dsv.DefaultFormat
		set(&o)
		_, err := codecsOf(&o, "csv", nil, &format)
		require.ErrorContains(t, err, want)
	}
}
