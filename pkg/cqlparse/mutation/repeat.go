package mutation

import (
	"slices"
	"strings"
)

// pure are functions of Cassandra 3.11 to 5.0 that return the same for the same arguments.
var pure = []string{
	"abs", "cast", "dateof", "exp", "log", "log10", "map_keys", "map_values", "maxtimeuuid",
	"max_timeuuid", "mintimeuuid", "min_timeuuid", "round", "todate", "to_date", "token",
	"totimestamp", "to_timestamp", "tounixtimestamp", "to_unix_timestamp", "unixtimestampof",
}

// isPure reports whether a function returns the same for the same arguments. Those that convert
// from and to blobs do: blobAsInt, intAsBlob, blob_as_int, int_as_blob.
func isPure(name string) bool {
	return slices.Contains(pure, name) || strings.HasPrefix(name, "blobas") ||
		strings.HasPrefix(name, "blob_as_") || strings.HasSuffix(name, "asblob") ||
		strings.HasSuffix(name, "_as_blob")
}

// ColumnKind says what the type of a column means for a statement that is run twice.
type ColumnKind uint8

// The kinds of columns.
const (
	Other   ColumnKind = iota
	Counter            // each increment counts
	List               // that is not frozen: its elements have positions that the servers choose
)

// Unrepeatable returns why the statement must not be run twice with the same values, or "" if that
// does no harm. The function kind returns what a column is. A column that the table does not have
// is Other.
//
// A counter counts twice. A list that is not frozen gets elements twice, also if it is assigned as
// a whole (CASSANDRA-11368). A function such as now() gives something else. The condition of a
// statement may be false because of its first run.
func (s *Statement) Unrepeatable(kind func(column string) ColumnKind) string {
	if s.Conditional {
		return "it has a condition"
	}
	for _, column := range s.changed {
		switch kind(column) {
		case Counter:
			return "column " + column + " is a counter"
		case List:
			return "column " + column + " is a list that is not frozen"
		}
	}
	if len(s.functions) > 0 {
		return s.functions[0] + "() may return another value"
	}
	return ""
}

// DeletesByIndex returns a list that a DELETE takes an element from, by its index; empty: there is
// none. The function is that of Unrepeatable. Servers look indexes up before they delete, so those
// of several statements for one row do not add up.
func (s *Statement) DeletesByIndex(kind func(column string) ColumnKind) string {
	for _, column := range s.cut {
		if kind(column) == List {
			return column
		}
	}
	return ""
}

// WithTimestamp returns the text of the statement with USING TIMESTAMP and a marker, which comes
// before all other markers of the USING clause. The statement must not be Conditional, have a
// Timestamp or change counters.
func (s *Statement) WithTimestamp(marker string) string {
	before, after := s.Text[:s.using], s.Text[s.using:]
	switch {
	case s.Timestamp || s.TTL:
		return before + "TIMESTAMP " + marker + " AND " + after
	case after == "":
		return before + " USING TIMESTAMP " + marker
	default:
		return before + "USING TIMESTAMP " + marker + " " + after
	}
}
