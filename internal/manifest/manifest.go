// Package manifest reads and writes the manifest beside a run's output. It records what was read
// from where, with which settings, and what came out, with sums to check it by.
//
// Start with [Manifest]. [Path] returns where its file is, [Write] writes it, and [Read] reads it.
// The file is one indented JSON object of the form of the types here, with the fields always in
// this order. Times are RFC 3339 in UTC. Values are plain data that nothing here changes, so
// everything is safe for concurrent use. Of two concurrent writes of one path, the later one stays.
//
// A manifest is no secret, but only its owner can read it, like the output that it describes.
// Passwords never get into it: see [Write].
package manifest

import (
	"path/filepath"
	"strings"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/filesum"
	"github.com/cqlbulk/cqlbulk/internal/store"
	"github.com/cqlbulk/cqlbulk/internal/version"
)

// Format is the version of the file's form that this package writes and reads.
const Format = 1

// Manifest is the account of one run.
type Manifest struct {
	Format      int    `json:"format"` // set by Write
	Tool        string `json:"tool"`
	ToolVersion string `json:"tool_version"`
	// Build is what the tool was built of; zero in a manifest of an older version.
	Build   version.Info `json:"build,omitzero"`
	Command string       `json:"command"` // such as scan

	Cluster     string   `json:"cluster"`
	Partitioner string   `json:"partitioner"`
	Keyspace    string   `json:"keyspace"`
	Table       string   `json:"table"`
	Columns     []Column `json:"columns"` // in the order of the output

	// Options are the settings that matter for the output, by name. After Read
	// the numbers in it are json.Number, so that none loses digits.
	Options  map[string]any `json:"options"`
	Seed     uint64         `json:"seed,string"` // of the shuffle; text, since many JSON readers keep 53 bits
	PlanHash string         `json:"plan_hash"`   // hex
	Shard    string         `json:"shard"`       // "k/n", or empty for the whole table

	Reading *Reading `json:"reading,omitempty"` // nil in a manifest of an older version

	Ranges Ranges `json:"ranges"`
	Files  []File `json:"files"` // in order of name
	Rows   int64  `json:"rows"`
	// Limited reports whether --limit ended the scan: the table may have more rows.
	Limited bool `json:"limited,omitempty"`

	Checksum *Checksum `json:"checksum,omitempty"` // nil when none was made

	Started  time.Time `json:"started"`
	Finished time.Time `json:"finished"`

	// Pace is the pace of the run's last process; nil in a manifest of an older version.
	Pace *Pace `json:"pace,omitempty"`
}

// Pace is how fast a process was.
type Pace struct {
	Seconds        float64 `json:"seconds"`                   // that it read and wrote, without those that it connected
	EarlierSeconds float64 `json:"earlier_seconds,omitempty"` // of the processes before it
	RowsPerSecond  float64 `json:"rows_per_second"`
	BytesPerSecond float64 `json:"text_bytes_per_second"`
}

// Column is a column of the output.
type Column struct {
	Name string `json:"name"`
	Kind string `json:"kind"` // partition_key, clustering, static or regular
	Type string `json:"type"` // as CQL spells it
}

// Reading is the way that the rows were read.
type Reading struct {
	Via string `json:"via"` // cql, stream or sstables
	// Replicas is the consistency level: that of requests, or the one for which enough replicas of
	// each range were read. It is empty for SSTables in folders whose nodes are not known.
	Replicas string `json:"replicas,omitempty"`
	// Now is what times to live were held against; nil where that was the servers' business.
	Now *time.Time `json:"now,omitempty"`
	// SSTables are those in folders; nil where none were read.
	SSTables *SSTables `json:"sstables,omitempty"`
}

// SSTables are those that were found in folders.
type SSTables struct {
	Snapshots []string `json:"snapshots"` // their names, in order; none of live data
	Number    int      `json:"number"`
	Sum       string   `json:"sum"` // of their names, hex: with another one they are others
	// Before is the sum of the rows of the runs that the scan continued, if any.
	Before string `json:"sum_before,omitempty"`
	// Unflushed are the files of commit logs that may have rows which no SSTable has.
	Unflushed []string `json:"unflushed,omitempty"`
}

// Ranges says how much of the ring was read.
type Ranges struct {
	Splits int     `json:"splits"` // planned
	Done   int     `json:"done"`
	Failed int     `json:"failed"`
	Lost   []Range `json:"failed_ranges"` // those that failed, one by one
}

// Range is a token range that could not be read, (start, end].
type Range struct {
	Start string `json:"start"` // a token as text: it may exceed 64 bits
	End   string `json:"end"`
	Error string `json:"error"`
}

// File is a file of the output.
type File struct {
	Name        string `json:"name"` // relative to the manifest's folder
	Rows        int64  `json:"rows"`
	TextBytes   int64  `json:"text_bytes"` // before compression, header included
	Bytes       int64  `json:"bytes"`      // as stored
	filesum.Sum        // of the stored bytes
}

// Checksum is a sum over the rows, whatever their order.
type Checksum struct {
	Definition string `json:"definition"` // such as rowsum.Version
	Value      string `json:"value"`      // hex, 32 digits
}

// The names of manifests: that of one inside a folder, and the ending of one beside a file.
const (
	FolderName = "manifest.json"
	Ending     = "." + FolderName
)

// Output returns the path of the output whose manifest is at path, as [Path] places it. For any
// other path it returns path itself.
func Output(path string) string {
	if filepath.Base(path) == FolderName {
		return filepath.Dir(path)
	}
	return strings.TrimSuffix(path, Ending)
}

// Path is where the manifest of an output stands: OUTPUT.manifest.json beside a
// file, manifest.json inside a folder.
func Path(output string, folder bool) string {
	if folder {
		return store.Join(output, FolderName)
	}
	return output + Ending
}
