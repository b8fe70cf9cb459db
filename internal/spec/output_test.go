package spec

import (
	"testing"

	"github.com/stretchr/testify/require"
)

const writable = "; csv, tsv and json can be written (.csv, .json, .jsonl, .ndjson, .tsv), as they are or compressed (.gz, .lz4, .snappy, .sz, .zst)"

// A name that says something else than what would be in the file is refused, whatever
// the flags say.
func TestOutputNames(t *testing.T) {
	for _, tc := range []struct {
		output, format, compression string
		err                         string
	}{
		{"", "", "", ""},
		{"-", "json", "gzip", ""},
		{"x", "", "", ""},
		{"x.txt", "json", "", ""},
		{"x.csv", "", "gzip", ""},
		{"x.2026-11-21", "", "", ""},
		{"x.csv", "tsv", "", ""},
		{"x.tsv", "csv", "", ""},
		{"x.jsonl", "json", "none", ""},
		{"x.JSON.GZ", "json", "gzip", ""},
		{"x.snappy", "", "snappy", ""},
		{"x.parquet/y.csv", "", "", ""},
		{"x.parquet", "", "", "--output x.parquet: parquet cannot be written" + writable},
		{"x.parquet", "csv", "", "--output x.parquet: parquet cannot be written" + writable},
		{"x.Parquet.gz", "", "", "--output x.Parquet.gz: parquet cannot be written" + writable},
		{"x.xlsx", "", "", "--output x.xlsx: xlsx cannot be written" + writable},
		{"x.csv.zip", "", "", "--output x.csv.zip: zip cannot be written" + writable},
		{"x.csv.bz2", "", "gzip", "--output x.csv.bz2: bz2 cannot be written" + writable},
		{"x.csv.xz", "", "", "--output x.csv.xz: xz cannot be written" + writable},
		{"x.orc", "", "", "--output x.orc: orc cannot be written" + writable},
		{"x.avro", "", "", "--output x.avro: avro cannot be written" + writable},
		{"x.tar.gz", "", "", "--output x.tar.gz: tar cannot be written" + writable},
		{"x.7z", "", "", "--output x.7z: 7z cannot be written" + writable},
		{"x.json", "csv", "", "--output x.json and --format csv: the name says json"},
		{"x.tsv.gz", "json", "", "--output x.tsv.gz and --format json: the name says tsv"},
		{"x.csv.gz", "", "zstd", "--output x.csv.gz and --compression zstd: the name says gzip"},
		{"x.csv.sz", "", "none", "--output x.csv.sz and --compression none: the name says snappy"},
	} {
		t.Run(tc.output, func(t *testing.T) {
			o := Output{Path: tc.output, Format: tc.format, Compression: tc.compression}
			err := o.CheckName()
			if tc.err == "" {
				require.NoError(t, err)
				return
			}
			require.EqualError(t, err, tc.err)
		})
	}
}

// The endings of files name formats too.
func TestFormatsByTheirEndings(t *testing.T) {
	for _, word := range []string{"jsonl", "ndjson", "json"} {
		o := Output{Path: "x.json", Format: word}
		require.NoError(t, o.CheckName())
		require.NoError(t, o.Complete())
		require.Equal(t, "json", o.Format)
		format := word
		require.NoError(t, ChooseFormat(&format, ""))
		require.Equal(t, "json", format)
	}
	tabs := Text{Delimiter: "tab", Quote: `"`}
	format, err := tabs.Delimited("csv", nil)
	require.NoError(t, err)
	require.EqualValues(t, '\t', format.Delimiter)
	require.Equal(t, `\t`, tabs.Delimiter, "as a manifest has it")
}

// Names in capitals mean the same.
func TestOutputFormOfItsName(t *testing.T) {
	for output, want := range map[string][2]string{
		"x": {"csv", ""}, "x.json": {"json", ""}, "x.NDJSON": {"json", ""}, "x.Tsv.ZST": {"tsv", "zstd"}, "x.gz": {"csv", "gzip"}, "-": {"csv", ""},
	} {
		o := Output{Path: output}
		require.NoError(t, o.CheckName())
		require.NoError(t, o.Complete())
		require.Equal(t, want, [2]string{o.Format, o.Compression}, output)
	}
}
