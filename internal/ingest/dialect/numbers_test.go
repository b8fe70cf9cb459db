package dialect

import (
	"encoding/base64"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/pkg/cqltext"
	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
)

func TestDecimalIntegers(t *testing.T) {
	plain := conventions{integers: true, currency: []string{"$", "EUR", "US$"}}
	groups := conventions{integers: true}
	groups.ThousandsSep = "."
	german := conventions{integers: true}
	german.DecimalSep, german.ThousandsSep = ",", "."
	for _, c := range []struct {
		conventions
		kind       cqltype.Kind
		text, want string // want is empty: an error
	}{
		{plain, cqltype.Int, "12", "12"},
		{plain, cqltype.Int, "12.0", "12"},
		{plain, cqltype.Int, "12.", "12"},
		{plain, cqltype.Int, " -12.000 ", "-12"},
		{plain, cqltype.Int, "-0.0", "0"},
		{plain, cqltype.Int, "1.2e1", "12"},
		{plain, cqltype.Int, "1200E-2", "12"},
		{plain, cqltype.Varint, "1e30", "1000000000000000000000000000000"},
		{plain, cqltype.Int, "2147483648.0", ""},
		{plain, cqltype.Int, "12.5", ""},
		{plain, cqltype.Int, "1e-1", ""},
		{plain, cqltype.Int, "1e401", ""},
		{plain, cqltype.Int, "1.0e", ""},
		{plain, cqltype.Int, "1e-9223372036854775808", ""},
		{plain, cqltype.Int, "1e9223372036854775807", ""},
		{plain, cqltype.Int, "0E-10", "0"},
		{plain, cqltype.Int, "-0.00e5", "0"},
		{groups, cqltype.Int, "1.234.567", "1234567"},
		{groups, cqltype.Int, "12.0", ""},
		{groups, cqltype.Int, "12.5", ""},
		{plain, cqltype.Int, ".0", ""},
		{plain, cqltype.Int, "1.0.0", ""},
		{plain, cqltype.Int, "NaN", ""},
		{plain, cqltype.Int, "$12.0", "12"},
		{plain, cqltype.Int, "- 12 EUR", "-12"},
		{plain, cqltype.Int, "-12 EUR", "-12"},
		{plain, cqltype.Decimal, "-$ 1.50", "-1.50"},
		{plain, cqltype.Double, "2.5EUR", "2.5"},
		{plain, cqltype.Int, "5 US$", "5"},
		{german, cqltype.Int, "1.200,0", "1200"},
		{german, cqltype.Int, "1,5", ""},
		{german, cqltype.Int, "12.5", ""},
	} {
		typ := &cqltype.Type{Kind: c.kind}
		codec, err := c.plan(schema.Column{Name: "c", Type: typ})
		require.NoError(t, err)
		wire, err := codec.AppendWire([]byte("x"), []byte(c.text))
		if c.want == "" {
			require.Error(t, err, "%q", c.text)
			require.Equal(t, "x", string(wire))
			continue
		}
		require.NoError(t, err, "%q", c.text)
		own, err := cqltext.Plan(typ)
		require.NoError(t, err)
		text, err := own.AppendText(nil, wire[1:])
		require.NoError(t, err)
		require.Equal(t, c.want, string(text), "%q", c.text)
	}
}

func TestBase64(t *testing.T) {
	codec, err := conventions{base64: true}.plan(
		schema.Column{Type: &cqltype.Type{Kind: cqltype.Blob}},
	)
	require.NoError(t, err)
	wire, err := codec.AppendWire([]byte("x"), []byte("0x"))
	require.NoError(t, err)
	require.Equal(t, "x", string(wire))
	for _, blob := range []string{"", "a", "ab", "abc", "\x00\xff\xfe\x80"} {
		for _, encoding := range []*base64.Encoding{base64.StdEncoding, base64.RawStdEncoding} {
			wire, err := codec.AppendWire([]byte("x"), []byte(encoding.EncodeToString([]byte(blob))))
			require.NoError(t, err)
			require.Equal(t, "x"+blob, string(wire))
		}
	}
	for _, text := range []string{"A", "AP9=", "A-_=", "AA\n==", "AP8==", "AP8= "} {
		wire, err := codec.AppendWire([]byte("x"), []byte(text))
		require.Error(t, err, "%q", text)
		require.Equal(t, "x", string(wire))
	}
}
