package stream

import (
	"errors"

	"github.com/cqlbulk/cqlbulk/pkg/sstable"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// mostSection is from which size on a section ends, though its token range goes on.
const mostSection = 32 << 20

// sections writes partitions into a spool, in the order of their tokens, and cuts them into sections. It is a sstable.Sink.
type sections struct {
	*sstable.PartitionWriter // since start

	o     *Options
	spool *spool
	made  func(s section, replicas []string) error // is given each section when it ends, with the nodes that it belongs to

	vnode int         // of the open section
	reach token.Range // of its token range; empty: no section is open
	from  int64       // where the section begins, in what the writer wrote
	keys  int64       // before it
}

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
	if s.spool.file == nil || !s.reach.Contains(at) || s.Position()-s.from >= mostSection {
		if err := s.endSection(); err != nil {
			return err
		}
		if _, err := s.spool.next(); err != nil {
			return err
		}
		s.vnode = s.o.Placement.Find(at)
		s.reach = s.o.Placement.Range(s.vnode)
		s.from, s.keys = s.Position(), s.Partitions()
	}
	return s.PartitionWriter.Begin(key, d)
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
	return s.made(section{file: f, from: f.size - length, to: f.size, keys: s.Partitions() - s.keys}, replicas)
}
