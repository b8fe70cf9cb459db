//go:build integration

package integration

import (
	"fmt"
	"strings"
)

// The table of bad values has a column for each kind of mistake. Its input has the columns in
// another order, the keys in the middle.

const badUDT = `CREATE TYPE IF NOT EXISTS it1.place (street text, zip int)`

const badBody = `(k text, c int, vi int, vs smallint, vy tinyint, vb bigint, vv varint, vu uuid,
	vt timestamp, vd date, vm time, va inet, vx blob, vo boolean, ve decimal, vn duration, vf float,
	vg double, vc ascii, vl list<text>, vz set<int>, vp map<text, int>, vw vector<float, 3>, vk frozen<place>, vq tuple<int, text>, note text, PRIMARY KEY (k, c))`

// badColumns is the header; good makes a row of them.
var badColumns = strings.Split(
	"note,vi,vs,vy,vb,vv,vu,vt,k,c,vd,vm,va,vx,vo,ve,vn,vf,vg,vc,vl,vz,vp,vw,vk,vq",
	",",
)

// good makes the fields of row n as they stand in the input. One note in seven has a
// line end in it, so that lines and rows do not go together.
func good(n int) []string {
	note := fmt.Sprintf("\"note %d, with a comma\"", n)
	if n%7 == 3 {
		note = fmt.Sprintf("\"note %d\nof \"\"two\"\" lines\"", n)
	}
	return []string{
		note,
		fmt.Sprint(n - 5000),
		fmt.Sprint(n % 32768),
		fmt.Sprint(n%256 - 128),
		fmt.Sprint(int64(n) << 30),
		fmt.Sprintf("-%d000000000000000000000", n+1),
		fmt.Sprintf(
			"550e8400-e29b-41d4-a716-%012x",
			n,
		),
		fmt.Sprintf("2013-01-01T10:%02d:%02d.%03dZ", n/60%60, n%60, n%1000),
		fmt.Sprintf(
			"key %d",
			n/3,
		),
		fmt.Sprint(n),
		fmt.Sprintf("2020-02-%02d", n%29+1),
		fmt.Sprintf("12:34:%02d.%09d", n%60, n),
		fmt.Sprintf(
			"10.%d.%d.%d",
			n>>16&255,
			n>>8&255,
			n&255,
		),
		fmt.Sprintf("0x%08x", n),
		[]string{"true", "false"}[n%2],
		fmt.Sprintf("%d.%02d", n, n%100),
		fmt.Sprintf(
			"%dmo%dd%ds",
			n%12,
			n%31,
			n%3600,
		),
		fmt.Sprintf("%d.5", n),
		fmt.Sprintf("%d.0625", n),
		fmt.Sprintf("ascii %d", n),
		fmt.Sprintf(
			"\"['a', 'it''s', '%d']\"",
			n,
		),
		fmt.Sprintf("\"{%d, %d}\"", n, n+1),
		fmt.Sprintf("\"{'a': %d, 'b': 2}\"", n),
		fmt.Sprintf(
			"\"[%d, 1.5, -2]\"",
			n,
		),
		fmt.Sprintf("\"{street: 'street %d', zip: %d}\"", n, n),
		fmt.Sprintf("\"(%d, 'x')\"", n),
	}
}

// badKind is one way in which a row can be wrong.
type badKind struct {
	column string // whose text is replaced; empty: the row as a whole is wrong
	text   string // as it stands in the input
	reason string // words of the reason
	// value and shift are what is reported, if it is not the text at the beginning of its field.
	value string
	shift int
	// row makes a bad row of the good fields, where that is not the replacement of one text.
	row func(fields []string) string
}

var badKinds = []badKind{
	{column: "vi", text: "12a", reason: "not an integer"},
	{column: "vi", text: "2147483648", reason: "out of range"},
	{column: "vs", text: "32768", reason: "out of range"},
	{column: "vy", text: "-129", reason: "out of range"},
	{column: "vb", text: "9223372036854775808", reason: "out of range"},
	{column: "vv", text: "1e3", reason: "varint"},
	{column: "vu", text: "550e8400-e29b-41d4-a716-44665544000", reason: "uuid"},
	{column: "vt", text: "2013-13-01T00:00:00Z", reason: "timestamp"},
	{column: "vd", text: "2021-02-29", reason: "date"},
	{column: "vm", text: "24:00:01", reason: "time"},
	{column: "va", text: "256.1.1.1", reason: "inet"},
	{column: "vx", text: "0xabc", reason: "blob"},
	{column: "vo", text: "maybe", reason: "boolean"},
	{column: "ve", text: "1.2.3", reason: "decimal"},
	{column: "vn", text: "5parsecs", reason: "duration"},
	{column: "vf", text: "1e39", reason: "float"},
	{column: "vg", text: `"1,5"`, value: "1,5", reason: "double"},
	{column: "vc", text: "é", reason: "ASCII"},
	{column: "note", text: "\"bad \xff utf-8\"", value: "bad \ufffd utf-8", reason: "UTF-8"},
	{column: "vl", text: `"['a', b]"`, value: "['a', b]", reason: "list<text>"},
	{column: "vz", text: `"{1, x}"`, value: "{1, x}", reason: "set<int>"},
	{column: "vp", text: `"{'a' 1}"`, value: "{'a' 1}", reason: "map<text, int>"},
	{column: "vw", text: `"[1, 2]"`, value: "[1, 2]", reason: "vector<float, 3>"},
	{
		column: "vk",
		text:   `"{street: 'x', zip: 'y'}"`,
		value:  "{street: 'x', zip: 'y'}",
		reason: "zip",
	},
	{column: "vk", text: `"{street: 'x', zap: 1}"`, value: "{street: 'x', zap: 1}", reason: "zap"},
	{column: "vq", text: `"(1, 'x', 2)"`, value: "(1, 'x', 2)", reason: "tuple<int, text>"},
	{column: "c", text: "", reason: "must not be null"},
	{column: "k", text: `""`, value: "", reason: "must not be empty"},
	{
		column: "k",
		text:   strings.Repeat("long", 1<<14),
		value:  strings.Repeat("long", 25) + "...",
		reason: "longer than 65535 bytes",
	},
	{
		reason: "row has 25 fields instead of 26",
		row:    func(f []string) string { return strings.Join(f[:len(f)-1], ",") },
	},
	{
		reason: "row has 27 fields instead of 26",
		row:    func(f []string) string { return strings.Join(f, ",") + ",more" },
	},
	{text: `"x"y`, column: "vc", shift: len(`"x"`), reason: "closing quote is followed by"},
}

// badRow is a row of the input that must be rejected, and where.
type badRow struct {
	kind   badKind
	raw    string
	mended string
	line   int64
	column int
	offset int64
}

// make gives the wrong row in place of fields, and where in it the mistake is.
func (k badKind) make(fields []string) (raw string, line int64, column int) {
	if k.row != nil {
		return k.row(fields), 0, 1
	}
	wrong := append([]string(nil), fields...)
	at := 0
	for i, name := range badColumns {
		if name == k.column {
			wrong[i] = k.text
			at = i
		}
	}
	before := strings.Join(wrong[:at], ",")
	if at > 0 {
		before += ","
	}
	// Column is counted from the last line end before the field.
	return strings.Join(
			wrong,
			",",
		), int64(
			strings.Count(before, "\n"),
		), len(
			before,
		) - strings.LastIndex(
			before,
			"\n",
		) + k.shift
}

// badInput returns an input in which one row in a hundred is bad, its clean twin, and what is wrong
// by offset. Line ends are of both sorts.
func badInput(rows int) (input, clean string, bad map[int64]badRow) {
	var dirty, whole strings.Builder
	header := strings.Join(badColumns, ",") + "\r\n"
	dirty.WriteString(header)
	whole.WriteString(header)
	bad = make(map[int64]badRow)
	line := int64(2)
	for n := range rows {
		end := "\n"
		if n%5 == 0 {
			end = "\r\n"
		}
		fields := good(n)
		mended := strings.Join(fields, ",") + end
		whole.WriteString(mended)
		row := mended
		if n%100 == 37 {
			kind := badKinds[n/100%len(badKinds)]
			raw, below, column := kind.make(fields)
			row = raw + end
			offset := int64(dirty.Len())
			bad[offset] = badRow{kind, row, mended, line + below, column, offset}
		}
		dirty.WriteString(row)
		line += int64(strings.Count(row, "\n"))
	}
	return dirty.String(), whole.String(), bad
}
