package sstable

// What the versions differ in, apart from their names (org.apache.cassandra.io.sstable.format.big.BigFormat.BigVersion).

// hasStatisticsSums reports whether Statistics.db has checksums.
func (v Version) hasStatisticsSums() bool { return v >= NA }

// hasMaxCompressedLength reports whether chunks may be stored plain that hardly get smaller, and CompressionInfo.db says
// from when on.
func (v Version) hasMaxCompressedLength() bool { return v >= NA }

// hasPlainFilter reports whether the bytes of Filter.db are in the order of its bits. Before, each 8 of them stand the
// other way round.
func (v Version) hasPlainFilter() bool { return v >= NA }

// hasPendingRepair reports whether STATS tells of repairs under way and of transient replicas.
func (v Version) hasPendingRepair() bool { return v >= NA }

// hasHost reports whether STATS may have the id of the host that wrote the file.
func (v Version) hasHost() bool { return v == ME || v >= NB }

// hasUnsignedSeconds reports whether seconds of deletion and expiry are unsigned, and a deletion that is none is one
// byte. Such versions tell in STATS a slice instead of the least and the greatest clustering, and the first and last key.
func (v Version) hasUnsignedSeconds() bool { return v >= OA }
