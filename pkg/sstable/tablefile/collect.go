package tablefile

import (
	"github.com/cqlbulk/cqlbulk/pkg/sstable"
	"github.com/cqlbulk/cqlbulk/pkg/sstable/component"
)

// collector makes the Stats of a file from what is written into it or read from it, as
// org.apache.cassandra.io.sstable.metadata.MetadataCollector and db.rows.Rows.collectStats do.
type collector struct {
	stats   component.Stats
	cells   int64 // of the partition
	started bool  // there is a timestamp
	lasting bool  // there is something that neither is deleted nor expires
	mortal  bool  // there is something that is or does
	ttls    bool  // there is a time to live, be it none
}

func newCollector() *collector {
	return &collector{stats: component.NewStats()}
}

// written counts what was written at a timestamp, in microseconds.
func (c *collector) written(timestamp int64) {
	s := &c.stats
	if !c.started {
		s.MinTimestamp, s.MaxTimestamp, c.started = timestamp, timestamp, true
	}
	s.MinTimestamp, s.MaxTimestamp = min(s.MinTimestamp, timestamp), max(s.MaxTimestamp, timestamp)
}

// living counts a time to live, 0 for none.
func (c *collector) living(ttl int32) {
	s := &c.stats
	if !c.ttls {
		s.MinTTL, s.MaxTTL, c.ttls = ttl, ttl, true
	}
	s.MinTTL, s.MaxTTL = min(s.MinTTL, ttl), max(s.MaxTTL, ttl)
}

// ending counts when something was deleted or expires, as second.
func (c *collector) ending(second int64) {
	s := &c.stats
	s.MinDeletion = min(s.MinDeletion, second)
	if !c.mortal && !c.lasting {
		s.MaxDeletion = second
	}
	s.MaxDeletion = max(s.MaxDeletion, second)
	c.mortal = true
	s.Tombstones.Add(second)
}

// forever counts something that is not deleted and does not expire.
func (c *collector) forever() {
	c.lasting = true
	c.stats.MaxDeletion = component.NoDeletion
}

// deletion counts a deletion, if it is one.
func (c *collector) deletion(d sstable.Deletion) {
	if d.Set {
		c.written(d.Timestamp)
		c.ending(d.Time)
	}
}

// partition counts the beginning of a partition.
func (c *collector) partition(d sstable.Deletion) {
	c.cells = 0
	c.deletion(d)
	if d.Set {
		c.stats.PartitionDeletions = true
	}
}

// row counts a row.
func (c *collector) row(r *sstable.Row) {
	if r.Empty() {
		return
	}
	c.stats.Rows++
	if l := &r.Liveness; l.Set {
		c.written(l.Timestamp)
		c.living(l.TTL)
		if l.TTL != 0 {
			c.ending(l.Expiry)
		} else {
			c.forever()
		}
	}
	c.deletion(r.Deletion)
	for i := range r.Deletions {
		c.deletion(r.Deletions[i].Deletion)
	}
	column := -1
	for i := range r.Cells {
		cell := &r.Cells[i]
		if cell.Column != column {
			column = cell.Column
			c.stats.Cells++
		}
		c.cells++
		c.written(cell.Timestamp)
		c.living(cell.TTL)
		if cell.Kind == sstable.Live {
			c.forever()
		} else {
			c.ending(cell.Time)
		}
	}
}

// marker counts the bound of a range of deleted rows.
func (c *collector) marker(m *sstable.Marker) {
	c.deletion(m.Ended)
	c.deletion(m.Started)
}

// end counts the end of a partition of that many bytes.
func (c *collector) end(length int64) {
	c.stats.PartitionSizes.Add(length)
	c.stats.PartitionCells.Add(c.cells)
}

// finish gives the Stats of all that was counted.
func (c *collector) finish() *component.Stats {
	c.stats.Tombstones.Flush()
	return &c.stats
}
