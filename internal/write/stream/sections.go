package stream

import (
	"errors"

	"github.com/cqlbulk/cqlbulk/pkg/sstable"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// mostSection is the size, in bytes, at which a section ends within its token range.
const mostSection = 32 << 20

// sections writes partitions into a spool, in the order of their tokens, and cuts them into
// sections. It is a sstable.Sink.
type sections struct {
	*sstable.PartitionWriter // since start

	o     *Options
	spool *spool
	// called with each section when it ends, and with the nodes that it belongs to
	made func(s section, replicas []string) error

	vnode int         // of the open section
	reach token.Range // token range of the section; empty: no section is open
	from  int64       // position of the writer at the section's begin
	keys  int64       // partitions before the section
	part  int         // part of the present partition: see split
	key   []byte      // of that partition
	batch batch       // of rows of that partition
	parts int64       // parts of partitions, without the first of each
	open  bool        // within a range of deleted rows
}

// batch is the rows of a partition that a node makes one mutation of, if it writes the table's rows
// as mutations (org.apache.cassandra.db.streaming.CassandraStreamReceiver.sendThroughWritePath).
type batch struct {
	rows  int
	bytes int64
}

// batchRows is the number of rows of such a mutation
// (cassandra.repair.mutation_repair_rows_per_batch).
const batchRows = 100

// start starts to write what a codec encodes.
func (s *sections) start(c *sstable.Codec) (err error) {
	s.PartitionWriter, err = sstable.NewPartitionWriter(c, s, nil)
	return err
}

// Write writes to the spool. The writer of partitions calls it.
func (s *sections) Write(b []byte) (int, error) {
	if err := s.spool.file.write(b); err != nil {
		return 0, err
	}
	return len(b), nil
}

// Begin starts a partition, and before it a section if one is due.
func (s *sections) Begin(key []byte, d sstable.Deletion) error {
	at := token.Murmur3.Hash(key)
	if s.spool.file == nil || !s.reach.Contains(at) || s.Position()-s.from >= mostSection ||
		s.part > 0 {
		if err := s.nextSection(0); err != nil {
			return err
		}
		s.vnode = s.o.Placement.Find(at)
		s.reach = s.o.Placement.Range(s.vnode)
	}
	if s.o.BatchBytes > 0 {
		s.key, s.batch, s.open = append(s.key[:0], key...), batch{}, false
	}
	return s.PartitionWriter.Begin(key, d)
}

// Static writes the static row of the partition.
func (s *sections) Static(encoded []byte) error {
	s.batch.bytes += int64(len(encoded))
	return s.PartitionWriter.Static(encoded)
}

// Row writes a row of the partition.
func (s *sections) Row(encoded []byte) error {
	if s.o.BatchBytes > 0 {
		if err := s.split(int64(len(encoded))); err != nil {
			return err
		}
	}
	return s.PartitionWriter.Row(encoded)
}

// Marker writes the begin or the end of a range of deleted rows.
func (s *sections) Marker(m *sstable.Marker) error {
	s.open = m.Started.Set
	s.batch.rows++
	return s.PartitionWriter.Marker(m)
}

// split counts a row. If a node would make a mutation with it that is too large, the row starts
// another part of its partition. Parts go to different SSTables. Within a range of deleted rows
// nothing is split.
func (s *sections) split(row int64) error {
	if s.batch.rows >= batchRows {
		s.batch = batch{}
	}
	if s.batch.bytes > 0 && s.batch.bytes+row > s.o.BatchBytes && !s.open {
		if err := s.End(); err != nil {
			return err
		}
		if err := s.nextSection(s.part + 1); err != nil {
			return err
		}
		s.parts++
		s.batch = batch{}
		if err := s.PartitionWriter.Begin(s.key, sstable.Deletion{}); err != nil {
			return err
		}
	}
	s.batch.rows++
	s.batch.bytes += row
	return nil
}

// nextSection ends the section and starts one for those parts of partitions.
func (s *sections) nextSection(part int) error {
	if err := s.endSection(); err != nil {
		return err
	}
	if _, err := s.spool.next(); err != nil {
		return err
	}
	s.from, s.keys, s.part = s.Position(), s.Partitions(), part
	return nil
}

// endSection passes on what was written since the last one, with the nodes it belongs to.
func (s *sections) endSection() error {
	length := s.Position() - s.from
	if s.spool.file == nil || length == 0 {
		return nil
	}
	if err := s.Flush(); err != nil {
		return err
	}
	f := s.spool.file
	replicas := s.o.replicas(s.vnode)
	if len(replicas) == 0 {
		return errors.New("a token range has no replica")
	}
	return s.made(
		section{
			file: f,
			from: f.size - length,
			to:   f.size,
			keys: s.Partitions() - s.keys,
			part: s.part,
		},
		replicas,
	)
}
