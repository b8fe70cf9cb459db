package report

import (
	"time"

	"github.com/cqlbulk/cqlbulk/internal/progress"
)

// Plan is what a scan would do.
type Plan struct {
	Table       string            `json:"table"`
	Statement   string            `json:"statement" jsonschema:"of each request"`
	Cluster     string            `json:"cluster"`
	Partitioner string            `json:"partitioner"`
	DC          string            `json:"dc" jsonschema:"data center that is read from"`
	DCs         []string          `json:"dcs"`
	Replication map[string]string `json:"replication"`
	Serial      string            `json:"serial,omitempty" jsonschema:"why the table is read as one range"`
	Parallel    int               `json:"parallel" jsonschema:"requests under way, at most (N)"`
	Asked       bool              `json:"parallel_asked" jsonschema:"the user asked for this number; otherwise it is the cores of the data center times smudge"`
	Smudge      int               `json:"smudge" jsonschema:"requests for each core"`
	Splits      int               `json:"splits" jsonschema:"token ranges (M)"`
	Finest      int               `json:"splits_if_large,omitempty" jsonschema:"about how many they are cut into if the table turns out to be large; absent where they are not cut"`
	Vnodes      int               `json:"vnodes" jsonschema:"ranges that they are cut from"`
	Seed        uint64            `json:"seed"`
	Partitions  int64             `json:"partitions" jsonschema:"as the nodes estimate"`
	Bytes       int64             `json:"bytes" jsonschema:"as the nodes estimate"`
	ByCQL       float64           `json:"expected_cql_seconds" jsonschema:"that a scan by CQL may take, a guess; 0: not known"`
	Streamed    float64           `json:"expected_streaming_seconds" jsonschema:"that a scan by streaming may take, a guess; 0: not known"`
	Faster      string            `json:"expected_faster,omitempty" jsonschema:"CQL or streaming; absent where that is not known, or makes no great difference"`
	NodeLimit   int64             `json:"node_stream_limit" jsonschema:"bytes per second that each node streams at most; 0: no limit, or not known"`
	Nodes       []PlanNode        `json:"nodes"`
	SavedRing   string            `json:"saved_ring,omitempty" jsonschema:"file that the nodes and their tokens were written to"`
}

// PlanNode is a node and its part in a scan.
type PlanNode struct {
	Address string  `json:"address"`
	DC      string  `json:"dc"`
	Rack    string  `json:"rack"`
	Version string  `json:"version"`
	Up      bool    `json:"up"`
	Cores   int     `json:"cores" jsonschema:"that it reports; 0: it does not"`
	Tokens  int     `json:"tokens"`
	Holds   float64 `json:"holds" jsonschema:"share of the ring that it has a replica of"`
	Reads   float64 `json:"reads" jsonschema:"share of the requests"`
	Bytes   int64   `json:"bytes" jsonschema:"that it estimates"`
}

// Status is what a run directory records of its run.
type Status struct {
	RunDir  string            `json:"run_dir"`
	Command string            `json:"command" jsonschema:"scan or load"`
	Table   string            `json:"table"`
	Cluster string            `json:"cluster,omitempty" jsonschema:"its name"`
	Hosts   []string          `json:"hosts,omitempty" jsonschema:"contact points, with the port where it is not 9042"`
	Program string            `json:"program" jsonschema:"that began it"`
	Started time.Time         `json:"started"`
	Pace                      // of its rows
	State   string            `json:"state" jsonschema:"running, done, partly, interrupted, failed, or killed: it came to no end"`
	PID     int               `json:"pid,omitempty" jsonschema:"process that has it under way"`
	Host    string            `json:"host,omitempty" jsonschema:"where that runs"`
	Error   string            `json:"error,omitempty" jsonschema:"why it failed"`
	Refused bool              `json:"refused,omitempty" jsonschema:"a resume would be refused: the error says what to do instead"`
	Load    *LoadStatus       `json:"load,omitempty"`
	Scan    *ScanStatus       `json:"scan,omitempty"`
	Now     *progress.Reading `json:"now,omitempty" jsonschema:"where it stands, if it is running: further than its journal"`
	Next    []Next            `json:"next" jsonschema:"what to do next"`
}

// Pace is how fast a run is, or was.
type Pace struct {
	Seen           time.Time `json:"seen" jsonschema:"when it ended, or was last heard of"`
	Share          *float64  `json:"share,omitempty" jsonschema:"of the work that is done, 0 to 1"`
	RowsPerSecond  float64   `json:"rows_per_second" jsonschema:"of now where it is running, else of its last process; 0: not known"`
	LeftSeconds    float64   `json:"left_seconds,omitempty" jsonschema:"a guess, of one that is running"`
	Seconds        float64   `json:"seconds,omitempty" jsonschema:"that its last process took; absent if that is not known"`
	EarlierSeconds float64   `json:"earlier_seconds,omitempty" jsonschema:"that the processes before it took"`
}

// Runs are the runs whose directories are in a folder.
type Runs struct {
	Folder string      `json:"folder"`
	List   []ListedRun `json:"list" jsonschema:"the newest first"`
	Hidden int         `json:"hidden" jsonschema:"older runs that are complete, which --all lists"`
}

// ListedRun is one of them.
type ListedRun struct {
	Path    string    `json:"path" jsonschema:"of its run directory, or of the manifest of its output; of a load that is done its first input"`
	Command string    `json:"command,omitempty" jsonschema:"scan or load"`
	Table   string    `json:"table,omitempty"`
	Cluster string    `json:"cluster,omitempty" jsonschema:"its name"`
	Hosts   []string  `json:"hosts,omitempty" jsonschema:"contact points, with the port where it is not 9042"`
	State   string    `json:"state" jsonschema:"running, stopped, partly, retried, complete, damaged: it cannot be read, or unreadable: this user may not read it"`
	Error   string    `json:"error,omitempty" jsonschema:"why it cannot be read, or why it failed, if a resume would be refused"`
	Started time.Time `json:"started"`
	Pace
	Rows   int64  `json:"rows" jsonschema:"written to the output, or into the table"`
	Failed int64  `json:"failed" jsonschema:"rows rejected or in doubt, or token ranges that failed"`
	Next   []Next `json:"next" jsonschema:"what to do next"`
}

// Prune is what runs that are done had left, and no longer have.
type Prune struct {
	Folder      string    `json:"folder"`
	DryRun      bool      `json:"dry_run"`
	Removed     PruneList `json:"removed"`
	WouldRemove PruneList `json:"would_remove" jsonschema:"of a dry run"`
}

// PruneList is what is removed.
type PruneList struct {
	Loads   int      `json:"loads" jsonschema:"of the history"`
	RunDirs []string `json:"run_dirs"`
}

// Setting is a setting of the command line.
type Setting struct {
	Name   string `json:"name"`
	Value  string `json:"value" jsonschema:"in force; of a secret: hidden"`
	From   string `json:"from" jsonschema:"default, file, environment, or flag"`
	Place  string `json:"place,omitempty" jsonschema:"file and line, or the variable"`
	Secret bool   `json:"secret,omitempty"`
}

// LoadStatus is how far a load is.
type LoadStatus struct {
	Inputs   int   `json:"inputs"`
	Stored   int64 `json:"input_bytes" jsonschema:"as they are stored, pipes left out"`
	Piped    bool  `json:"piped" jsonschema:"some are pipes"`
	Settled  int64 `json:"settled_bytes" jsonschema:"of text"`
	Pieces   int   `json:"settled_pieces"`
	Read     int64 `json:"rows_read" jsonschema:"as the journal records"`
	Written  int64 `json:"rows_written" jsonschema:"as the journal records"`
	Rejected int64 `json:"rows_rejected" jsonschema:"those of pieces under way among them"`
	// RejectedRecorded are those of completed pieces.
	RejectedRecorded int64  `json:"rows_rejected_recorded" jsonschema:"of those, as the journal records"`
	CountsTwice      bool   `json:"counts_twice,omitempty" jsonschema:"a row that is written twice counts twice: a resume does not write rows again that were under way"`
	InDoubt          int64  `json:"rows_in_doubt"`
	Existing         int64  `json:"rows_existing"`
	Checksum         string `json:"checksum"`
	// Acknowledged counts rows of pieces under way too.
	Acknowledged int64               `json:"rows_acknowledged,omitempty" jsonschema:"written when a load that is stopped was last heard of: a resume writes those again that rows_written lacks"`
	Begun        []OpenPiece         `json:"begun" jsonschema:"pieces of inputs under way"`
	Changed      []Change            `json:"changed_settings,omitempty" jsonschema:"how text is read otherwise than the load was begun with"`
	Retried      []string            `json:"retried" jsonschema:"files of rejects that were loaded again, or begun to be"`
	Lost         []string            `json:"lost" jsonschema:"of those, files whose load is unknown, because the run directory was removed"`
	Edited       []string            `json:"edited,omitempty" jsonschema:"of those retried, the files in which rows had been added or removed"`
	Reread       []Change            `json:"retried_with,omitempty" jsonschema:"how those were read otherwise"`
	Streams      []progress.Streamed `json:"streams" jsonschema:"what nodes were streamed"`
}

// OpenPiece is a part of an input, in bytes of text.
type OpenPiece struct {
	Path string `json:"path"`
	From int64  `json:"from"`
	To   int64  `json:"to"`
}

// ScanStatus is how far a scan is, up to its last mark.
type ScanStatus struct {
	Share     float64       `json:"share" jsonschema:"of the tokens, 0 to 1"`
	Rows      int64         `json:"rows"`
	TextBytes int64         `json:"text_bytes"`
	Checksum  string        `json:"checksum"`
	Failed    []StatusRange `json:"failed_ranges"`
	StartOver bool          `json:"anew" jsonschema:"it stopped before it began its output, and cannot be resumed"`
}

// StatusRange is a token range that could not be read.
type StatusRange struct {
	Range string `json:"range"`
	Error string `json:"error"`
}

// Verify is what a verification found.
type Verify struct {
	Started  time.Time   `json:"started"`
	Seconds  float64     `json:"seconds"`
	Files    int         `json:"files"`
	Bytes    int64       `json:"bytes" jsonschema:"read of them"`
	NoHash   bool        `json:"no_hash" jsonschema:"only sizes were checked"`
	Verdict  string      `json:"verdict,omitempty" jsonschema:"of a comparison: the same rows, different rows, or not compared"`
	Sets     []VerifySet `json:"sets"`
	Findings []string    `json:"findings" jsonschema:"what is not as stated"`
	Notes    []string    `json:"notes"`
}

// VerifySet is one scan, or the shards of one.
type VerifySet struct {
	Name     string `json:"name"`
	Rows     int64  `json:"rows"`
	Checksum string `json:"checksum,omitempty" jsonschema:"where all manifests state one"`
	Shards   int    `json:"shards" jsonschema:"that there have to be; 0: it is whole"`
	Given    int    `json:"given" jsonschema:"of them"`
}

// Doctor is what was found of a cluster, a table and inputs.
type Doctor struct {
	Table    string    `json:"table,omitempty" jsonschema:"where one was named"`
	Started  time.Time `json:"started"`
	Seconds  float64   `json:"seconds"`
	OK       int       `json:"ok" jsonschema:"findings of that state"`
	Warnings int       `json:"warnings"`
	Failures int       `json:"failures"`
	Findings []Finding `json:"findings" jsonschema:"in the order in which they are reported"`
}

// Finding is one line of what was found.
type Finding struct {
	Check string `json:"check" jsonschema:"what was checked: connection, tls, versions, schema, clock, cores, thresholds, disk space, storage port, table, replication, rights, read, streaming, inputs, encoding, delimiter, header, rows, names, dates, epoch, numbers, estimate, load or scan"`
	State string `json:"state" jsonschema:"ok, warning or failure"`
	Found string `json:"found"`
	Do    string `json:"do,omitempty" jsonschema:"what to do"`
}

// Page is what report made of a run.
type Page struct {
	Run     string `json:"run" jsonschema:"run directory or manifest that it is of"`
	Command string `json:"command" jsonschema:"scan or load"`
	Table   string `json:"table" jsonschema:"keyspace.table"`
	State   string `json:"state" jsonschema:"how the run stands, in words"`
	File    string `json:"file,omitempty" jsonschema:"empty: the standard output"`
	Bytes   int64  `json:"bytes"`
}
