package spec

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/internal/spec/setting"
	"github.com/cqlbulk/cqlbulk/pkg/dsv"
)

// Text describes delimited text, and its columns.
type Text struct {
	Delimiter   string // what stands between fields; \t is a tab
	Quote       string // character around fields that need it
	Header      bool   // the first line of each file names the columns
	Columns     []string
	ColumnOrder string // of all columns, where Columns is empty: table or cqlsh
}

// newText has the defaults.
func newText() Text { return Text{Delimiter: ",", Quote: `"`, Header: true} }

func (o *Text) settings() setting.List {
	return setting.List{
		{Name: "delimiter", Field: &o.Delimiter},
		{Name: "quote", Field: &o.Quote},
		{Name: "header", Field: &o.Header},
		{Name: "columns", Field: &o.Columns},
		{Name: "column-order", Field: &o.ColumnOrder, Among: columnOrders},
	}
}

// columnOrders are the orders of all columns of a table.
var columnOrders = []string{"table", "cqlsh"}

// CheckOrder validates the order of columns.
func (o *Text) CheckOrder() error {
	if o.ColumnOrder != "" && !slices.Contains(columnOrders, o.ColumnOrder) {
		return fmt.Errorf(
			"--column-order %q: must be %s",
			o.ColumnOrder,
			strings.Join(columnOrders, " or "),
		)
	}
	return nil
}

// OrderColumns names all columns of the table in the order asked for, where none
// are named. A run directory then keeps their names.
func (o *Text) OrderColumns(t *schema.Table) {
	if o.ColumnOrder == "" || len(o.Columns) > 0 {
		return
	}
	o.Columns = t.Names()
	if o.ColumnOrder == "cqlsh" {
		keys := len(t.OfKind(schema.PartitionKey)) + len(t.OfKind(schema.Clustering))
		slices.Sort(o.Columns[keys:])
	}
}

// Delimited gives the delimiters of text in a form (csv, tsv, json). In tsv a tab
// takes the place of the comma, unless that was asked for.
func (o *Text) Delimited(form string, given setting.Given) (dsv.Format, error) {
	if form == "tsv" && !given["delimiter"] && o.Delimiter == "," {
		o.Delimiter = `\t`
	}
	if o.Delimiter == "tab" {
		o.Delimiter = `\t`
	}
	var format dsv.Format
	delimiter := strings.ReplaceAll(o.Delimiter, `\t`, "\t")
	quote := strings.ReplaceAll(o.Quote, `\t`, "\t")
	if err := checkDelimiter(delimiter); err != nil {
		return format, fmt.Errorf("--delimiter %q: %w", o.Delimiter, err)
	}
	if len(quote) != 1 {
		return format, fmt.Errorf("--quote %q: must be one ASCII character", o.Quote)
	}
	format.SetDelimiter(delimiter)
	format.Quote = quote[0]
	if err := format.Validate(); err != nil {
		return format, fmt.Errorf("--delimiter or --quote: %w", err)
	}
	return format, nil
}
