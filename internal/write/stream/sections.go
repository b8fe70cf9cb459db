package stream

import (
	"errors"

	"github.com/cqlbulk/cqlbulk/pkg/sstable"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// mostSection is from which size on a section ends, though its token range goes on.
const mostSection = 32 << 20

// sections writes partitions into a spool, in the order of their tokens, and cuts them into
// sections. It is a sstable.Sink.
type sections struct {
	*sstable.PartitionWriter // since start

	o     *Options
	spool *spool
	// is given each section when it ends, with the nodes that it belongs to
	made func(s section, replicas []string) error

	vnode int         // of the open section
	reach token.Range // of its token range; empty: no section is open
	from  int64       // where the section begins, in what the writer wrote
	keys  int64       // before it
	part  int         // of the partition that is written: see split
	key   []byte      // of that partition
	batch batch       // of its rows
	parts int64       // of partitions, without the first of each
	open  bool        // a range of deleted rows
}

// batch is what a node makes one mutation of, if it writes the table's rows as mutations: some rows
// of a partition, one behind the other
// (org.apache.cassandra.db.streaming.CassandraStreamReceiver.sendThroughWritePath).
type batch struct {
	rows  int
	bytes int64
}

// batchRows is how many rows that are (cassandra.repair.mutation_repair_rows_per_batch).
const batchRows = 100

// start begins to write what a codec encodes.
func (s *sections) start(c *sstable.Codec) (err error) {
	s.PartitionWriter, err = sstable.NewPartitionWriter(c, s, nil)
	return err
}

// Write is for the writer of partitions.
func (s *sections) Write(b []byte) (int, error) {
	if err := s.spool.file.write(b); err != nil {
		return 0, err
	}
	return len(b), nil
}

// Begin begins a partition, and before it a section where one is due.
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

// split counts a row, and has it stand in another part of its partition when a node would otherwise
// make a mutation with it that is larger than it takes. The parts go to different SSTables. Within
// a range of deleted rows nothing is split.
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

// nextSection ends the section and begins one of those parts of partitions.
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

// endSection hands on what was written since the last one, with the nodes it belongs to.
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
