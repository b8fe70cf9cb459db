package cli

import (
	"github.com/spf13/pflag"

	"github.com/cqlbulk/cqlbulk/internal/cli/flagset"
	"github.com/cqlbulk/cqlbulk/internal/cli/help"
	"github.com/cqlbulk/cqlbulk/internal/spec"
)

// copyOptions are the flags of copy. They are settings of load and scan: those that no COPY
// statement has, and those that override what it says.
type copyOptions struct {
	showOptions
	Keyspace string
	Cqlshrc  string // configuration of cqlsh; empty: where cqlsh looks for it
	Explain  bool
	Nulls    string // what a null field does, FROM
}

func (o *copyOptions) AddFlags(f *pflag.FlagSet) {
	// What is set here is handed on by its name, to the one or the other.
	load, scan := spec.NewLoad(), spec.NewScan()
	from := flagset.Binder{
		Flags:    f,
		Settings: load.Settings(),
	}
	to := flagset.Binder{
		Flags:    f,
		Settings: scan.Settings(),
	}
	o.Nulls = copyNulls
	nulls, _ := from.Settings.Find("nulls")
	flagset.AddOwn(
		f,
		&o.Explain,
		"explain",
		"print the command line that does the same; say what of the statement it does not do, and do nothing",
		flagset.Of(flagset.GroupInput),
		flagset.Everyday,
	)
	flagset.AddOwn(
		f,
		&o.Keyspace,
		"keyspace",
		"keyspace, where the statement names none",
		flagset.Of(flagset.GroupInput),
		flagset.Letter("k"),
		flagset.Everyday,
	)
	flagset.AddOwn(
		f,
		&o.Cqlshrc,
		cqlshrcFlag,
		"configuration of cqlsh to read; none for no file (default: ~/.cassandra/cqlshrc, or ~/.cqlshrc)",
		flagset.Of(flagset.GroupInput),
		flagset.Path,
		flagset.Everyday,
	)
	flagset.AddOwn(
		f,
		&o.Nulls,
		"nulls",
		"FROM: what a null field does; tombstone deletes what is there, as with cqlsh, unset leaves the column as it is",
		flagset.Of(flagset.GroupWrites),
		flagset.Among(nulls.Among...),
		flagset.Everyday,
	)
	from.In(flagset.GroupValues).
		Add("unescape", `FROM: undo the escapes that cqlsh's COPY TO makes in text; (\\, \n, \x00), which COPY FROM leaves in it`)
	from.In(flagset.GroupWrites).
		Add("dry-run", "FROM: parse, type and group everything, and write nothing", flagset.Everyday)
	from.In(flagset.GroupPace).
		Add("ingestrate", "FROM: rows per second, at most (default: no limit)", flagset.Everyday)
	from.In(flagset.GroupPace).Add("inflight", "FROM: "+inFlightHelp)
	to.In(flagset.GroupPace).Add("parallel", "TO: "+parallelHelp)
	from.In(flagset.GroupPace).Add("target-p99", targetP99Help)
	from.In(flagset.GroupErrors).Add("maxparseerrors", "FROM: "+maxParseErrorsHelp+unlimited)
	from.In(flagset.GroupErrors).Add("maxinserterrors", "FROM: "+maxInsertErrorsHelp+unlimited)
	from.In(flagset.GroupErrors).Add("keep-going", "FROM: "+keepGoingHelp)
	to.In(flagset.GroupOutput).Add("force", "TO: write over a file that exists", flagset.Everyday)
	to.In(flagset.GroupPace).Add("rate", "TO: rows per second, at most (default: no limit)", flagset.Everyday)
	to.In(flagset.GroupPace).Add("max-bytes-per-sec", "bytes per second, at most (default: no limit)")
	to.In(flagset.GroupPace).Add("memory", "memory to use, at most")
	to.In(flagset.GroupErrors).Add("maxattempts", "attempts for a request")
	to.In(flagset.GroupErrors).Add("patience", patienceHelp)
	to.In(flagset.GroupErrors).
		Add("run-dir", "folder for the journal, which resumes a run that was stopped (default: as that of load or scan)", flagset.Folder)
	to.In(flagset.GroupErrors).Add(
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
var copyAlone = []string{"explain", "keyspace", cqlshrcFlag, "config", "help", help.AllFlag}

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
