package snapshot

import (
	"bytes"
	"crypto/md5" //nolint:gosec // names of tables
	"encoding/binary"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"

	"github.com/cqlbulk/cqlbulk/pkg/cqlwire"
)

// A data directory alone lacks what the node acknowledged and had not flushed. That is in its
// commit log, which the node replays when it starts. By default the commit log lies beside the data
// (<data>/../commitlog). If it does, this file reports whether there is one.

// commitLogFolder is the name of the folder of a commit log.
const commitLogFolder = "commitlog"

// segmentName is the name of a segment: its version and id (CommitLogDescriptor).
var segmentName = regexp.MustCompile(`^CommitLog-\d+-(\d+)\.log$`)

// CommitLog is a segment of a node's commit log.
type CommitLog struct {
	Path string
	ID   int64
}

// CommitLogs returns the segments of the commit log that lies beside the data of a node.
func CommitLogs(node string) (all []CommitLog, err error) {
	folder := filepath.Join(filepath.Dir(node), commitLogFolder)
	entries, err := os.ReadDir(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for _, e := range entries {
		if m := segmentName.FindStringSubmatch(e.Name()); m != nil && e.Type().IsRegular() {
			id, err := strconv.ParseInt(m[1], 10, 64)
			if err != nil {
				continue
			}
			all = append(all, CommitLog{filepath.Join(folder, e.Name()), id})
		}
	}
	return all, err
}

// schemaTables are the ids of the tables that hold the schema. Their rows contain ids of other
// tables. TableId.forSystemTable computes them from the tables' names (SchemaKeyspace).
var schemaTables = func() map[[16]byte]bool {
	ids := make(map[[16]byte]bool)
	for _, name := range []string{
		"keyspaces", "tables", "columns", "column_masks", "dropped_columns", "triggers", "views", "types", "functions", "aggregates", "indexes",
	} {
		id := md5.Sum(
			[]byte("system_schema" + name),
		) //nolint:gosec // a name, as Java's UUID.nameUUIDFromBytes makes it
		id[6], id[8] = id[6]&0x0f|0x30, id[8]&0x3f|0x80
		ids[id] = true
	}
	return ids
}()

const (
	// segmentHead is version, id, and the length of the parameters.
	segmentHead = 4 + 8 + 2
	sumLength   = 4
	// syncMarker is where the section behind it ends, and a checksum.
	syncMarker = 4 + sumLength
	// entryHead is the length of a mutation, and a checksum of that; another one follows the
	// mutation.
	entryHead = 4 + sumLength
)

// Mutations returns the offsets in the segment at which mutations of a table begin. A segment that
// is compressed or encrypted is not read: opaque is true then, unless the segment is empty.
//
// The format is that of CommitLogDescriptor.writeHeader, CommitLogSegment and Mutation's serializer
// in Cassandra 4.0 to 5.0. Sections of mutations follow markers. A mutation begins with the number
// of its tables and the id of the first. What a node had not synced when it died may follow the
// last marker. As at the start of a node, it counts up to the first mutation that is broken.
func (c CommitLog) Mutations(table [16]byte) (at []int64, opaque bool, err error) {
	b, err := os.ReadFile(c.Path)
	if err != nil || len(b) < segmentHead {
		return nil, false, err // a segment of no bytes was made just before the node died
	}
	parameters := b[segmentHead:]
	parameters = parameters[:min(len(parameters), int(binary.BigEndian.Uint16(b[segmentHead-2:])))]
	begin := segmentHead + len(parameters) + sumLength
	if bytes.Contains(parameters, []byte("compressionClass")) ||
		bytes.Contains(parameters, []byte("encCipher")) {
		return nil, len(b) > begin+syncMarker, nil
	}
	for begin+syncMarker <= len(b) {
		end := int(binary.BigEndian.Uint32(b[begin:]))
		from := begin + syncMarker
		if end < from || end > len(b) {
			end = len(b)
		}
		for from+entryHead <= end {
			length := int(binary.BigEndian.Uint32(b[from:]))
			body := from + entryHead
			if length == 0 || length > end-body-sumLength {
				break
			}
			if isOf(b[body:body+length], table) {
				at = append(at, int64(body))
			}
			from = body + length + sumLength
		}
		begin = end
	}
	return at, false, nil
}

// isOf reports whether a mutation has rows of a table.
func isOf(mutation []byte, table [16]byte) bool {
	const count = 1 // byte, of fewer than 128 tables
	if len(mutation) < count+len(table) {
		return false
	}
	first := [16]byte(mutation[count:])
	switch {
	case schemaTables[first]:
		return first == table
	case mutation[0] == 1:
		return first == table && !writesNothing(mutation[count+len(table):])
	default:
		return bytes.Contains(mutation, table[:]) // where the others stand is not known
	}
}

// writesNothing reports whether a partition of a mutation, its key first, has no rows. A node logs
// it, and does not flush it. Such is a statement whose columns are all unset
// (UnfilteredRowIteratorSerializer.IS_EMPTY, Flushing.writeSortedContents).
func writesNothing(partition []byte) bool {
	const isEmpty = 0x01
	length, n := cqlwire.Uvint(partition)
	if partition = partition[n:]; n == 0 || length >= uint64(len(partition)) {
		return false
	}
	return partition[length]&isEmpty != 0
}
