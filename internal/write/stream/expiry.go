package stream

import (
	"time"

	"github.com/cqlbulk/cqlbulk/pkg/sstable"
)

// expiries has the second that times to live are counted from. A CQL server counts from when it
// writes a row. A streamed row is written when its slice starts to be sent. Until then it may wait
// for long, so it is encoded as if it was written at base. The header of an SSTable has the second
// that its times are counted from. A later second there moves all of them (sstable.Codec.At).
//
// All files of a slice have the same second, so that replicas do not differ. If a resumed load
// sends a slice again, it has a later second. Servers keep the later expiry or deletion of two
// cells of one timestamp (org.apache.cassandra.db.rows.Cells.resolveRegular,
// LivenessInfo.supersedes, DeletionTime.supersedes).
type expiries struct {
	base   int64 // seconds since the epoch
	warned bool  // OnOverdue was called
}

// ttls are the least and the greatest time to live of some rows, in seconds; 0: none expires.
type ttls struct{ least, most int32 }

func (t *ttls) add(o ttls) {
	if o.most == 0 {
		return
	}
	if t.most == 0 || o.least < t.least {
		t.least = o.least
	}
	t.most = max(t.most, o.most)
}

// stamped returns the codec of rows that are written at a moment.
func (t *Target) stamped(now time.Time) *sstable.Codec {
	return t.codec.At(min(now.Unix(), t.o.Version.MaxExpiry()))
}

// outlives reports whether some rows of the batch would expire, counted by a codec of stamped,
// later than their version can store. Such cells expire at the last second that it can: the
// servers' policy CAP (org.apache.cassandra.db.ExpirationDateOverflowHandling, CASSANDRA-14092).
// The others are counted from when they are sent.
func (t *Target) outlives(c *sstable.Codec) bool {
	most := int64(t.batch.ttls.most)
	return most > 0 && c.Minima().Time+most > t.o.Version.MaxExpiry()
}

// warnOverdue calls OnOverdue, once, if a slice took longer to send than some of its rows live.
func (t *Target) warnOverdue(took time.Duration) {
	ttl := time.Duration(t.batch.ttls.least) * time.Second
	if ttl == 0 || took < ttl || t.expiries.warned {
		return
	}
	t.expiries.warned = true
	t.o.OnOverdue(ttl, took)
}
