package sstable

import (
	"encoding/binary"
	"fmt"

	"github.com/cqlbulk/cqlbulk/pkg/sstable/component"
)

// noDeletionTime stands for the seconds of a partition that is not deleted, up to NB.
const noDeletionTime = 1<<31 - 1

// notDeleted is the one byte of a partition that is not deleted, from OA on.
const notDeleted = 0x80

// AppendDeletion appends the deletion of a partition, as Data.db and indexes have it
// (DeletionTime.Serializer and LegacySerializer). It fails if the version cannot store its times:
// from OA on none before 1970, and never seconds of more than 32 bits.
func AppendDeletion(dst []byte, d Deletion, v component.Version) ([]byte, error) {
	switch {
	case v.HasUnsignedSeconds() && !d.Set:
		return append(dst, notDeleted), nil
	case v.HasUnsignedSeconds() && d.Timestamp < 0,
		v.HasUnsignedSeconds() && d.Time>>32 != 0,
		d.Time != int64(int32(d.Time)) && !v.HasUnsignedSeconds():
		return dst, fmt.Errorf(
			"deletion at %d (second %d) cannot be written in version %s",
			d.Timestamp,
			d.Time,
			v,
		)
	case v.HasUnsignedSeconds():
		return binary.BigEndian.AppendUint32(
			binary.BigEndian.AppendUint64(dst, uint64(d.Timestamp)),
			uint32(d.Time),
		), nil
	case !d.Set:
		d.Timestamp, d.Time = noTimestamp, noDeletionTime
	}
	return binary.BigEndian.AppendUint64(
		binary.BigEndian.AppendUint32(dst, uint32(d.Time)),
		uint64(d.Timestamp),
	), nil
}

// deletionLen returns how many bytes the deletion of a partition has that begins with a byte.
func deletionLen(first byte, v component.Version) int {
	if v.HasUnsignedSeconds() && first&notDeleted != 0 {
		return 1
	}
	return 12
}

// ReadDeletion reads what AppendDeletion wrote, and returns its number of bytes. If b is cut off or
// does not begin with a deletion, that is 0.
func ReadDeletion(b []byte, v component.Version) (d Deletion, n int) {
	if len(b) == 0 {
		return Deletion{}, 0
	}
	if n = deletionLen(b[0], v); len(b) < n || n == 1 && b[0] != notDeleted {
		return Deletion{}, 0
	}
	switch {
	case n == 1:
		return Deletion{}, n
	case v.HasUnsignedSeconds():
		return Deletion{
			Set:       true,
			Timestamp: int64(binary.BigEndian.Uint64(b)),
			Time:      int64(binary.BigEndian.Uint32(b[8:])),
		}, n
	}
	d = Deletion{
		Set:       true,
		Timestamp: int64(binary.BigEndian.Uint64(b[4:])),
		Time:      int64(int32(binary.BigEndian.Uint32(b))),
	}
	if d.Timestamp == noTimestamp && d.Time == noDeletionTime {
		d = Deletion{}
	}
	return d, n
}
