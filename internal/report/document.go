// Package report describes what a command reports at its end: one document. The option --json
// prints it as it is, and a terminal shows at most six lines that are made from it.
//
// Start with [Document]. The functions named after operations convert the operations' reports to
// documents. The schema of documents is docs/report.schema.json.
package report

import (
	"time"

	"github.com/cqlbulk/cqlbulk/internal/filesum"
	"github.com/cqlbulk/cqlbulk/internal/progress"
	"github.com/cqlbulk/cqlbulk/internal/version"
)

// Version is that of the documents. It changes when a member goes or means something else,
// and not when one is added.
const Version = 1

// Document is the result of a command. Of Load, Scan, Count, Clone, Plan, Status, Runs, Prune,
// Verify, Doctor, Inspect, Report and Settings, the field of the command that ran is set. If the
// command failed before it had a report, all are nil.
type Document struct {
	Version int          `json:"version" jsonschema:"version of this form: 1"`
	Command string       `json:"command" jsonschema:"as it was typed: scan, load, resume, ..."`
	Program string       `json:"program" jsonschema:"version of cqlbulk"`
	Build   version.Info `json:"build" jsonschema:"what it was built of"`
	Outcome string       `json:"outcome" jsonschema:"done, partly, interrupted, failed, refused: nothing was done, or dry run: nothing was written"`
	Exit    int          `json:"exit" jsonschema:"exit status"`
	Error   string       `json:"error,omitempty" jsonschema:"why it failed"`
	Next    *Next        `json:"next,omitempty" jsonschema:"what to do next"`

	Load   *Load   `json:"load,omitempty" jsonschema:"of load, and of resume, retry and copy of one"`
	Scan   *Scan   `json:"scan,omitempty" jsonschema:"of scan, and of resume, retry and copy of one"`
	Count  *Count  `json:"count,omitempty"`
	Clone  *Clone  `json:"clone,omitempty"`
	Plan   *Plan   `json:"plan,omitempty"`
	Status *Status `json:"status,omitempty"`
	Runs   *Runs   `json:"runs,omitempty" jsonschema:"of status without a run directory"`
	Prune  *Prune  `json:"prune,omitempty"`
	Verify *Verify `json:"verify,omitempty"`
	Doctor *Doctor `json:"doctor,omitempty" jsonschema:"of doctor, and of load and scan with --check"`

	Inspect *Inspect `json:"inspect,omitempty"`
	Report  *Page    `json:"report,omitempty" jsonschema:"of report"`

	Settings []Setting `json:"settings,omitempty" jsonschema:"of config show"`
}

// Next is a command that continues from here.
type Next struct {
	Command string `json:"command" jsonschema:"resume, retry, status, or load, which loads all inputs from the start"`
	RunDir  string `json:"run_dir"`
	Line    string `json:"line" jsonschema:"as it is typed into a shell"`
	// Edit are files of rejected rows.
	Edit []string `json:"edit,omitempty" jsonschema:"files of rejected rows to edit before it: no option of cqlbulk reads them as they are"`
}

// ServerWarning is a warning that nodes sent with answers, of tombstones or large batches.
type ServerWarning struct {
	Text  string `json:"text" jsonschema:"of the first"`
	Times int64  `json:"times" jsonschema:"how many were sent that differ from it at most in numbers and values"`
}

// Run is what all runs over a table have.
type Run struct {
	Table          string            `json:"table" jsonschema:"keyspace.table"`
	Started        time.Time         `json:"started"`
	Seconds        float64           `json:"seconds"`
	EarlierSeconds float64           `json:"earlier_seconds,omitempty" jsonschema:"that earlier processes of the run took; not in seconds"`
	Rows           int64             `json:"rows" jsonschema:"written to the output, acknowledged by the cluster, or counted; those of an earlier run among them"`
	EarlierRows    int64             `json:"earlier_rows" jsonschema:"of those, by the run that this one resumed"`
	RowsPerSecond  float64           `json:"rows_per_second" jsonschema:"of this run alone"`
	Bytes          int64             `json:"bytes" jsonschema:"of text written or read; those of an earlier run among them"`
	EarlierBytes   int64             `json:"earlier_bytes"`
	BytesPerSecond float64           `json:"bytes_per_second" jsonschema:"of this run alone"`
	Retries        int64             `json:"retries" jsonschema:"requests sent again"`
	RetryReasons   []progress.Reason `json:"retry_reasons" jsonschema:"why they were, the most frequent first"`
	Warnings       []ServerWarning   `json:"server_warnings,omitempty" jsonschema:"that nodes sent with answers, the most frequent first; absent if there were none"`
	Requests       int64             `json:"requests" jsonschema:"of this run that were answered; 0 for a run by streaming"`
	P50Seconds     float64           `json:"p50_seconds,omitempty" jsonschema:"of their latency; absent if none was measured"`
	P99Seconds     float64           `json:"p99_seconds,omitempty"`
	Target         *Target           `json:"target,omitempty" jsonschema:"that small reads on the nodes were kept to"`
	Consistency    string            `json:"consistency,omitempty" jsonschema:"level of the requests; absent for a load by streaming"`
	Frames         string            `json:"frame_compression,omitempty" jsonschema:"of CQL frames: lz4, if those of any node were compressed, or none; absent without a cluster"`
	Replicated     bool              `json:"replicated" jsonschema:"a row has several replicas, so that the level matters"`
	SSTables       int               `json:"sstables" jsonschema:"that were read from folders"`
	Snapshots      []string          `json:"snapshots" jsonschema:"that those are of"`
}

// Target is how --target-p99 was kept, second by second.
type Target struct {
	P99Seconds   float64   `json:"p99_seconds" jsonschema:"the target"`
	IdleSeconds  float64   `json:"idle_p99_seconds" jsonschema:"before the first request; 0: not known"`
	Seconds      int       `json:"seconds" jsonschema:"of the run"`
	Above        int       `json:"seconds_above" jsonschema:"of those, with a p99 above the target"`
	ShareAbove   float64   `json:"share_above" jsonschema:"seconds_above of seconds, 0 to 1"`
	WorstSeconds float64   `json:"worst_p99_seconds" jsonschema:"p99 of the worst second"`
	WorstAt      time.Time `json:"worst_at,omitzero" jsonschema:"when that second began"`
}

// Load is what became of a load. Its numbers are of all rows, those of an earlier run
// among them.
type Load struct {
	Run
	Recorded    int64      `json:"rows_recorded" jsonschema:"of rows, those that the journal in the run directory records: a resume writes the others again"`
	Read        int64      `json:"rows_read"`
	Rejected    int64      `json:"rows_rejected"`
	ParseErrors int64      `json:"parse_errors" jsonschema:"of those rejected, that could not be read"`
	DatesApart  int64      `json:"rejected_dates_of_another_order" jsonschema:"of those rejected by this run, dates that only another order of day, month and year can read: other rows may have wrong days"`
	OtherUnits  int64      `json:"timestamps_of_another_unit" jsonschema:"of those read by this run, values that seem to be in another unit than others of their column, or dates without separators"`
	InDoubt     int64      `json:"rows_in_doubt" jsonschema:"that may have been written"`
	Existing    int64      `json:"rows_existing" jsonschema:"that were not written, as there was one of their key, or as the condition of the statement was not met"`
	LeftInDoubt int64      `json:"rows_left_in_doubt" jsonschema:"of the run that was retried, that were not written again"`
	Checksum    string     `json:"checksum" jsonschema:"of the rows that were acknowledged; empty of a dry run, and of statements"`
	DryRun      bool       `json:"dry_run" jsonschema:"nothing was written: what would be stands in the would_ members, and rows, rows_rejected and requests are 0"`
	WouldLoad   int64      `json:"would_load" jsonschema:"of a dry run: rows"`
	WouldReject int64      `json:"would_reject" jsonschema:"of a dry run: rows"`
	WouldSend   int64      `json:"would_send" jsonschema:"of a dry run: requests"`
	WouldStream *Stream    `json:"would_stream,omitempty" jsonschema:"of a dry run: rows that would be streamed"`
	IfNotExists bool       `json:"if_not_exists"`
	Statement   string     `json:"statement,omitempty" jsonschema:"INSERT, UPDATE or DELETE: a statement was run for each row"`
	Delete      bool       `json:"delete,omitempty" jsonschema:"rows were deleted by their primary keys, whether they existed or not"`
	Conditional bool       `json:"conditional,omitempty" jsonschema:"rows were written on a condition"`
	CountsTwice bool       `json:"counts_twice,omitempty" jsonschema:"a row that is written twice counts twice: a resume does not write rows again that were under way"`
	Explained   *Explained `json:"explained,omitempty" jsonschema:"of a dry run: what would be done"`
	Changed     []Change   `json:"changed_settings,omitempty" jsonschema:"how text is read otherwise than the run was begun with"`
	Stream      *Stream    `json:"stream,omitempty" jsonschema:"of rows that were streamed"`
	Causes      []Cause    `json:"causes" jsonschema:"of rejects, the most frequent first"`
	RejectFiles []string   `json:"reject_files" jsonschema:"with the rows themselves"`
	NotApplied  []string   `json:"not_applied_files,omitempty" jsonschema:"with the rows that were not applied, because their condition did not hold"`
	ReasonsFile string     `json:"reasons_file,omitempty" jsonschema:"with the reason of each"`
	Limit       string     `json:"limit,omitempty" jsonschema:"on errors, that the load was stopped by: parse or insert"`
	RunDir      string     `json:"run_dir,omitempty" jsonschema:"that was left"`
	StartOver   bool       `json:"begins_anew,omitempty" jsonschema:"it was interrupted before anything was written: run the same command again"`
}

// RunDir is the run directory that was left; empty: none.
func (d *Document) RunDir() string {
	switch {
	case d.Load != nil:
		return d.Load.RunDir
	case d.Scan != nil:
		return d.Scan.RunDir
	default:
		return ""
	}
}

// Change is a setting that is not what it was when a run began.
type Change struct {
	Name string   `json:"name"`
	Was  []string `json:"was,omitempty" jsonschema:"its value, or the elements of a list"`
	Now  []string `json:"now"`
}

// Stream is what was streamed to nodes, or is in a folder for them.
type Stream struct {
	Partitions int64           `json:"partitions" jsonschema:"one with rows in several slices of a load counts in each of them"`
	Bytes      int64           `json:"bytes"`
	Files      int64           `json:"files" jsonschema:"that nodes have, or SSTables in the folder"`
	Slices     int64           `json:"slices"`
	Whole      bool            `json:"whole" jsonschema:"SSTables were sent whole, or kept"`
	Nodes      int             `json:"nodes" jsonschema:"that have some of it"`
	Dir        string          `json:"dir,omitempty" jsonschema:"folder that SSTables are in"`
	Import     string          `json:"import,omitempty" jsonschema:"file of commands that import them; empty: they are not whole"`
	Imports    []Import        `json:"imports,omitempty" jsonschema:"what became of those of each node"`
	Compaction *CompactionLeft `json:"compaction,omitempty" jsonschema:"what is left to the nodes"`
}

// Import is what became of a node's SSTables.
type Import struct {
	Node     string `json:"node"`
	SSTables int    `json:"sstables"`
	Error    string `json:"error,omitempty"`
	Command  string `json:"command,omitempty" jsonschema:"to be run on the node"`
}

// CompactionLeft is what nodes reported about their compaction.
type CompactionLeft struct {
	Nodes   int   `json:"nodes" jsonschema:"that reported"`
	Active  int   `json:"active" jsonschema:"tasks of all tables"`
	Pending int   `json:"pending"`
	Bytes   int64 `json:"bytes" jsonschema:"of the table, that tasks under way have yet to read"`
}

// Explained is what a load would do with its inputs.
type Explained struct {
	Inputs []ExplainedInput `json:"inputs" jsonschema:"of different fields, the first of each, and no more than ten"`
	Others int              `json:"others" jsonschema:"inputs that are like none of those"`
	Way    string           `json:"way" jsonschema:"how rows would go into the table"`
	Nulls  []string         `json:"nulls" jsonschema:"texts that stand for null, besides nothing between the delimiters"`
	Delete bool             `json:"nulls_delete" jsonschema:"a null deletes what is there"`
}

// ExplainedInput is what becomes of the fields of an input.
type ExplainedInput struct {
	Name    string     `json:"name"`
	Like    int        `json:"like" jsonschema:"further inputs of the same fields"`
	Fields  []FieldUse `json:"fields" jsonschema:"of JSON: members that an object may have"`
	Missing []string   `json:"missing" jsonschema:"columns that no field is of"`
}

// FieldUse is what becomes of a field.
type FieldUse struct {
	Field  string `json:"field"`
	Column string `json:"column,omitempty" jsonschema:"that it goes to, or time of one, as ttl(c); empty: it is not loaded"`
	Type   string `json:"type,omitempty" jsonschema:"of the column, as CQL has it"`
	Kind   string `json:"kind,omitempty" jsonschema:"of the column: partition key, clustering, static or regular"`
}

// Cause is why rows were rejected, with the first of them.
type Cause struct {
	Rows   int64  `json:"rows"`
	File   string `json:"file"`
	Line   int64  `json:"line"`
	Column string `json:"column,omitempty"`
	Value  string `json:"value,omitempty"`
	Reason string `json:"reason"`
}

// Scan is what became of a scan.
type Scan struct {
	Run
	Keys       *Keys         `json:"keys,omitempty" jsonschema:"that were read, of an output that has its name; absent if the whole table was"`
	Ranges     int           `json:"ranges" jsonschema:"token ranges that this run read"`
	Failed     []FailedRange `json:"failed_ranges"`
	Seed       uint64        `json:"seed" jsonschema:"of the order of ranges"`
	Checksum   string        `json:"checksum" jsonschema:"of all rows in the output"`
	Whole      bool          `json:"whole" jsonschema:"the output has its name, and --limit did not end the scan"`
	Limited    bool          `json:"limited,omitempty" jsonschema:"--limit ended the scan: the table may have more rows"`
	Files      []File        `json:"files" jsonschema:"of an output that has its name; none of the standard output"`
	Unfinished []string      `json:"unfinished" jsonschema:"files to which a resumed scan can append"`
	Output     string        `json:"output,omitempty" jsonschema:"file or folder that was written to"`
	Manifest   string        `json:"manifest,omitempty"`
	RunDir     string        `json:"run_dir,omitempty" jsonschema:"that was left"`
}

// Keys are the keys of a scan that read no whole table.
type Keys struct {
	Keys        int64    `json:"keys" jsonschema:"number of keys, each counted once"`
	Redundant   int64    `json:"redundant" jsonschema:"number of keys left out: they came twice, or a shorter key has their rows"`
	Rejected    int64    `json:"rejected" jsonschema:"number of lines that are no keys"`
	Missing     int64    `json:"missing" jsonschema:"number of keys without a row"`
	NotRead     int64    `json:"not_read" jsonschema:"number of keys in token ranges that failed"`
	MissingFile string   `json:"missing_file,omitempty" jsonschema:"file with the keys without a row"`
	RejectFiles []string `json:"reject_files" jsonschema:"files with the lines that are no keys, if this run read them"`
	ReasonsFile string   `json:"reasons_file,omitempty" jsonschema:"file with the reason for each of those lines"`
}

// File is a file of an output.
type File struct {
	Name  string `json:"name"`
	Rows  int64  `json:"rows"`
	Bytes int64  `json:"bytes" jsonschema:"as stored"`
	filesum.Sum
}

// FailedRange is a token range that could not be read: after start, up to end.
type FailedRange struct {
	Start string `json:"start,omitempty" jsonschema:"empty: the table was read as one range"`
	End   string `json:"end,omitempty"`
	Error string `json:"error"`
}

// Count is what was counted.
type Count struct {
	Run
	Ranges     int             `json:"ranges" jsonschema:"token ranges that were counted"`
	Failed     []FailedRange   `json:"failed_ranges"`
	Hosts      []HostRows      `json:"hosts,omitempty" jsonschema:"with --by host"`
	Vnodes     []RangeRows     `json:"vnodes,omitempty" jsonschema:"with --by range"`
	Partitions []PartitionRows `json:"partitions,omitempty" jsonschema:"with --by partition, the largest first"`
}

// HostRows are the rows in ranges that a node owns.
type HostRows struct {
	Address string `json:"address" jsonschema:"empty: of no node of the data center"`
	Rows    int64  `json:"rows"`
}

// RangeRows are the rows of a vnode range.
type RangeRows struct {
	Start string `json:"start,omitempty"`
	End   string `json:"end,omitempty"`
	Rows  int64  `json:"rows"`
}

// PartitionRows are the rows of a partition.
type PartitionRows struct {
	Key  []string `json:"key" jsonschema:"the text of its columns, as in a scan"`
	Rows int64    `json:"rows"`
}

// Clone is what became of a clone.
type Clone struct {
	Run
	Ranges int           `json:"ranges" jsonschema:"token ranges that were cloned"`
	Failed []FailedRange `json:"failed_ranges"`
	DryRun bool          `json:"dry_run" jsonschema:"nothing was written, and rows is 0"`
	Stream *Stream       `json:"stream,omitempty"`

	WouldClone  int64   `json:"would_clone" jsonschema:"of a dry run: rows"`
	WouldStream *Stream `json:"would_stream,omitempty" jsonschema:"of a dry run"`
}
