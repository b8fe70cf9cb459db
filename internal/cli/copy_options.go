package cli

import (
	"github.com/spf13/pflag"

	"github.com/cqlbulk/cqlbulk/internal/operation"
)

// copyOptions are the flags of copy: of the settings of load and scan, those that no COPY
// statement has, and those that may be given in place of what it says.
type copyOptions struct {
	showOptions
	Keyspace string
	Explain  bool
	Nulls    string // what a null field does, FROM
}

func (o *copyOptions) AddFlags(f *pflag.FlagSet) {
	// What is set here is handed on by its name, to the one or the other.
	load, scan := operation.NewLoadSpec(), operation.NewScanSpec()
	from, to := binder{f, load.Settings()}, binder{f, scan.Settings()}
	f.BoolVar(&o.Explain, "explain", false, "print the command line that does the same, say what of the statement it does not do, and do nothing")
	f.StringVarP(&o.Keyspace, "keyspace", "k", "", "keyspace, where the statement names none")
	f.StringVar(&o.Nulls, "nulls", "tombstone", "FROM: what a null field does: tombstone deletes what is there, as with cqlsh, unset leaves the column as it is")
	from.add("unescape", `FROM: undo the escapes that cqlsh's COPY TO makes in text (\\, \n, \x00) and COPY FROM leaves in it`)
	from.add("dry-run", "FROM: parse, type and group everything, and write nothing")
	from.add("ingestrate", "FROM: rows a second at the most (default: no limit)")
	from.add("inflight", "FROM: "+inFlightHelp)
	from.add("maxparseerrors", "FROM: "+maxParseErrorsHelp+unlimited)
	from.add("maxinserterrors", "FROM: "+maxInsertErrorsHelp+unlimited)
	from.add("keep-going", "FROM: "+keepGoingHelp)
	to.add("force", "TO: write over a file that exists")
	to.add("rate", "TO: rows a second at the most (default: no limit)")
	to.add("target-p99", "TO: slow down when the 99th percentile of small reads on the nodes rises above this (default: watch the scan's own latency alone)")
	to.add("max-bytes-per-sec", "bytes a second at the most (default: no limit)")
	to.add("maxattempts", "attempts for a request")
	to.add("patience", patienceHelp)
	to.add("memory", "memory to use at the most")
	to.add("run-dir", "folder for the journal, from which a run that was stopped goes on (default: as that of load or scan)")
	to.add("no-journal", "keep no journal: a run that was stopped begins anew")
	scan.Consistency = ""
	addConnectionFlags(to, "by default "+operation.WriteConsistency+" for FROM and "+operation.ReadConsistency+" for TO")
	o.showOptions.AddFlags(f)
}

// The flags of copy that are no flags of what it runs.
var copyAlone = []string{"explain", "keyspace", "config", "help"}

// The flags of copy that what it runs has besides settings.
var copyShown = []string{quietFlag, verboseFlag, jsonFlag, logFileFlag, logFormatFlag, progressFlag}
