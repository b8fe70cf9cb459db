package cli

import (
	"fmt"
	"slices"

	"github.com/cqlbulk/cqlbulk/internal/schema"
)

// orderHelp says which orders of columns there are.
const orderHelp = "table, key columns first, then static ones, then the others by name, or cqlsh, key columns first, then all others by name, as COPY has them"

// checkOrder validates the order of columns.
func (o *formatOptions) checkOrder() error {
	switch o.ColumnOrder {
	case "", "table", "cqlsh":
		return nil
	default:
		return fmt.Errorf("--column-order %q: must be table or cqlsh", o.ColumnOrder)
	}
}

// orderColumns names all columns of the table in the order asked for, where none
// are named. A run directory then keeps their names.
func (o *formatOptions) orderColumns(t *schema.Table) {
	if o.ColumnOrder == "" || len(o.Columns) > 0 {
		return
	}
	o.Columns = t.Names()
	if o.ColumnOrder == "cqlsh" {
		keys := len(t.OfKind(schema.PartitionKey)) + len(t.OfKind(schema.Clustering))
		slices.Sort(o.Columns[keys:])
	}
}
