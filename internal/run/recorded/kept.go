package recorded

// Why a resume cannot change a setting.
const (
	cutBefore  = "records were cut by it, also those that were rejected; to cut them otherwise, load the file again"
	writtenSo  = "what a row means once it is written is the same for all rows of a run"
	chosenRows = "the rows to load were chosen when the run began"
	oneTable   = "a run is of one table"
)

var keptSettings = map[string]string{
	"delimiter":          cutBefore,
	"quote":              cutBefore,
	"escape":             cutBefore,
	"escape-in-quotes":   cutBefore,
	"newline-escapes":    cutBefore,
	"header":             cutBefore,
	"comment":            cutBefore,
	"trailing-delimiter": cutBefore,
	"trim":               cutBefore,
	"line-end":           cutBefore,
	"skiplines":          cutBefore,
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

// WhyKept returns why a resume cannot change a setting, as part of a message.
func WhyKept(name string) string {
	if reason, ok := keptSettings[name]; ok {
		return reason
	}
	return "a run keeps the settings that it began with"
}
