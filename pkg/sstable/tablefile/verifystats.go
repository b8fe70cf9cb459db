package tablefile

import (
	"fmt"
	"slices"

	"github.com/cqlbulk/cqlbulk/pkg/sstable"
	"github.com/cqlbulk/cqlbulk/pkg/sstable/component"
)

// stats compares Statistics.db with the rows that were read. Bounds may be wider than they need be;
// counts are exact.
func (v *verifier) stats() error {
	have, want := v.table.statistics.Stats, v.collect.finish()
	for _, b := range []struct {
		name                                 string
		least, greatest, wantLeast, wantMost int64
	}{
		{"timestamps", have.MinTimestamp, have.MaxTimestamp, want.MinTimestamp, want.MaxTimestamp},
		{
			"seconds of deletion",
			have.MinDeletion,
			have.MaxDeletion,
			want.MinDeletion,
			want.MaxDeletion,
		},
		{"times to live", int64(have.MinTTL), int64(have.MaxTTL), int64(want.MinTTL), int64(want.MaxTTL)},
	} {
		if b.least > b.wantLeast || b.greatest < b.wantMost {
			return fmt.Errorf(
				"%s has %s from %d to %d, and they are from %d to %d",
				component.StatisticsDB,
				b.name,
				b.least,
				b.greatest,
				b.wantLeast,
				b.wantMost,
			)
		}
	}
	for _, c := range []struct {
		name       string
		have, want int64
	}{
		{"rows", have.Rows, want.Rows},
		{"cells", have.Cells, want.Cells},
		{"deletions and expiries", have.Tombstones.Total(), want.Tombstones.Total()},
		{"levels", int64(have.Level), 0},
		{"milliseconds of the last repair", have.RepairedAt, 0},
	} {
		if c.have != c.want {
			return fmt.Errorf(
				"%s has %d %s, where %d is right",
				component.StatisticsDB,
				c.have,
				c.name,
				c.want,
			)
		}
	}
	if have.PendingRepair != nil || have.Transient || have.LegacyCounterShards {
		return fmt.Errorf(
			"%s has a repair that is pending, a transient replica or old counters",
			component.StatisticsDB,
		)
	}
	for name, h := range map[string][2]component.Histogram{
		"sizes of partitions": {have.PartitionSizes, want.PartitionSizes},
		"cells of partitions": {have.PartitionCells, want.PartitionCells},
	} {
		if h[0].Total() != v.partitions ||
			len(h[0].Counts) == len(h[1].Counts) && !slices.Equal(h[0].Counts, h[1].Counts) {
			return fmt.Errorf(
				"%s counts the %s otherwise than %s has them",
				component.StatisticsDB,
				name,
				component.DataDB,
			)
		}
	}
	if c := v.table.statistics.Cardinality; c != nil && *c != v.keys {
		return fmt.Errorf("%s estimates the keys of another file", component.StatisticsDB)
	}
	if err := v.boundsOf(have, want); err != nil {
		return err
	}
	return v.compressionOf(have)
}

// boundsOf holds the bounds of the clusterings, and of the keys, against those of the rows.
func (v *verifier) boundsOf(have, want *component.Stats) error {
	if v.version().HasUnsignedSeconds() {
		if string(have.Slice) != string(component.Everything) {
			return fmt.Errorf(
				"%s has clusterings in the slice %x, where only that of all of them is known to be right",
				component.StatisticsDB,
				have.Slice,
			)
		}
		if string(have.FirstKey) != string(v.summary.First) ||
			string(have.LastKey) != string(v.summary.Last) {
			return fmt.Errorf(
				"%s is from key %x to %x, and they are %x to %x",
				component.StatisticsDB,
				clip(have.FirstKey),
				clip(have.LastKey),
				clip(v.summary.First),
				clip(v.summary.Last),
			)
		}
		if want.PartitionDeletions && !have.PartitionDeletions {
			return fmt.Errorf(
				"%s knows of no deletion of a partition, and there is one",
				component.StatisticsDB,
			)
		}
		return nil
	}
	least, greatest := have.MinClustering, have.MaxClustering
	if len(least) == 0 && len(greatest) == 0 {
		return nil
	}
	schema := v.table.codec.Schema()
	columns := len(schema.Table().Clustering)
	if len(least) > columns || len(greatest) > columns {
		return fmt.Errorf(
			"%s has clusterings of %d and %d values, where there are %d columns",
			component.StatisticsDB,
			len(least),
			len(greatest),
			columns,
		)
	}
	first, last := &v.bounds.least, &v.bounds.greatest
	const start, end = sstable.InclusiveStart, sstable.InclusiveEnd
	if first.set && schema.ComparePrefixes(least, start, first.values, first.kind) > 0 ||
		last.set && schema.ComparePrefixes(greatest, end, last.values, last.kind) < 0 {
		return fmt.Errorf(
			"%s has clusterings from %x to %x, and they are from %x to %x",
			component.StatisticsDB,
			least,
			greatest,
			first.values,
			last.values,
		)
	}
	return nil
}

// compressionOf holds the compression ratio against that of Data.db.
func (v *verifier) compressionOf(have *component.Stats) error {
	want := component.NotCompressed
	if data := v.table.data; data.info != nil {
		want = data.info.Ratio(data.size)
	}
	if have.CompressionRatio != want {
		return fmt.Errorf(
			"%s has a compression ratio of %v, where %v is right",
			component.StatisticsDB,
			have.CompressionRatio,
			want,
		)
	}
	return nil
}
