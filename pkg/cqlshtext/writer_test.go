package cqlshtext

import (
	"encoding/hex"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/pkg/cqltext"
	"github.com/cqlbulk/cqlbulk/pkg/cqlwire"
	"github.com/cqlbulk/cqlbulk/pkg/dsv"
)

var update = flag.Bool("update", false, "write the golden file of texts that differ from cqlsh's")

func mustPlanWriter(t testing.TB, typ string, o WriterOptions) *Writer {
	t.Helper()
	w, err := PlanWriter(mustParse(t, typ), o)
	require.NoError(t, err)
	return w
}

// betterCells are cells that differ from those of COPY TO, which COPY FROM reads as another value
// or not at all.
var betterCells = map[string]string{
	`T05`: `a\\b`,
	`T06`: "\"a\nb\"",
	`T07`: "\"a\r\nb\"",
	`T08`: "a\tb",
	`T09`: "\x00",
	`T10`: "\x7f",
	`T11`: "x\u00a0y",
	`T34`: `"1,2346E+6"`,
	`T72`: `0001-01-01 00:00:00.000+0000`,
	`T89`: `"['a', 'b,c', 'it''s', 'a\"b', 'x\\y', '']"`,
	`T90`: "\"['a\nb']\"",
}

// TestWriterCells writes the values of cells.
func TestWriterCells(t *testing.T) {
	format := dsv.Format{Delimiter: ',', Quote: '"', Escape: '\\'}
	for _, c := range toCells {
		if c.want == "null" {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			wire, err := hex.DecodeString(wireOf(t, c.typ, c.want))
			require.NoError(t, err)
			o := WriterOptions{Options: c.o}
			switch c.name {
			case `T47`, `T48`:
				o.FloatPrecision = 9
			case `T59`, `T60`:
				o.DoublePrecision = 17
			}
			text, err := mustPlanWriter(t, c.typ, o).AppendText(nil, wire)
			require.NoError(t, err)
			want, better := betterCells[c.name]
			if !better {
				want = c.cell
			}
			require.Equal(t, want, string(format.AppendField(nil, text, false)))
		})
	}
}

// TestWriterGolden writes values that cqlsh's own code has written (testdata/copy_to.py). The
// golden file lists those with other texts: type, options, text of cqlsh, text here.
func TestWriterGolden(t *testing.T) {
	lines, err := os.ReadFile("testdata/copy_to.tsv")
	require.NoError(t, err)
	var others strings.Builder
	for line := range strings.Lines(string(lines)) {
		fields := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		require.Len(t, fields, 4)
		wire, err := hex.DecodeString(fields[2])
		require.NoError(t, err)
		text, err := mustPlanWriter(t, fields[0], writerOptions(t, fields[1])).AppendText(nil, wire)
		require.NoError(t, err, line)
		var cqlsh *string
		require.NoError(t, json.Unmarshal([]byte(fields[3]), &cqlsh))
		if cqlsh == nil || *cqlsh != string(text) {
			fmt.Fprintf(&others, "%s\t%s\t%s\t%s\n", fields[0], fields[1], fields[3], text)
		}
	}
	const golden = "testdata/copy_to_others.tsv"
	if *update {
		require.NoError(t, os.WriteFile(golden, []byte(others.String()), 0o600))
	}
	want, err := os.ReadFile(golden)
	require.NoError(t, err)
	require.Equal(t, string(want), others.String())
}

// writerOptions returns the options of a golden line.
func writerOptions(t *testing.T, text string) WriterOptions {
	t.Helper()
	var o struct {
		DateTimeFormat, BoolStyle, DecimalSep, ThousandsSep, Null string
		FloatPrecision, DoublePrecision                           int
	}
	require.NoError(t, json.Unmarshal([]byte(text), &o))
	yes, no, _ := strings.Cut(o.BoolStyle, ",")
	return WriterOptions{
		Options: Options{
			DateTimeFormat: o.DateTimeFormat,
			BoolTrue:       yes,
			BoolFalse:      no,
			DecimalSep:     o.DecimalSep,
			ThousandsSep:   o.ThousandsSep,
			Null:           o.Null,
		},
		FloatPrecision:  o.FloatPrecision,
		DoublePrecision: o.DoublePrecision,
	}
}

// TestWriterReadBack reads what was written. Only values that a text cannot show are not the same:
// values without bytes, and texts that are the word for null.
func TestWriterReadBack(t *testing.T) {
	for _, o := range []WriterOptions{
		{FloatPrecision: 9, DoublePrecision: 17},
		{Options: commas, FloatPrecision: 9, DoublePrecision: 17},
		{Options: german, FloatPrecision: 9, DoublePrecision: 17},
	} {
		for _, c := range []struct{ typ, text string }{
			{"text", "a\\nb\n\u00a0\x00'"},
			{"bigint", "-9223372036854775808"},
			{"varint", "-12345678901234567890123"},
			{"decimal", "-1234567.8901234567890123456789"},
			{"decimal", "1E-30"},
			{"float", "3.1415927"},
			{"double", "0.1"},
			{"timestamp", "0999-12-31T23:59:59.999Z"},
			{"timestamp", "9999-12-31T23:59:59.999Z"},
			{"date", "-5877641-06-23"},
			{"duration", "0s"},
			{"duration", "-1y2mo3d4h5m6s7ms8us9ns"},
			{"list<int>", "[1000, 2000000]"},
			{"list<decimal>", "[1234.5, 1E+10]"},
			{"list<text>", "['a\nb', 'it''s', '', '\\n']"},
			{"map<text, time>", "{'a:b': '12:34:56.5', 'c': '00:00'}"},
			{"map<inet, inet>", "{'::1': '10.0.0.1', '::102:304': '::ffff:1.2.3.4'}"},
			{"tuple<int, text, boolean>", "(null, null, null)"},
			{"tuple<int, text, boolean>", "(1)"},
			{"tuple<int, text, boolean>", "(1, 'None', false)"},
			{"odd", `{class: 1, "Mixed": null, "a,b": 3, a: '', "x	y": 0, "_z": true, "back\slash": {street: 'x', zip: null}}`},
			{"vector<vector<smallint, 2>, 1>", "[[1000, -2]]"},
		} {
			wire, err := hex.DecodeString(wireOf(t, c.typ, c.text))
			require.NoError(t, err)
			text, err := mustPlanWriter(t, c.typ, o).AppendText(nil, wire)
			require.NoError(t, err)
			back, err := mustPlan(t, c.typ, o.Options).AppendWire(nil, text)
			require.NoError(t, err, "%s", text)
			own, err := cqltext.Plan(mustParse(t, c.typ))
			require.NoError(t, err)
			shown, err := own.AppendText(nil, back)
			require.NoError(t, err)
			require.Equal(t, hex.EncodeToString(wire), hex.EncodeToString(back), "%s: %s: %s", c.typ, text, shown)
		}
	}
}

// FuzzAppendText checks that nothing panics, and that every value that a server accepts has a text.
func FuzzAppendText(f *testing.F) {
	for i, typ := range fuzzTypes {
		for _, s := range samples {
			if s.typ == typ {
				wire, err := mustPlan(f, typ, s.o).AppendWire(nil, []byte(s.text))
				require.NoError(f, err)
				f.Add(byte(i), byte(4), wire)
			}
		}
		f.Add(byte(i), byte(0), []byte{})
	}
	f.Fuzz(func(t *testing.T, typ, option byte, wire []byte) {
		name := fuzzTypes[int(typ)%len(fuzzTypes)]
		o := WriterOptions{Options: fuzzOptions[int(option)%len(fuzzOptions)]}
		out, err := mustPlanWriter(t, name, o).AppendText([]byte(prefix), wire)
		require.True(t, strings.HasPrefix(string(out), prefix))
		if err == nil {
			return
		}
		require.Len(t, out, len(prefix))
		layout, planErr := cqlwire.Plan(mustParse(t, name))
		require.NoError(t, planErr)
		require.Error(t, layout.Check(wire), err)
	})
}

// BenchmarkAppendText writes typical values.
func BenchmarkAppendText(b *testing.B) {
	for _, s := range samples {
		wire, err := mustPlan(b, s.typ, s.o).AppendWire(nil, []byte(s.text))
		require.NoError(b, err)
		w := mustPlanWriter(b, s.typ, WriterOptions{Options: s.o})
		b.Run(s.name, func(b *testing.B) {
			buf := make([]byte, 0, 1024)
			b.ReportAllocs()
			for b.Loop() {
				if buf, err = w.AppendText(buf[:0], wire); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// TestWriterMalformed writes bytes that are no value.
func TestWriterMalformed(t *testing.T) {
	for _, c := range []struct{ typ, wire string }{
		{"int", "000001"},
		{"boolean", "0101"},
		{"double", "00"},
		{"timestamp", "00"},
		{"date", "00"},
		{"inet", "00"},
		{"uuid", "00"},
		{"decimal", "00"},
		{"list<int>", "0000000200000004"},
		{"set<inet>", "0000000100000001"},
		{"set<inet>", "000000010000000100"},
		{"map<text, int>", "0000000100000000ffffffff"},
		{"tuple<int, text, boolean>", "00"},
		{"addr", "ffffffffffffffffffffffff"},
		{"addr", "0000"},
		{"vector<float, 2>", "00"},
	} {
		wire, err := hex.DecodeString(c.wire)
		require.NoError(t, err)
		out, err := mustPlanWriter(t, c.typ, WriterOptions{}).AppendText([]byte(prefix), wire)
		require.Error(t, err, "%s %s: %s", c.typ, c.wire, out)
		require.Equal(t, prefix, string(out))
	}
}
