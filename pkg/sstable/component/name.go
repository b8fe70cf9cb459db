package component

import (
	"fmt"
	"strings"
)

// Kind is a file of an SSTable, by the end of its name.
type Kind string

// The components of the "big" format
// (org.apache.cassandra.io.sstable.format.big.BigFormat.Components). Those of "bti", of secondary
// indexes, and what other programs lay beside them, have other names.
const (
	DataDB            Kind = "Data.db"
	IndexDB           Kind = "Index.db"
	FilterDB          Kind = "Filter.db"
	SummaryDB         Kind = "Summary.db"
	StatisticsDB      Kind = "Statistics.db"
	CompressionInfoDB Kind = "CompressionInfo.db"
	CRCDB             Kind = "CRC.db"
	DigestCRC32       Kind = "Digest.crc32"
	TOCTxt            Kind = "TOC.txt"

	ScyllaDB Kind = "Scylla.db" // what ScyllaDB alone knows of a file
)

// Descriptor is what the names of an SSTable's files have in common, apart from their folder.
type Descriptor struct {
	Version Version
	// ID is unique among the SSTables in a folder. It is a decimal number of at most 10 digits,
	// which every version of the servers reads. From Cassandra 4.1 on, it may also be four groups
	// of letters and digits, joined by underscores.
	ID string
}

// Name is the name of the file that holds a component.
func (d Descriptor) Name(c Kind) string { return d.Base() + "-" + string(c) }

// Base returns what the names of all files begin with, for messages about the SSTable.
func (d Descriptor) Base() string {
	return d.Version.String() + "-" + d.ID + "-" + d.Version.format()
}

// ParseName takes the name of a file apart, without a folder. The component is whatever stands at
// the end.
func ParseName(name string) (Descriptor, Kind, error) {
	parts := strings.SplitN(name, "-", 4)
	if len(parts) != 4 || parts[3] == "" {
		return Descriptor{}, "", fmt.Errorf("%.80q: no name of a file of an sstable", name)
	}
	if olderName(parts) {
		_, err := ParseVersion(parts[2])
		return Descriptor{}, "", fmt.Errorf("%.80q: %w", name, err)
	}
	version, err := ParseVersion(parts[0])
	if err != nil {
		return Descriptor{}, "", fmt.Errorf("%.80q: %w", name, err)
	}
	if parts[2] != version.format() {
		return Descriptor{}, "", fmt.Errorf(
			"%.80q: sstable format %.20q: version %s is of format %q",
			name,
			parts[2],
			version,
			version.format(),
		)
	}
	if err := CheckID(parts[1]); err != nil {
		return Descriptor{}, "", fmt.Errorf("%.80q: %w", name, err)
	}
	return Descriptor{Version: version, ID: parts[1]}, Kind(parts[3]), nil
}

// olderName reports whether a name is one of Cassandra 2.1 and before: keyspace, table, version,
// number and component.
func olderName(parts []string) bool {
	number, _, ok := strings.Cut(parts[3], "-")
	return len(parts[2]) == 2 && parts[2] < "la" && ok && number != "" &&
		strings.Trim(number, "0123456789") == ""
}

// maxIDLen is the largest number of characters in the id of a file: that of a time-based id.
const maxIDLen = 28

// CheckID returns an error if no SSTable may have that ID.
func CheckID(id string) error {
	if id == "" || len(id) > maxIDLen ||
		strings.Trim(id, "0123456789abcdefghijklmnopqrstuvwxyz_") != "" {
		return fmt.Errorf(
			"sstable id %.40q: 1 to %d lower-case letters, digits and underscores are wanted",
			id,
			maxIDLen,
		)
	}
	return nil
}

// AppendTOC appends a TOC.txt: the names of the components, one a line.
func AppendTOC(dst []byte, components []Kind) []byte {
	for _, c := range components {
		dst = append(append(dst, c...), '\n')
	}
	return dst
}

// ParseTOC reads a TOC.txt.
func ParseTOC(b []byte) ([]Kind, error) {
	var components []Kind
	for line := range strings.Lines(string(b)) {
		name := strings.TrimRight(line, "\r\n")
		if name == "" || strings.ContainsAny(name, "/\x00") {
			return nil, fmt.Errorf(
				"%s: line %d, %.40q, is no component",
				TOCTxt,
				len(components)+1,
				name,
			)
		}
		components = append(components, Kind(name))
	}
	return components, nil
}
