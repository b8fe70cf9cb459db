package recorded

// Why settings of a run stay as they were when it goes on.
const (
	cutBefore  = "records were cut by it, also those that were rejected; to cut them otherwise, load the file anew"
	writtenSo  = "what a row means once it is written is the same for all rows of a run"
	chosenRows = "which rows are loaded was settled when the run began"
	oneTable   = "a run is of one table"
)

var keptSettings = map[string]string{
	"delimiter":          cutBefore,
	"quote":              cutBefore,
	"escape":             cutBefore,
	"header":             cutBefore,
	"comment":            cutBefore,
	"trailing-delimiter": cutBefore,
	"line-end":           cutBefore,
	"format":             cutBefore,
	"column-order":       "the run has the names of the columns by now; --columns names others",
	"nulls":              writtenSo,
	"ttl":                writtenSo,
	"timestamp":          writtenSo,
	"if-not-exists":      writtenSo,
	"append-collections": writtenSo,
	"skiprows":           chosenRows,
	"maxrows":            chosenRows,
	"files":              chosenRows,
	"keyspace":           oneTable,
	"table":              oneTable,
}

// WhyKept says why a setting stays as it was when a run goes on.
func WhyKept(name string) string {
	if reason, ok := keptSettings[name]; ok {
		return reason
	}
	return "a run goes on with what it was begun with"
}
