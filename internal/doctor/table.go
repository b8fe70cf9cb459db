package doctor

import (
	"fmt"

	"github.com/cqlbulk/cqlbulk/internal/human"
)

// Table has the facts about a table.
type Table struct {
	Name     string // as CQL writes it
	Columns  int
	Keys     int    // columns of the primary key
	Counters bool   // the table has columns of counters
	Serial   string // why the table is read as one token range; empty: it is not
	Write    bool   // rows are to be loaded
}

// Shape returns what the table is, and warns of tables that are read slowly or load twice.
func (t Table) Shape() Finding {
	text := fmt.Sprintf("%s, %s, %d of them key", t.Name, human.Of(t.Columns, "column"), t.Keys)
	if t.Counters {
		text += ", with counters"
	}
	switch {
	case t.Serial != "":
		return Warn("", "%s; it is read as one range: %s", text, t.Serial)
	case t.Counters && t.Write:
		return Warn(
			"look at rows in doubt before you retry",
			"%s: rows are added, and those of a load that is stopped may count twice",
			text,
		)
	default:
		return Fine("%s", text)
	}
}
