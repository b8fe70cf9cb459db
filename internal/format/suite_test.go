package format_test

import (
	"testing"

	"github.com/cqlbulk/cqlbulk/internal/format"
	"github.com/cqlbulk/cqlbulk/internal/format/formattest"
	"github.com/cqlbulk/cqlbulk/pkg/dsv"
)

// TestFormats runs the suite for each format.
func TestFormats(t *testing.T) {
	damagedText := []byte("\"1\"x,2\n")
	for name, c := range map[string]formattest.Case{
		"CSV": {
			Format:  format.CSV,
			Output:  format.OutputOptions{Header: true},
			Damaged: damagedText,
		},
		"CSV without a header": {Format: format.CSV, Damaged: damagedText},
		"CSV with a text for null": {
			Format:  format.CSV,
			Output:  format.OutputOptions{Header: true, Null: "NA"},
			Damaged: damagedText,
		},
		"other delimiters": {
			Format:  format.Delimited{Format: dsv.Format{Delimiter: '\t', Quote: '\''}},
			Output:  format.OutputOptions{Header: true, Null: `\N`},
			Damaged: []byte("'1'x\t2\n"),
		},
		"escapes": {
			Format:  format.Delimited{Format: dsv.Format{Delimiter: ';', Quote: '"', Escape: '\\'}},
			Output:  format.OutputOptions{Header: true},
			Damaged: []byte("\"1\"x;2\n"),
		},
		"JSON": {Format: format.JSON{}, Damaged: []byte("{\"k\":1,\n")},
	} {
		t.Run(name, func(t *testing.T) { formattest.Run(t, c) })
	}
}
