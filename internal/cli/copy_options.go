package cli

import (
	"time"

	"github.com/spf13/pflag"

	"github.com/cqlbulk/cqlbulk/internal/pace"
)

// copyOptions are the settings of copy: those of load and scan that no COPY statement
// has, and those that may be given in place of what it says.
type copyOptions struct {
	connectOptions
	Keyspace string
	Explain  bool
	RunDir   string

	NoJournal      bool
	MaxAttempts    int
	Patience       time.Duration
	MaxBytesPerSec size
	Memory         size

	// For FROM.
	Nulls           string
	Unescape        bool
	DryRun          bool
	IngestRate      float64
	InFlight        int
	MaxParseErrors  int64
	MaxInsertErrors int64
	KeepGoing       bool

	// For TO.
	Force     bool
	Rate      float64
	TargetP99 time.Duration
}

func (o *copyOptions) AddFlags(f *pflag.FlagSet) {
	f.BoolVar(&o.Explain, "explain", false, "print the command line that does the same, say what of the statement it does not do, and do nothing")
	f.StringVarP(&o.Keyspace, "keyspace", "k", "", "keyspace, where the statement names none")
	f.StringVar(&o.Nulls, "nulls", "tombstone", "FROM: what a null field does: tombstone deletes what is there, as with cqlsh, unset leaves the column as it is")
	f.BoolVar(&o.Unescape, "unescape", false, `FROM: undo the escapes that cqlsh's COPY TO makes in text (\\, \n, \x00) and COPY FROM leaves in it`)
	f.BoolVar(&o.DryRun, "dry-run", false, "FROM: parse, type and group everything, and write nothing")
	f.Float64Var(&o.IngestRate, "ingestrate", 0, "FROM: rows a second at the most (default: no limit)")
	f.IntVar(&o.InFlight, "inflight", 0, "FROM: requests under way at the most (default: 16 for each core of the cluster)")
	f.Int64Var(&o.MaxParseErrors, "maxparseerrors", -1, "FROM: rows that may fail to parse before the load stops (-1: no limit)")
	f.Int64Var(&o.MaxInsertErrors, "maxinserterrors", -1, "FROM: rows that the cluster may refuse before the load stops (-1: no limit)")
	f.BoolVar(&o.KeepGoing, "keep-going", false, "FROM: "+keepGoingHelp)
	f.BoolVar(&o.Force, "force", false, "TO: write over a file that exists")
	f.Float64Var(&o.Rate, "rate", 0, "TO: rows a second at the most (default: no limit)")
	f.DurationVar(&o.TargetP99, "target-p99", 0, "TO: slow down when the 99th percentile of small reads on the nodes rises above this (default: watch the scan's own latency alone)")
	f.Var(&o.MaxBytesPerSec, "max-bytes-per-sec", "bytes a second at the most (default: no limit)")
	f.IntVar(&o.MaxAttempts, "maxattempts", pace.DefaultAttempts, "attempts for a request")
	addPatience(f, &o.Patience)
	o.Memory = defaultMemory
	f.Var(&o.Memory, "memory", "memory to use at the most")
	f.StringVar(&o.RunDir, "run-dir", "", "folder for the journal, from which a run that was stopped goes on (default: as that of load or scan)")
	f.BoolVar(&o.NoJournal, "no-journal", false, "keep no journal: a run that was stopped begins anew")
	o.connectOptions.AddFlags(f, "", "by default "+writeConsistency+" for FROM and "+readConsistency+" for TO")
}

// The flags of copy that are no flags of what it runs.
var copyAlone = []string{"explain", "keyspace", "config", "help"}
