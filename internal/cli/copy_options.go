package cli

import (
	"github.com/spf13/pflag"

	"github.com/cqlbulk/cqlbulk/internal/spec"
)

// copyOptions are the flags of copy. They are settings of load and scan: those that no COPY
// statement has, and those that override what it says.
type copyOptions struct {
	showOptions
	Keyspace string
	Explain  bool
	Nulls    string // what a null field does, FROM
}

func (o *copyOptions) AddFlags(f *pflag.FlagSet) {
	// What is set here is handed on by its name, to the one or the other.
	load, scan := spec.NewLoad(), spec.NewScan()
	from := binder{
		flags:    f,
		settings: load.Settings(),
	}
	to := binder{
		flags:    f,
		settings: scan.Settings(),
	}
	o.Nulls = copyNulls
	nulls, _ := from.settings.Find("nulls")
	addOwn(
		f,
		&o.Explain,
		"explain",
		"print the command line that does the same; say what of the statement it does not do, and do nothing",
		of(groupInput),
		everyday,
	)
	addOwn(
		f,
		&o.Keyspace,
		"keyspace",
		"keyspace, where the statement names none",
		of(groupInput),
		letter("k"),
		everyday,
	)
	addOwn(
		f,
		&o.Nulls,
		"nulls",
		"FROM: what a null field does; tombstone deletes what is there, as with cqlsh, unset leaves the column as it is",
		of(groupWrites),
		among(nulls.Among...),
		everyday,
	)
	from.in(groupValues).
		add("unescape", `FROM: undo the escapes that cqlsh's COPY TO makes in text; (\\, \n, \x00), which COPY FROM leaves in it`)
	from.in(groupWrites).
		add("dry-run", "FROM: parse, type and group everything, and write nothing", everyday)
	from.in(groupPace).
		add("ingestrate", "FROM: rows per second, at most (default: no limit)", everyday)
	from.in(groupPace).add("inflight", "FROM: "+inFlightHelp)
	from.in(groupPace).add("target-p99", targetP99Help)
	from.in(groupErrors).add("maxparseerrors", "FROM: "+maxParseErrorsHelp+unlimited)
	from.in(groupErrors).add("maxinserterrors", "FROM: "+maxInsertErrorsHelp+unlimited)
	from.in(groupErrors).add("keep-going", "FROM: "+keepGoingHelp)
	to.in(groupOutput).add("force", "TO: write over a file that exists", everyday)
	to.in(groupPace).add("rate", "TO: rows per second, at most (default: no limit)", everyday)
	to.in(groupPace).add("max-bytes-per-sec", "bytes per second, at most (default: no limit)")
	to.in(groupPace).add("memory", "memory to use, at most")
	to.in(groupErrors).add("maxattempts", "attempts for a request")
	to.in(groupErrors).add("patience", patienceHelp)
	to.in(groupErrors).
		add("run-dir", "folder for the journal, which resumes a run that was stopped (default: as that of load or scan)", folder)
	to.in(groupErrors).add(
		"no-journal", "keep no journal: a run that was stopped starts from the beginning",
	)
	scan.Consistency = ""
	addConnectionFlags(
		to,
		"by default "+spec.WriteConsistency+" for FROM and "+spec.ReadConsistency+" for TO",
	)
	o.showOptions.AddFlags(f)
	o.addPageFlag(f)
}

// copyNulls is what a null field does with cqlsh.
const copyNulls = "tombstone"

// The flags of copy that are no flags of what it runs.
var copyAlone = []string{"explain", "keyspace", "config", "help", helpAllFlag}

// The flags of copy that what it runs has besides settings.
var copyShown = []string{
	quietFlag,
	verboseFlag,
	jsonFlag,
	logFileFlag,
	logFormatFlag,
	progressFlag,
	colorFlag,
	httpFlag,
	reportFlag,
}
