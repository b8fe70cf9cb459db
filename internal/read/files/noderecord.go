package files

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/cqlbulk/cqlbulk/internal/snapshot"
	"github.com/cqlbulk/cqlbulk/pkg/sstable"
	"github.com/cqlbulk/cqlbulk/pkg/sstable/component"
	"github.com/cqlbulk/cqlbulk/pkg/sstable/tablefile"
)

// localFolder is the folder of system.local in the data of any node: TableId.forSystemTable makes
// the id of the name.
const localFolder = "system/local-7ad54392bcdd35a684174e047860b377"

// nodeRecord is what a node keeps about itself in system.local, which it flushes with each
// truncation (SystemKeyspace.saveTruncationRecord).
type nodeRecord struct {
	hostID    []byte
	truncated []byte // the record of the table's last truncation; empty: there is none
}

// readNodeRecord reads the record of a node from its data directories; it is empty where they do
// not have it.
func readNodeRecord(directories []string, table [16]byte) (r nodeRecord, err error) {
	request := snapshot.Request{Keyspace: "system", Table: "local"}
	for _, d := range directories {
		folder := filepath.Join(d, localFolder)
		if _, err := os.Stat(folder); err == nil {
			request.Paths = append(request.Paths, folder)
		} else if !errors.Is(err, fs.ErrNotExist) {
			return r, err
		}
	}
	if len(request.Paths) == 0 {
		return r, nil
	}
	local, err := snapshot.Find(request)
	if err != nil {
		return r, err
	}
	host := newestCell{
		column: "host_id",
	}
	truncated := newestCell{
		column: "truncated_at",
		path:   table[:],
	}
	for _, f := range local.SSTables {
		if err := readCells(f, &host, &truncated); err != nil {
			return r, err
		}
	}
	return nodeRecord{host.result(), truncated.result()}, nil
}

// newestCell finds the newest cell of a column, and of an element where the column is a collection.
type newestCell struct {
	column  string
	path    []byte
	deleted sstable.Deletion // the newest that covers the cell
	cell    sstable.Cell
	found   bool
}

// readCells adds what an SSTable of one partition has of some cells.
func readCells(f snapshot.SSTable, wanted ...*newestCell) (err error) {
	t, err := tablefile.Open(tablefile.Folder(f.Folder, f.Descriptor))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, t.Close()) }()
	columns, d := t.Codec().Schema().Table().Regulars, t.Decoder()
	for {
		item, err := d.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if item != sstable.RegularRow {
			continue
		}
		for _, w := range wanted {
			w.add(columns, d.Deletion(), d.Row())
		}
	}
}

// add takes in a row.
func (c *newestCell) add(columns []sstable.Column, partition sstable.Deletion, row *sstable.Row) {
	covers := []sstable.Deletion{partition, row.Deletion}
	for _, d := range row.Deletions {
		if columns[d.Column].Name == c.column {
			covers = append(covers, d.Deletion)
		}
	}
	for _, d := range covers {
		if d.Supersedes(c.deleted) {
			c.deleted = d
		}
	}
	for _, cell := range row.Cells {
		if columns[cell.Column].Name != c.column || !bytes.Equal(cell.Path, c.path) {
			continue
		}
		// Of two of one time a tombstone counts (Cells.reconcile).
		if !c.found || cell.Timestamp > c.cell.Timestamp ||
			cell.Timestamp == c.cell.Timestamp && cell.Kind == sstable.Tombstone {
			c.cell, c.found = cell, true
			c.cell.Value = bytes.Clone(cell.Value)
		}
	}
}

// result is the value of the cell; nil: there is none.
func (c *newestCell) result() []byte {
	if !c.found || c.cell.Kind == sstable.Tombstone || c.deleted.Deletes(c.cell.Timestamp) {
		return nil
	}
	return c.cell.Value
}

// flushed are the parts of the commit log that a table's SSTables have, or that were truncated:
// what the node would not replay (CommitLogReplayer.persistedIntervals).
func (r nodeRecord) flushed(stats []*component.Stats) (all flushed) {
	for _, s := range stats {
		// SSTables of other nodes have positions in other commit logs (CASSANDRA-16619).
		if r.hostID == nil || bytes.Equal(s.HostID, r.hostID) {
			all = append(all, s.CommitLogIntervals...)
		}
	}
	const position = 8 + 4 // CommitLogPosition.serializer
	if len(r.truncated) >= position {
		all = append(all, [2]component.CommitLogPosition{component.NoCommitLog, {
			Segment:  int64(binary.BigEndian.Uint64(r.truncated)),
			Position: int32(binary.BigEndian.Uint32(r.truncated[8:])),
		}})
	}
	return all
}
