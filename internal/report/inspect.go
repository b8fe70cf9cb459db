package report

import (
	"fmt"
	"strings"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/inspect"
	"github.com/cqlbulk/cqlbulk/pkg/sstable"
	"github.com/cqlbulk/cqlbulk/pkg/sstable/component"
)

// Inspect is what SSTables hold. inspect --format json shows it alone.
type Inspect struct {
	SSTables []SSTable        `json:"sstables"`
	Sum      SSTableSum       `json:"sum"`
	Failures []SSTableFailure `json:"failures" jsonschema:"SSTables that could not be read"`
}

// SSTable is what the components of an SSTable say about it.
type SSTable struct {
	Path              string             `json:"path" jsonschema:"of its Data.db"`
	Version           string             `json:"version"`
	Format            string             `json:"format"`
	Partitioner       string             `json:"partitioner"`
	Columns           []SSTableColumn    `json:"columns"`
	Partitions        int64              `json:"partitions"`
	Rows              int64              `json:"rows" jsonschema:"deleted ones among them"`
	ColumnsSet        int64              `json:"columns_set" jsonschema:"over all rows; a collection is one"`
	Bytes             int64              `json:"bytes" jsonschema:"of Data.db, not compressed"`
	DataBytes         int64              `json:"data_bytes" jsonschema:"of Data.db as it is"`
	FileBytes         int64              `json:"file_bytes" jsonschema:"of all components"`
	Compressor        string             `json:"compressor" jsonschema:"empty: none"`
	ChunkLength       int                `json:"chunk_length"`
	First             *SSTableKey        `json:"first,omitempty"`
	Last              *SSTableKey        `json:"last,omitempty"`
	MinTimestamp      SSTableTime        `json:"min_timestamp"`
	MaxTimestamp      SSTableTime        `json:"max_timestamp"`
	MinTTL            int32              `json:"min_ttl"`
	MaxTTL            int32              `json:"max_ttl"`
	MinDeletion       *SSTableTime       `json:"min_local_deletion_time" jsonschema:"null: none is deleted or expires"`
	MaxDeletion       *SSTableTime       `json:"max_local_deletion_time" jsonschema:"null: some are not deleted and do not expire"`
	Tombstones        int64              `json:"tombstones" jsonschema:"deletions and expiries"`
	Ready             int64              `json:"tombstones_past" jsonschema:"of those, that compaction may drop by now but for gc_grace_seconds"`
	Drops             []SSTableDrop      `json:"tombstone_drop_times"`
	Level             int32              `json:"level"`
	RepairedAt        *SSTableTime       `json:"repaired_at" jsonschema:"null: never"`
	PendingRepair     string             `json:"pending_repair,omitempty"`
	Host              string             `json:"originating_host,omitempty"`
	FilterChance      float64            `json:"bloom_filter_fp_chance"`
	LargestPartitions []SSTablePartition `json:"largest_partitions,omitempty" jsonschema:"with --largest, the largest first"`
}

// SSTableColumn is a column of an SSTable.
type SSTableColumn struct {
	Name string `json:"name,omitempty" jsonschema:"empty for key columns: a file does not have their names"`
	Type string `json:"type"`
	Kind string `json:"kind" jsonschema:"partition_key, clustering, static or regular"`
	Desc bool   `json:"desc,omitempty"`
}

// SSTableKey is the key of a partition.
type SSTableKey struct {
	Key   string `json:"key" jsonschema:"the values of its columns, with colons between"`
	Token string `json:"token,omitempty"`
}

// SSTableTime is a time as it stands in the file, and when that is.
type SSTableTime struct {
	Value int64  `json:"value"`
	Date  string `json:"date"`
}

// SSTableDrop is how many tombstones may be dropped from a time on.
type SSTableDrop struct {
	SSTableTime
	Count int64 `json:"count"`
}

// SSTablePartition is a partition.
type SSTablePartition struct {
	SSTableKey
	Bytes int64 `json:"bytes" jsonschema:"of Data.db, not compressed"`
	Rows  int64 `json:"rows"`
	Cells int64 `json:"cells"`
}

// SSTableSum adds SSTables up.
type SSTableSum struct {
	SSTables   int   `json:"sstables"`
	Partitions int64 `json:"partitions"`
	Rows       int64 `json:"rows" jsonschema:"once for each SSTable that has them"`
	ColumnsSet int64 `json:"columns_set"`
	Bytes      int64 `json:"bytes"`
	DataBytes  int64 `json:"data_bytes"`
	FileBytes  int64 `json:"file_bytes"`
}

// SSTableFailure is an SSTable that could not be read.
type SSTableFailure struct {
	Path  string `json:"path"`
	Error string `json:"error"`
}

// OfInspect makes the document of a look at SSTables.
func OfInspect(r inspect.Report) Document {
	return Document{Outcome: outcomes[r.Outcome], Inspect: &Inspect{
		SSTables: each(r.Tables, sstableOf),
		Sum:      sumOf(r.Tables),
		Failures: each(
			r.Failures,
			func(f inspect.Failure) SSTableFailure { return SSTableFailure{f.Path, f.Err.Error()} },
		),
	}}
}

// sumOf adds SSTables up.
func sumOf(tables []inspect.Table) SSTableSum {
	sum := SSTableSum{SSTables: len(tables)}
	for _, t := range tables {
		sum.Partitions += t.Partitions
		sum.Rows += t.Statistics.Stats.Rows
		sum.ColumnsSet += t.Statistics.Stats.Cells
		sum.Bytes += t.Bytes
		sum.DataBytes += t.DataBytes
		sum.FileBytes += t.FileBytes
	}
	return sum
}

// sstableOf makes the document of an SSTable.
func sstableOf(t inspect.Table) SSTable {
	stats := t.Statistics.Stats
	out := SSTable{
		Path:        t.Path,
		Version:     t.Descriptor.Version.String(),
		Format:      strings.Split(t.Descriptor.Name(""), "-")[2],
		Partitioner: t.Statistics.Partitioner,
		Columns:     columnsOf(t.Columns),
		Partitions:  t.Partitions,
		Rows:        stats.Rows,
		ColumnsSet:  stats.Cells,
		Bytes:       t.Bytes,
		DataBytes:   t.DataBytes,
		FileBytes:   t.FileBytes,
		Compressor:  t.Compression.Compressor,
		ChunkLength: t.Compression.ChunkLength,
		First:       keyOrNil(t.First),
		Last:        keyOrNil(t.Last),
		MinTimestamp: timeOf(
			stats.MinTimestamp,
			time.UnixMicro,
		),
		MaxTimestamp:  timeOf(stats.MaxTimestamp, time.UnixMicro),
		MinTTL:        stats.MinTTL,
		MaxTTL:        stats.MaxTTL,
		MinDeletion:   deletionOf(stats.MinDeletion),
		MaxDeletion:   deletionOf(stats.MaxDeletion),
		Tombstones:    t.Tombstones,
		Ready:         t.Ready,
		Drops:         []SSTableDrop{},
		Level:         stats.Level,
		FilterChance:  t.Statistics.FilterChance,
		PendingRepair: uuidText(stats.PendingRepair),
		Host:          uuidText(stats.HostID),
	}
	if stats.RepairedAt != 0 {
		at := timeOf(stats.RepairedAt, time.UnixMilli)
		out.RepairedAt = &at
	}
	for i, second := range stats.Tombstones.Seconds {
		out.Drops = append(
			out.Drops,
			SSTableDrop{timeOf(second, fromSeconds), stats.Tombstones.Counts[i]},
		)
	}
	for _, p := range t.Largest {
		out.LargestPartitions = append(
			out.LargestPartitions,
			SSTablePartition{SSTableKey{p.Text, p.Token}, p.Bytes, p.Rows, p.Cells},
		)
	}
	return out
}

func fromSeconds(s int64) time.Time { return time.Unix(s, 0) }

func timeOf(value int64, date func(int64) time.Time) SSTableTime {
	return SSTableTime{value, date(value).UTC().Format(time.RFC3339Nano)}
}

func deletionOf(second int64) *SSTableTime {
	if second == component.NoDeletion {
		return nil
	}
	t := timeOf(second, fromSeconds)
	return &t
}

func keyOrNil(k inspect.Key) *SSTableKey {
	if k == (inspect.Key{}) {
		return nil
	}
	return &SSTableKey{k.Text, k.Token}
}

func uuidText(b []byte) string {
	if len(b) != 16 {
		return ""
	}
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// columnsOf lists the columns of an SSTable.
func columnsOf(t *sstable.Table) []SSTableColumn {
	all := []SSTableColumn{}
	for _, kind := range []struct {
		name    string
		columns []sstable.Column
	}{{"partition_key", t.Key}, {"clustering", t.Clustering}, {"static", t.Statics}, {"regular", t.Regulars}} {
		for _, c := range kind.columns {
			all = append(
				all,
				SSTableColumn{Name: c.Name, Type: c.Type.String(), Kind: kind.name, Desc: c.Desc},
			)
		}
	}
	return all
}
