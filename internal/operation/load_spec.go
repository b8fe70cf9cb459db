package operation

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/driver"
	"github.com/cqlbulk/cqlbulk/internal/ingest"
	"github.com/cqlbulk/cqlbulk/internal/operation/setting"
	"github.com/cqlbulk/cqlbulk/internal/pace"
	"github.com/cqlbulk/cqlbulk/internal/plan"
)

// LoadSpec says what a load reads, and into which table it writes it.
type LoadSpec struct {
	Connection
	TableName
	Text
	Dialect Dialect
	Inputs  []string // files, folders, patterns, and "-" for the standard input

	Format   string            // csv, tsv or json; empty: as the first file's name ends, else csv
	Map      map[string]string // columns of fields that have other names
	SkipCols []string          // fields that are not loaded
	SkipRows int64             // rows to pass over, of all inputs together
	MaxRows  int64             // rows to load after those; -1: all
	Nulls    []string          // texts that stand for null, besides nothing between the delimiters

	NullState   string // what a null field does: unset or tombstone
	TTL         int    // seconds after which the rows expire; 0: as the table says
	Timestamp   string // write time of all rows; empty: now, and a microsecond later for each
	IfNotExists bool   // write a row only where there is none of its key
	DryRun      bool   // write nothing

	Via               string       // how rows go into the table: cql, stream or sstables
	Dir               string       // folder for the SSTables, where they are not streamed
	SSTableVersion    string       // of those; empty: by the versions of the nodes
	Schema            string       // file of CQL that describes the table, where no cluster is asked
	Import            bool         // have the nodes on this host import the SSTables
	Nodetool          string       // program that they are imported by, and its first words
	Ring              string       // file that describes that cluster; empty: it is not known
	Stream            string       // form in which rows are streamed: auto, rows or whole
	Slice             setting.Size // bytes of rows that are streamed, and settled, before the next are sorted; 0: stream.Options.DefaultSlice
	TempDir           string       // for what a load by streaming sorts; empty: the run directory
	StoragePort       int          // of all nodes; 0: what they tell
	IgnoreHosts       []string     // nodes that a load by streaming leaves out
	Internode         TLS          // of the port that nodes stream to each other by
	AppendCollections bool         // add to collections that are not frozen, by streaming

	IngestRate     float64      // rows a second at the most; 0: no limit
	MaxBytesPerSec setting.Size // of values at the most; 0: no limit
	MinBatchSize   int          // rows from which a batch does not wait for more
	MaxBatchSize   int          // rows of a batch at the most
	InFlight       int          // requests under way at the most; 0: by the cluster's cores
	Cores          int          // of each node; 0: what it tells
	Memory         setting.Size // to use at the most
	MaxAttempts    int          // for a request before its rows are rejected
	Patience       time.Duration

	MaxParseErrors  int64 // rows that may fail to parse before the load stops; -1: no limit
	MaxInsertErrors int64 // rows that the cluster may refuse before it stops; -1: no limit
	KeepGoing       bool  // go on although nearly every row is rejected

	RunDir        string // empty: named after the table and the time, in the working directory
	NoJournal     bool
	RepeatInDoubt bool          // write rows again that may have been written and count twice
	RejectsOf     string        // the run directory whose rejects the inputs are
	Given         setting.Given // never nil
}

// NewLoadSpec has the defaults.
func NewLoadSpec() *LoadSpec {
	return &LoadSpec{
		Connection: newConnection(WriteConsistency), Text: newText(), Dialect: newDialect(), MaxRows: -1, NullState: "unset", Via: viaCQL, Nodetool: defaultNodetool, Stream: streamAuto, Internode: TLS{Files: driver.TLSFiles{Prefix: "internode-"}},
		MinBatchSize: 10, MaxBatchSize: 100, Memory: defaultMemory, MaxAttempts: pace.DefaultAttempts, Patience: pace.DefaultPatience,
		MaxParseErrors: -1, MaxInsertErrors: -1, Given: setting.Given{},
	}
}

// Settings names the fields.
func (o *LoadSpec) Settings() setting.List {
	return slices.Concat(setting.List{
		{Name: "format", Field: &o.Format},
		{Name: "map", Field: &o.Map},
		{Name: "skipcols", Field: &o.SkipCols},
		{Name: "skiprows", Field: &o.SkipRows},
		{Name: "maxrows", Field: &o.MaxRows},
		{Name: "null-string", Field: &o.Nulls},
		{Name: "nulls", Field: &o.NullState},
		{Name: "ttl", Field: &o.TTL},
		{Name: "timestamp", Field: &o.Timestamp},
		{Name: "if-not-exists", Field: &o.IfNotExists},
		{Name: "dry-run", Field: &o.DryRun},
		{Name: "via", Field: &o.Via},
		{Name: "dir", Field: &o.Dir, Use: setting.Path},
		{Name: "sstable-version", Field: &o.SSTableVersion},
		{Name: "schema", Field: &o.Schema, Use: setting.Path},
		{Name: "ring", Field: &o.Ring, Use: setting.Path},
		{Name: "import", Field: &o.Import},
		{Name: "nodetool", Field: &o.Nodetool},
		{Name: "stream", Field: &o.Stream},
		{Name: "slice", Field: &o.Slice},
		{Name: "temp-dir", Field: &o.TempDir, Use: setting.Path},
		{Name: "storage-port", Field: &o.StoragePort},
		{Name: "ignore-hosts", Field: &o.IgnoreHosts},
		{Name: "append-collections", Field: &o.AppendCollections},
		{Name: "ingestrate", Field: &o.IngestRate},
		{Name: "max-bytes-per-sec", Field: &o.MaxBytesPerSec},
		{Name: "minbatchsize", Field: &o.MinBatchSize},
		{Name: "maxbatchsize", Field: &o.MaxBatchSize},
		{Name: "inflight", Field: &o.InFlight},
		{Name: "cores", Field: &o.Cores},
		{Name: "memory", Field: &o.Memory},
		{Name: "maxattempts", Field: &o.MaxAttempts},
		{Name: "patience", Field: &o.Patience},
		{Name: "maxparseerrors", Field: &o.MaxParseErrors},
		{Name: "maxinserterrors", Field: &o.MaxInsertErrors},
		{Name: "keep-going", Field: &o.KeepGoing},
		{Name: "run-dir", Field: &o.RunDir, Use: setting.Private},
		{Name: "no-journal", Field: &o.NoJournal},
		{Name: "repeat-in-doubt", Field: &o.RepeatInDoubt, Use: setting.Private},
		{Name: "rejects-of", Field: &o.RejectsOf},
	}, o.Text.settings(), o.Dialect.settings(), o.Internode.settings(), o.Connection.settings())
}

// journaled says whether the load keeps a journal.
func (o *LoadSpec) journaled() bool { return !o.NoJournal && !o.DryRun }

// planning is the plan of a load: the ring is wanted, and not its parts.
func (o *LoadSpec) planning() Planning {
	return Planning{Cores: o.Cores, Smudge: plan.DefaultSmudge, Splits: 1}
}

// check validates what is not validated elsewhere.
func (o *LoadSpec) check(continued bool) error {
	switch {
	case !(o.IngestRate >= 0):
		return fmt.Errorf("--ingestrate %g: must not be negative", o.IngestRate)
	case o.NullState != "unset" && o.NullState != "tombstone":
		return fmt.Errorf("--nulls %q: must be unset or tombstone", o.NullState)
	case o.TTL < 0 || o.TTL > ingest.MaxTTL:
		return fmt.Errorf("--ttl %d: must be from 0 to %d seconds", o.TTL, ingest.MaxTTL)
	case o.IfNotExists && o.Timestamp != "":
		return errors.New("--timestamp and --if-not-exists: a lightweight transaction has a timestamp of the cluster's")
	case o.Memory < 64<<20:
		return fmt.Errorf("--memory %s: must be at least 64MiB", o.Memory.String())
	case o.MinBatchSize < 1:
		return fmt.Errorf("--minbatchsize %d: must be at least 1", o.MinBatchSize)
	case o.SkipRows < 0:
		return fmt.Errorf("--skiprows %d: must not be negative", o.SkipRows)
	case o.MaxRows < -1 || o.MaxRows == 0:
		return fmt.Errorf("--maxrows %d: must be -1 or at least 1", o.MaxRows)
	case o.MaxBatchSize < 1:
		return fmt.Errorf("--maxbatchsize %d: must be at least 1", o.MaxBatchSize)
	case o.InFlight < 0:
		return fmt.Errorf("--inflight %d: must not be negative", o.InFlight)
	}
	if err := checkAttempts(o.MaxAttempts, o.Patience); err != nil {
		return err
	}
	if err := o.checkVia(continued); err != nil {
		return err
	}
	if err := o.checkOrder(); err != nil {
		return err
	}
	if o.RunDir == "" || continued {
		return nil
	}
	if entries, err := os.ReadDir(o.RunDir); err == nil && len(entries) > 0 {
		return fmt.Errorf("--run-dir %s: the folder is not empty: each run needs one of its own", o.RunDir)
	}
	return nil
}
