package ingest

import (
	"errors"
	"fmt"
	"slices"

	"github.com/cqlbulk/cqlbulk/internal/format"
	"github.com/cqlbulk/cqlbulk/internal/row"
	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// maxKeyComponent is the longest value of a key column, and the longest partition
// key: its length is kept in two bytes.
const maxKeyComponent = token.MaxKeyLen

// Why a marker of a statement does not take a field.
var (
	errNullCondition = errors.New("a condition of WHERE takes no null")
	errUnsetPart     = errors.New(
		"it is a part of a value, and cannot be left out: --nulls tombstone makes a field of a user type null",
	)
)

// checkMarkers checks that the markers of a statement have the values that they need.
func checkMarkers(m *Mapping, cells []row.Cell) *format.Fault {
	for _, i := range m.needs {
		switch state := cells[i].State; {
		case state == row.Set:
		case m.Columns[i].Needs == schema.NotNull:
			return format.ColumnFault(i, errNullCondition)
		case state == row.Unset:
			return format.ColumnFault(i, errUnsetPart)
		}
	}
	return nil
}

// checkKey checks that the primary key is whole and that the server will take it.
func (p *parser) checkKey(m *Mapping, cells []row.Cell) *format.Fault {
	length := 0
	for _, i := range m.key {
		length += 3 + len(cells[i].Bytes)
		if cells[i].State != row.Set {
			return format.ColumnFault(i, format.ErrNullKey)
		}
		if len(cells[i].Bytes) == 0 && len(m.key) == 1 {
			return format.ColumnFault(
				i,
				errors.New("a partition key of one column must not be empty"),
			)
		}
		if len(cells[i].Bytes) > maxKeyComponent {
			return format.ColumnFault(i, tooLong(cells[i]))
		}
	}
	if len(m.key) > 1 && length > maxKeyComponent {
		return format.RowFault(
			fmt.Errorf(
				"partition key of %d bytes is longer than %d bytes",
				length,
				maxKeyComponent,
			),
		)
	}
	null := -1
	for _, i := range m.cluster {
		if cells[i].State != row.Set {
			if null < 0 {
				null = i
			}
		} else if len(cells[i].Bytes) > maxKeyComponent {
			return format.ColumnFault(i, tooLong(cells[i]))
		}
	}
	if null < 0 || isStatic(m, cells) {
		return nil
	}
	return format.ColumnFault(null, format.ErrNullKey)
}

// isStatic reports whether a row has only static columns: a partition without rows is scanned as
// such a row. Any other value in it would have no place.
func isStatic(m *Mapping, cells []row.Cell) bool {
	isSet := func(i int) bool { return cells[i].State == row.Set }
	return slices.ContainsFunc(m.statics, isSet) && !slices.ContainsFunc(m.cluster, isSet) &&
		!slices.ContainsFunc(m.regular, isSet)
}

func tooLong(c row.Cell) error {
	return fmt.Errorf(
		"key value of %d bytes is longer than %d bytes",
		len(c.Bytes),
		maxKeyComponent,
	)
}
