package spec

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/ingest"
	"github.com/cqlbulk/cqlbulk/internal/pace"
	"github.com/cqlbulk/cqlbulk/internal/plan"
	"github.com/cqlbulk/cqlbulk/internal/run/journal"
	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/internal/spec/setting"
	"github.com/cqlbulk/cqlbulk/pkg/dsv"
)

// Load says what a load reads, and into which table it writes it.
type Load struct {
	Connection
	TableName
	Text
	Dialect Dialect
	Inputs  []string // files, folders, patterns, "@" and a list of those, "-" for the standard input
	Named   []string // of a run with many inputs: the words that they were found by; nil: Inputs

	// INSERT, UPDATE or DELETE that is run for each row; empty: rows are inserted
	Query string
	// Delete deletes the rows whose primary keys the inputs have; their other columns are skipped.
	Delete bool
	// DeleteBy are the partition key columns, and clustering columns from the first on. All rows
	// with the values that the inputs have for these are deleted.
	DeleteBy []string

	Format   string            // csv, tsv or json; empty: as the first file's name ends, else csv
	Map      map[string]string // columns of fields that have other names
	SkipCols []string          // fields that are not loaded
	SkipRows int64             // rows to pass over, of all inputs together
	MaxRows  int64             // rows to load after those; -1: all
	Nulls    []string          // texts that stand for null, besides nothing between the delimiters

	NullState string          // what a null field does: unset or tombstone
	TTL       setting.Seconds // after which the rows expire; 0: as the table says
	// write time of all rows; empty: now, and a microsecond later for each
	Timestamp string
	// PreserveTimes requires a write time of each value, as scan --preserve-times writes it
	PreserveTimes bool
	IfNotExists   bool // write a row only where there is none of its key

	Writing
	// file of CQL that describes the table, where no cluster is asked
	Schema string
	Ring   string // file that describes that cluster; empty: it is not known
	// bytes of rows that are streamed, and completed, before the next are sorted; 0:
	// stream.Options.DefaultSlice
	Slice             setting.Size
	AppendCollections bool // add to collections that are not frozen, by streaming

	IngestRate   float64       // at most, in rows a second; 0: no limit
	TargetP99    time.Duration // of small reads on the nodes, to slow down for; 0: none
	MinBatchSize int           // rows from which a batch does not wait for more
	MaxBatchSize int           // at most, in rows
	InFlight     int           // at most, in requests under way; 0: by the cluster's cores
	Cores        int           // of each node; 0: what it reports
	MaxAttempts  int           // for a request before its rows are rejected

	MaxParseErrors  setting.RowLimit // rows that may fail to parse before the load stops
	MaxInsertErrors setting.RowLimit // rows that the cluster may refuse before the load stops
	KeepGoing       bool             // do not stop if nearly every row is rejected

	RunDir        string // empty: named after the table and the time, in the working directory
	NoJournal     bool
	RepeatInDoubt bool          // write rows again that may have been written and count twice
	RejectsOf     string        // the run directory whose rejects the inputs are
	Given         setting.Given // never nil
}

// NewLoad has the defaults.
func NewLoad() *Load {
	return &Load{
		Connection: NewConnection(
			WriteConsistency,
		),
		Text:            newText(),
		Dialect:         NewDialect(),
		MaxRows:         -1,
		NullState:       "unset",
		Writing:         NewWriting(ViaCQL, ViaStream, ViaFiles),
		MinBatchSize:    10,
		MaxBatchSize:    100,
		MaxAttempts:     pace.DefaultAttempts,
		MaxParseErrors:  setting.NoRowLimit,
		MaxInsertErrors: setting.NoRowLimit,
		Given:           setting.Given{},
	}
}

// nullStates are what a null field does.
var nullStates = []string{"unset", NullTombstone}

// NullTombstone has a null field delete what is there.
const NullTombstone = "tombstone"

// Settings names the fields.
func (o *Load) Settings() setting.List {
	return slices.Concat(setting.List{
		{Name: "query", Field: &o.Query},
		{Name: "delete", Field: &o.Delete},
		{Name: "delete-by", Field: &o.DeleteBy},
		{Name: "format", Field: &o.Format, Among: formats},
		{Name: "map", Field: &o.Map},
		{Name: "skipcols", Field: &o.SkipCols},
		{Name: "skiprows", Field: &o.SkipRows},
		{Name: "maxrows", Field: &o.MaxRows},
		{Name: "null-string", Field: &o.Nulls},
		{Name: "nulls", Field: &o.NullState, Among: nullStates},
		{Name: "ttl", Field: &o.TTL},
		{Name: "timestamp", Field: &o.Timestamp},
		{Name: "preserve-times", Field: &o.PreserveTimes},
		{Name: "if-not-exists", Field: &o.IfNotExists},
		{Name: "schema", Field: &o.Schema, Use: setting.Path},
		{Name: "ring", Field: &o.Ring, Use: setting.Path},
		{Name: "slice", Field: &o.Slice},
		{Name: "append-collections", Field: &o.AppendCollections},
		{Name: "ingestrate", Field: &o.IngestRate},
		{Name: "target-p99", Field: &o.TargetP99},
		{Name: "minbatchsize", Field: &o.MinBatchSize},
		{Name: "maxbatchsize", Field: &o.MaxBatchSize},
		{Name: "inflight", Field: &o.InFlight},
		{Name: "cores", Field: &o.Cores},
		{Name: "maxattempts", Field: &o.MaxAttempts},
		{Name: "maxparseerrors", Field: &o.MaxParseErrors},
		{Name: "maxinserterrors", Field: &o.MaxInsertErrors},
		{Name: "keep-going", Field: &o.KeepGoing},
		{Name: "run-dir", Field: &o.RunDir, Use: setting.Private},
		{Name: "no-journal", Field: &o.NoJournal},
		{Name: "repeat-in-doubt", Field: &o.RepeatInDoubt, Use: setting.Private},
		{Name: "rejects-of", Field: &o.RejectsOf},
	}, o.Writing.settings(), o.Text.settings(), o.Dialect.settings(), o.Connection.settings())
}

// Journaled says whether the load keeps a journal.
func (o *Load) Journaled() bool { return !o.NoJournal && !o.DryRun }

// CheckCounters refuses settings that a table of counters does not know. recorded means that the
// settings are those of the record of a run.
func (o *Load) CheckCounters(t *schema.Table, recorded bool) error {
	recorded = recorded || o.RejectsOf != ""
	switch {
	case !t.IsCounter():
		return nil
	case o.IfNotExists:
		return fmt.Errorf("--if-not-exists: %s has counters, which know no such condition", t)
	case o.TTL > 0:
		return fmt.Errorf("--ttl: %s has counters, which do not expire", t)
	case o.Timestamp != "":
		return fmt.Errorf("--timestamp: %s has counters, whose timestamps are the nodes' own", t)
	case o.Given["nulls"] && o.NullState == NullTombstone && !recorded:
		return fmt.Errorf(
			"--nulls %s: %s has counters, which a null leaves unchanged",
			NullTombstone,
			t,
		)
	default:
		return nil
	}
}

// recordShare is the part of the memory that one record may take. By default the largest mutation
// of the servers, 16 MiB, fits in hexadecimal.
const recordShare = 4

// MaxRecord returns the largest size of a record in bytes.
func (o *Load) MaxRecord() int { return int(o.Memory / recordShare) }

// Planning is the plan of a load: the ring is wanted, and not its parts.
func (o *Load) Planning() Planning {
	return Planning{Cores: o.Cores, Smudge: plan.DefaultSmudge, Splits: 1}
}

// Check validates what is not validated elsewhere.
func (o *Load) Check(continued bool) error {
	switch {
	case !(o.IngestRate >= 0):
		return fmt.Errorf("--ingestrate %g: must not be negative", o.IngestRate)
	case o.TargetP99 < 0:
		return fmt.Errorf("--target-p99 %s: must not be negative", o.TargetP99)
	case !slices.Contains(nullStates, o.NullState):
		return fmt.Errorf("--nulls %q: must be %s", o.NullState, strings.Join(nullStates, " or "))
	case o.TTL < 0 || o.TTL > ingest.MaxTTL:
		return fmt.Errorf("--ttl %d: must be from 0 to %d seconds", o.TTL, ingest.MaxTTL)
	case o.IfNotExists && o.Timestamp != "":
		return errors.New(
			"--timestamp and --if-not-exists: a lightweight transaction has a timestamp of the cluster's",
		)
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
	if err := refuseURLs(o.Settings(), o.RunDir, nil); err != nil {
		return err
	}
	if err := o.Writing.check(); err != nil {
		return err
	}
	if err := o.checkVia(continued); err != nil {
		return err
	}
	if err := o.checkQuery(); err != nil {
		return err
	}
	if !continued {
		if err := o.checkWriteTime(); err != nil {
			return err
		}
	}
	if o.PreserveTimes && (o.Query != "" || o.Deletes() || o.IfNotExists) {
		return errors.New(
			"--preserve-times: the times are those of rows that are inserted, without a condition",
		)
	}
	if o.PreserveTimes && o.NullState == NullTombstone {
		return errors.New(
			"--preserve-times and --nulls tombstone: a null has no write time, so that it would delete " +
				"what was written since",
		)
	}
	if err := o.checkDelete(); err != nil {
		return err
	}
	if err := o.CheckOrder(); err != nil {
		return err
	}
	if _, err := o.Latin1(); err != nil {
		return err
	}
	if !continued && o.RejectsOf == "" {
		if mistake, sure := o.WriteTimeMistake(); sure {
			return fmt.Errorf("--timestamp %s: %s", o.Timestamp, mistake)
		}
	}
	if o.RunDir == "" || continued {
		return nil
	}
	if entries, err := os.ReadDir(o.RunDir); err == nil && !journal.Unused(entries) {
		return fmt.Errorf(
			"--run-dir %s: the folder is not empty: each run needs one of its own",
			o.RunDir,
		)
	}
	return nil
}

// With returns the spec with settings that count as given.
func (o Load) With(more map[string][]string) (Load, error) {
	o.Given = maps.Clone(o.Given)
	for name, texts := range more {
		if err := o.Settings().Set(name, texts...); err != nil {
			return o, err
		}
		o.Given[name] = true
	}
	return o, nil
}

// Offline says whether the table is described by files, and no cluster is connected to.
func (o *Load) Offline() bool { return o.Schema != "" }

// checkOffline refuses settings that mean nothing where no cluster is connected to.
func (o *Load) checkOffline(continued bool) error {
	switch {
	case o.Ring != "" && !o.Offline():
		return errors.New("--ring requires --schema, which has a load go without the cluster")
	case !o.Offline():
		return nil
	case o.Via != ViaFiles:
		return fmt.Errorf("--schema requires --via %s", ViaFiles)
	case o.Import:
		return errors.New("--import: means nothing with --schema, which connects to no cluster: " +
			"nodes that have joined or left since would not be seen; run the commands of import.txt")
	case continued || o.RejectsOf != "":
		return nil // what the run recorded counts as given
	}
	names := []string{"listen", "assume-stable"}
	for _, s := range o.Connection.settings() {
		names = append(names, s.Name)
	}
	for _, name := range names {
		if o.Given[name] && name != ConsistencyFlag {
			return fmt.Errorf(
				"--%s: means nothing with --schema, which connects to no cluster",
				name,
			)
		}
	}
	return nil
}

// ChooseFormat finds the form of the inputs, by the first one's name where it is
// not given, and its delimiters.
func (o *Load) ChooseFormat(first string) (dsv.Format, error) {
	if err := ChooseFormat(&o.Format, first); err != nil {
		return dsv.Format{}, err
	}
	var err error
	if o.Given, err = usePreset(
		&o.Dialect.Name,
		o.Format,
		o.Settings(),
		NewLoad().Settings(),
		o.Given,
	); err != nil {
		return dsv.Format{}, err
	}
	if o.ColumnOrder != "" && o.Format == "json" {
		return dsv.Format{}, errors.New(
			"--column-order: the members of an object have names, and no order",
		)
	}
	return o.Delimited(o.Format, o.Given)
}
