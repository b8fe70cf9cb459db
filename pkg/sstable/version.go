package sstable

import "fmt"

// Version is a version of the format, as the first letters of a file's name tell it. Later ones are greater.
type Version uint8

// The versions. The zero Version is none.
const (
	MC Version = iota + 1 // Cassandra 3.0.8
	MD                    // Cassandra 3.0.18 and 3.11.4; read by all versions of ScyllaDB in use
	ME                    // Cassandra 3.0.25 and 3.11.11; ScyllaDB 5.1
	NA                    // Cassandra 4.0, before its release
	NB                    // Cassandra 4.0 to 5.0, where 5.0 is not told to write OA
	OA                    // Cassandra 5.0
)

// versionNames holds the letters of each version.
var versionNames = [...]string{MC: "mc", MD: "md", ME: "me", NA: "na", NB: "nb", OA: "oa"}

// ParseVersion reads the letters of a version.
func ParseVersion(s string) (Version, error) {
	for v, name := range versionNames {
		if name == s && s != "" {
			return Version(v), nil
		}
	}
	return 0, fmt.Errorf("version %.20q of an SSTable is not known: it must be one of mc, md, me, na, nb, oa", s)
}

// String returns the letters of the version.
func (v Version) String() string {
	if int(v) < len(versionNames) && versionNames[v] != "" {
		return versionNames[v]
	}
	return fmt.Sprintf("version %d", uint8(v))
}

// Valid reports whether v is one of the versions above.
func (v Version) Valid() bool { return v >= MC && v <= OA }

// MaxExpiry is the latest second since the epoch at which a cell may expire: in 2038 up to NB (Cassandra's
// Cell.getVersionedMaxDeletiontTime).
func (v Version) MaxExpiry() int64 {
	if v >= OA {
		return 1<<32 - 3
	}
	return 1<<31 - 2
}
