package component

import "fmt"

// Version is a version of the format: the first letters of a file's name. Among the versions that
// are written, later ones are greater.
type Version uint8

// The versions. The zero Version is none. Those from DA on are read and not written.
const (
	MC Version = iota + 1 // Cassandra 3.0.8
	MD                    // Cassandra 3.0.18 and 3.11.4; read by all versions of ScyllaDB in use
	ME                    // Cassandra 3.0.25 and 3.11.11; ScyllaDB 5.1
	NA                    // Cassandra 4.0, before its release
	NB                    // Cassandra 4.0 to 5.0, where 5.0 is not configured to write OA
	OA                    // Cassandra 5.0
	DA                    // Cassandra 5.0, where it is configured to write the format "bti"
	MS                    // ScyllaDB 2025.4
	MT                    // ScyllaDB 2026.2
)

// versionNames holds the letters of each version.
var versionNames = [...]string{
	MC: "mc",
	MD: "md",
	ME: "me",
	NA: "na",
	NB: "nb",
	OA: "oa",
	DA: "da",
	MS: "ms",
	MT: "mt",
}

// ParseVersion reads the letters of a version. Those of Cassandra 2, and later ones than are above,
// are refused.
func ParseVersion(s string) (Version, error) {
	for v, name := range versionNames {
		if name == s && s != "" {
			return Version(v), nil
		}
	}
	return 0, fmt.Errorf(
		"version %.20q of an SSTable is not known: it must be one of mc, md, me, na, nb, oa, da, ms, mt",
		s,
	)
}

// String returns the letters of the version.
func (v Version) String() string {
	if int(v) < len(versionNames) && versionNames[v] != "" {
		return versionNames[v]
	}
	return fmt.Sprintf("version %d", uint8(v))
}

// Readable reports whether v is one of the versions above: all of them are read.
func (v Version) Readable() bool { return v >= MC && v <= MT }

// Writable reports whether v can be written: its indexes are Index.db and Summary.db.
func (v Version) Writable() bool { return v >= MC && v <= OA }

// CheckWritable says why v cannot be written.
func (v Version) CheckWritable() error {
	switch {
	case !v.Readable():
		return fmt.Errorf("%s of an SSTable is not known", v)
	case !v.Writable():
		return fmt.Errorf(
			"version %s of an SSTable is read only: mc, md, me, na, nb and oa can be written",
			v,
		)
	default:
		return nil
	}
}

// MaxExpiry is the latest second since the epoch at which a cell may expire: in 2038 up to NB
// (Cassandra's Cell.getVersionedMaxDeletiontTime).
func (v Version) MaxExpiry() int64 {
	if v.HasUnsignedSeconds() {
		return 1<<32 - 3
	}
	return 1<<31 - 2
}
