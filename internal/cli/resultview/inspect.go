package resultview

import (
	"cmp"
	"fmt"
	"io"
	"slices"

	"github.com/cqlbulk/cqlbulk/internal/human"
	"github.com/cqlbulk/cqlbulk/internal/report"
	"github.com/cqlbulk/cqlbulk/internal/safetext"
	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
)

// WriteSSTable writes what is shown of one SSTable, a line each.
func WriteSSTable(w io.Writer, t report.SSTable) {
	line := func(name, form string, args ...any) {
		fmt.Fprintf(w, "%-24s %s\n", name, safetext.Line(fmt.Sprintf(form, args...)))
	}
	date := func(t *report.SSTableTime, none string) string {
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
	line("bytes", "%d (%s)", t.Bytes, human.Size(t.Bytes))
	if t.Compressor == "" {
		line("compressor", "none")
	} else {
		line("compressor", "%s, chunks of %d bytes", t.Compressor, t.ChunkLength)
		line(
			"data_bytes",
			"%d (%s, %.1f %% of that)",
			t.DataBytes,
			human.Size(t.DataBytes),
			share(t.DataBytes, t.Bytes),
		)
	}
	line("file_bytes", "%d (%s)", t.FileBytes, human.Size(t.FileBytes))
	for _, k := range []struct {
		name string
		key  *report.SSTableKey
	}{{"first", t.First}, {"last", t.Last}} {
		if k.key != nil {
			line(k.name, "%q token %s", k.key.Key, cmp.Or(k.key.Token, "not known"))
		}
	}
	line("min_timestamp", "%s", date(&t.MinTimestamp, ""))
	line("max_timestamp", "%s", date(&t.MaxTimestamp, ""))
	line("min_ttl", "%d", t.MinTTL)
	line("max_ttl", "%d", t.MaxTTL)
	line(
		"min_local_deletion_time",
		"%s",
		date(t.MinDeletion, "none: nothing is deleted or expires"),
	)
	line(
		"max_local_deletion_time",
		"%s",
		date(t.MaxDeletion, "none: not all is deleted or expires"),
	)
	line("tombstones", "%d; compaction may drop %d of them after gc_grace_seconds", t.Tombstones, t.Ready)
	for _, d := range t.Drops {
		line("  drop_time", "%s: %d", date(&d.SSTableTime, ""), d.Count)
	}
	line("level", "%d", t.Level)
	line("repaired_at", "%s", date(t.RepairedAt, "never"))
	if t.PendingRepair != "" {
		line("pending_repair", "%s", t.PendingRepair)
	}
	line("originating_host", "%s", cmp.Or(t.Host, "not known"))
	line("bloom_filter_fp_chance", "%g", t.FilterChance)
	for _, p := range t.LargestPartitions {
		line(
			"largest",
			"%q token %s: %s, %s, %s",
			p.Key,
			cmp.Or(p.Token, "not known"),
			plain(p.Bytes, "byte"),
			plain(p.Rows, "row"),
			plain(p.Cells, "cell"),
		)
	}
}

// plain is how many there are of a thing, without commas: scripts read these numbers.
func plain[N human.Number](n N, thing string) string {
	return fmt.Sprintf("%d %s", n, human.Noun(n, thing))
}

// WriteSSTables writes a line for each of several SSTables, and their sum; behind it the
// largest partitions of all.
func WriteSSTables(w io.Writer, all *report.Inspect) {
	fmt.Fprintln(
		w,
		"version\tlevel\tpartitions\trows\tcolumns_set\tbytes\tdata_bytes\tmin_timestamp\tmax_timestamp\tsstable",
	)
	type large struct {
		report.SSTablePartition
		path string
	}
	var largest []large
	wanted := 0
	for _, i := range all.SSTables {
		fmt.Fprintf(
			w,
			"%s\t%d\t%d\t%d\t%d\t%d\t%d\t%s\t%s\t%s\n",
			i.Version,
			i.Level,
			i.Partitions,
			i.Rows,
			i.ColumnsSet,
			i.Bytes,
			i.DataBytes,
			i.MinTimestamp.Date,
			i.MaxTimestamp.Date,
			i.Path,
		)
		for _, p := range i.LargestPartitions {
			largest = append(largest, large{p, i.Path})
		}
		wanted = max(wanted, len(i.LargestPartitions))
	}
	sum := all.Sum
	fmt.Fprintf(
		w,
		"sum\t-\t%d\t%d\t%d\t%d\t%d\t-\t-\t%s\n",
		sum.Partitions,
		sum.Rows,
		sum.ColumnsSet,
		sum.Bytes,
		sum.DataBytes,
		plain(sum.SSTables, "SSTable"),
	)
	slices.SortStableFunc(largest, func(a, b large) int { return cmp.Compare(b.Bytes, a.Bytes) })
	for _, p := range largest[:min(len(largest), wanted)] {
		fmt.Fprintf(
			w,
			"largest\t%q\t%s\t%s\t%s\t%s\t%s\n",
			p.Key,
			cmp.Or(p.Token, "-"),
			plain(p.Bytes, "byte"),
			plain(p.Rows, "row"),
			plain(p.Cells, "cell"),
			p.path,
		)
	}
}
