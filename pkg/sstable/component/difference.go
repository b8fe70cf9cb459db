package component

// What the versions differ in, apart from their names
// (org.apache.cassandra.io.sstable.format.big.BigFormat.BigVersion and
// format.bti.BtiFormat.BtiVersion).

// like returns the version in "big" with the same Data.db, CompressionInfo.db and Statistics.db.
// Versions with other indexes differ from it only in the indexes (of ScyllaDB sstables/types.hh:
// statistics).
func (v Version) like() Version {
	switch v {
	case DA:
		return OA
	case MS, MT:
		return ME
	default:
		return v
	}
}

// format is the format in the names of files. ScyllaDB has its own indexes in "big".
func (v Version) format() string {
	if v == DA {
		return "bti"
	}
	return "big"
}

// HasIndex reports whether there are Index.db and Summary.db. Other versions have Partitions.db and
// Rows.db, which are not read.
func (v Version) HasIndex() bool { return v.like() == v }

// hasStatisticsSums reports whether Statistics.db has checksums.
func (v Version) hasStatisticsSums() bool { return v.like() >= NA }

// HasMaxCompressedLength reports whether chunks may be stored plain that hardly get smaller, and
// CompressionInfo.db says from when on.
func (v Version) HasMaxCompressedLength() bool { return v.like() >= NA }

// hasPlainFilter reports whether the bytes of Filter.db are in the order of its bits. Before, each
// 8 of them stand the other way round.
func (v Version) hasPlainFilter() bool { return v.like() >= NA }

// hasPendingRepair reports whether STATS has fields for pending repairs and transient replicas.
func (v Version) hasPendingRepair() bool { return v.like() >= NA }

// hasHost reports whether STATS may have the id of the host that wrote the file.
func (v Version) hasHost() bool { return v.like() == ME || v.like() >= NB }

// HasUnsignedSeconds reports whether seconds of deletion and expiry are unsigned, and the absence
// of a deletion is one byte. In these versions, STATS has a slice instead of the least and the
// greatest clustering. It also has the first and the last key.
func (v Version) HasUnsignedSeconds() bool { return v.like() >= OA }
