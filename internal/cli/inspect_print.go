package cli

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/operation"
	"github.com/cqlbulk/cqlbulk/internal/progress/printer"
	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
	"github.com/cqlbulk/cqlbulk/pkg/sstable"
)

// inspectedJSON is an SSTable as it is shown.
type inspectedJSON struct {
	Path              string               `json:"path"`
	Version           string               `json:"version"`
	Format            string               `json:"format"`
	Partitioner       string               `json:"partitioner"`
	Columns           []inspectedColumn    `json:"columns"`
	Partitions        int64                `json:"partitions"`
	Rows              int64                `json:"rows"`
	ColumnsSet        int64                `json:"columns_set"` // over all rows; a collection is one
	Bytes             int64                `json:"bytes"`
	DataBytes         int64                `json:"data_bytes"`
	FileBytes         int64                `json:"file_bytes"`
	Compressor        string               `json:"compressor"` // empty: none
	ChunkLength       int                  `json:"chunk_length"`
	First             *inspectedKey        `json:"first,omitempty"`
	Last              *inspectedKey        `json:"last,omitempty"`
	MinTimestamp      inspectedTime        `json:"min_timestamp"`
	MaxTimestamp      inspectedTime        `json:"max_timestamp"`
	MinTTL            int32                `json:"min_ttl"`
	MaxTTL            int32                `json:"max_ttl"`
	MinDeletion       *inspectedTime       `json:"min_local_deletion_time"` // null: none is deleted or expires
	MaxDeletion       *inspectedTime       `json:"max_local_deletion_time"` // null: some are not deleted and do not expire
	Tombstones        int64                `json:"tombstones"`
	Ready             int64                `json:"tombstones_past"`
	Drops             []inspectedDrop      `json:"tombstone_drop_times"`
	Level             int32                `json:"level"`
	RepairedAt        *inspectedTime       `json:"repaired_at"` // null: never
	PendingRepair     string               `json:"pending_repair,omitempty"`
	Host              string               `json:"originating_host,omitempty"`
	FilterChance      float64              `json:"bloom_filter_fp_chance"`
	LargestPartitions []inspectedPartition `json:"largest_partitions,omitempty"`
}

type inspectedColumn struct {
	Name string `json:"name,omitempty"` // a file does not tell the names of key columns
	Type string `json:"type"`
	Kind string `json:"kind"`
	Desc bool   `json:"desc,omitempty"`
}

type inspectedKey struct {
	Key   string `json:"key"`
	Token string `json:"token,omitempty"`
}

// inspectedTime is a time as it stands in the file, and when that is.
type inspectedTime struct {
	Value int64  `json:"value"`
	Date  string `json:"date"`
}

type inspectedDrop struct {
	inspectedTime
	Count int64 `json:"count"`
}

type inspectedPartition struct {
	inspectedKey
	Bytes int64 `json:"bytes"`
	Rows  int64 `json:"rows"`
	Cells int64 `json:"cells"`
}

// inspectedSum adds SSTables up.
type inspectedSum struct {
	SSTables   int   `json:"sstables"`
	Partitions int64 `json:"partitions"`
	Rows       int64 `json:"rows"`
	ColumnsSet int64 `json:"columns_set"`
	Bytes      int64 `json:"bytes"`
	DataBytes  int64 `json:"data_bytes"`
	FileBytes  int64 `json:"file_bytes"`
}

// inspectedFailure is an SSTable that could not be read.
type inspectedFailure struct {
	Path  string `json:"path"`
	Error string `json:"error"`
}

// inspectedDocument is a whole answer.
type inspectedDocument struct {
	SSTables []inspectedJSON    `json:"sstables"`
	Sum      inspectedSum       `json:"sum"`
	Failures []inspectedFailure `json:"failures"`
}

// inspectDocument makes the answer in JSON.
func inspectDocument(r operation.InspectReport) inspectedDocument {
	d := inspectedDocument{SSTables: []inspectedJSON{}, Sum: sumOfInspected(r.Tables), Failures: []inspectedFailure{}}
	for _, t := range r.Tables {
		d.SSTables = append(d.SSTables, inspected(t))
	}
	for _, f := range r.Failures {
		d.Failures = append(d.Failures, inspectedFailure{f.Path, f.Err.Error()})
	}
	return d
}

// sumOfInspected adds SSTables up.
func sumOfInspected(tables []operation.InspectedTable) inspectedSum {
	sum := inspectedSum{SSTables: len(tables)}
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

// inspected makes what is shown of an SSTable.
func inspected(t operation.InspectedTable) inspectedJSON {
	stats := t.Statistics.Stats
	out := inspectedJSON{
		Path: t.Path, Version: t.Descriptor.Version.String(), Format: strings.Split(t.Descriptor.Name(""), "-")[2], Partitioner: t.Statistics.Partitioner, Columns: columnsOf(t.Columns),
		Partitions: t.Partitions, Rows: stats.Rows, ColumnsSet: stats.Cells, Bytes: t.Bytes, DataBytes: t.DataBytes, FileBytes: t.FileBytes,
		Compressor: t.Compression.Compressor, ChunkLength: t.Compression.ChunkLength, First: keyOrNil(t.First), Last: keyOrNil(t.Last),
		MinTimestamp: timeOf(stats.MinTimestamp, time.UnixMicro), MaxTimestamp: timeOf(stats.MaxTimestamp, time.UnixMicro),
		MinTTL: stats.MinTTL, MaxTTL: stats.MaxTTL, MinDeletion: deletionOf(stats.MinDeletion), MaxDeletion: deletionOf(stats.MaxDeletion),
		Tombstones: t.Tombstones, Ready: t.Ready, Drops: []inspectedDrop{}, Level: stats.Level, FilterChance: t.Statistics.FilterChance,
		PendingRepair: uuidText(stats.PendingRepair), Host: uuidText(stats.HostID),
	}
	if stats.RepairedAt != 0 {
		at := timeOf(stats.RepairedAt, time.UnixMilli)
		out.RepairedAt = &at
	}
	for i, second := range stats.Tombstones.Seconds {
		out.Drops = append(out.Drops, inspectedDrop{timeOf(second, fromSeconds), stats.Tombstones.Counts[i]})
	}
	for _, p := range t.Largest {
		out.LargestPartitions = append(out.LargestPartitions, inspectedPartition{inspectedKey{p.Text, p.Token}, p.Bytes, p.Rows, p.Cells})
	}
	return out
}

func fromSeconds(s int64) time.Time { return time.Unix(s, 0) }

func timeOf(value int64, date func(int64) time.Time) inspectedTime {
	return inspectedTime{value, date(value).UTC().Format(time.RFC3339Nano)}
}

func deletionOf(second int64) *inspectedTime {
	if second == sstable.NoDeletion {
		return nil
	}
	t := timeOf(second, fromSeconds)
	return &t
}

func keyOrNil(k operation.InspectedKey) *inspectedKey {
	if k == (operation.InspectedKey{}) {
		return nil
	}
	return &inspectedKey{k.Text, k.Token}
}

func uuidText(b []byte) string {
	if len(b) != 16 {
		return ""
	}
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// columnsOf lists the columns of an SSTable.
func columnsOf(t *sstable.Table) (all []inspectedColumn) {
	for _, kind := range []struct {
		name    string
		columns []sstable.Column
	}{{"partition_key", t.Key}, {"clustering", t.Clustering}, {"static", t.Statics}, {"regular", t.Regulars}} {
		for _, c := range kind.columns {
			all = append(all, inspectedColumn{Name: c.Name, Type: c.Type.String(), Kind: kind.name, Desc: c.Desc})
		}
	}
	return all
}

// printInspected writes what is shown of one SSTable, a line each.
func printInspected(w io.Writer, t inspectedJSON) {
	line := func(name, form string, args ...any) {
		fmt.Fprintf(w, "%-24s "+form+"\n", append([]any{name}, args...)...)
	}
	date := func(t *inspectedTime, none string) string {
		if t == nil {
			return none
		}
		return fmt.Sprintf("%d (%s)", t.Value, t.Date)
	}
	line("sstable", "%s", t.Path)
	line("version", "%s", t.Version)
	line("format", "%s", t.Format)
	line("partitioner", "%s", t.Partitioner)
	for _, c := range t.Columns {
		text := c.Type
		if c.Name != "" {
			text = cqltype.QuoteIdent(c.Name) + " " + text
		}
		if c.Desc {
			text += " desc"
		}
		line(c.Kind, "%s", text)
	}
	line("partitions", "%d", t.Partitions)
	line("rows", "%d", t.Rows)
	line("columns_set", "%d", t.ColumnsSet)
	line("bytes", "%d (%s)", t.Bytes, printer.Size(t.Bytes))
	if t.Compressor == "" {
		line("compressor", "none")
	} else {
		line("compressor", "%s, chunks of %d bytes", t.Compressor, t.ChunkLength)
		line("data_bytes", "%d (%s, %.1f %% of that)", t.DataBytes, printer.Size(t.DataBytes), share(t.DataBytes, t.Bytes))
	}
	line("file_bytes", "%d (%s)", t.FileBytes, printer.Size(t.FileBytes))
	for _, k := range []struct {
		name string
		key  *inspectedKey
	}{{"first", t.First}, {"last", t.Last}} {
		if k.key != nil {
			line(k.name, "%q token %s", k.key.Key, cmp.Or(k.key.Token, "not known"))
		}
	}
	line("min_timestamp", "%s", date(&t.MinTimestamp, ""))
	line("max_timestamp", "%s", date(&t.MaxTimestamp, ""))
	line("min_ttl", "%d", t.MinTTL)
	line("max_ttl", "%d", t.MaxTTL)
	line("min_local_deletion_time", "%s", date(t.MinDeletion, "none: nothing is deleted or expires"))
	line("max_local_deletion_time", "%s", date(t.MaxDeletion, "none: not all is deleted or expires"))
	line("tombstones", "%d, of which %d are past", t.Tombstones, t.Ready)
	for _, d := range t.Drops {
		line("  drop_time", "%s: %d", date(&d.inspectedTime, ""), d.Count)
	}
	line("level", "%d", t.Level)
	line("repaired_at", "%s", date(t.RepairedAt, "never"))
	if t.PendingRepair != "" {
		line("pending_repair", "%s", t.PendingRepair)
	}
	line("originating_host", "%s", cmp.Or(t.Host, "not told"))
	line("bloom_filter_fp_chance", "%g", t.FilterChance)
	for _, p := range t.LargestPartitions {
		line("largest", "%q token %s: %d bytes, %d rows, %d cells", p.Key, cmp.Or(p.Token, "not known"), p.Bytes, p.Rows, p.Cells)
	}
}

// printInspectedLines writes a line for each of several SSTables, and their sum; behind it the largest partitions of all.
func printInspectedLines(w io.Writer, tables []operation.InspectedTable) {
	fmt.Fprintln(w, "version\tlevel\tpartitions\trows\tcolumns_set\tbytes\tdata_bytes\tmin_timestamp\tmax_timestamp\tsstable")
	type large struct {
		inspectedPartition
		path string
	}
	var largest []large
	wanted := 0
	for _, t := range tables {
		i := inspected(t)
		fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%d\t%d\t%d\t%s\t%s\t%s\n", i.Version, i.Level, i.Partitions, i.Rows, i.ColumnsSet, i.Bytes, i.DataBytes, i.MinTimestamp.Date, i.MaxTimestamp.Date, i.Path)
		for _, p := range i.LargestPartitions {
			largest = append(largest, large{p, i.Path})
		}
		wanted = max(wanted, len(i.LargestPartitions))
	}
	sum := sumOfInspected(tables)
	fmt.Fprintf(w, "sum\t-\t%d\t%d\t%d\t%d\t%d\t-\t-\t%d SSTables\n", sum.Partitions, sum.Rows, sum.ColumnsSet, sum.Bytes, sum.DataBytes, sum.SSTables)
	slices.SortStableFunc(largest, func(a, b large) int { return cmp.Compare(b.Bytes, a.Bytes) })
	for _, p := range largest[:min(len(largest), wanted)] {
		fmt.Fprintf(w, "largest\t%q\t%s\t%d bytes\t%d rows\t%d cells\t%s\n", p.Key, cmp.Or(p.Token, "-"), p.Bytes, p.Rows, p.Cells, p.path)
	}
}
