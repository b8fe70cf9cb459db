package tablefile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"sort"

	"github.com/cqlbulk/cqlbulk/pkg/sstable"
	"github.com/cqlbulk/cqlbulk/pkg/sstable/component"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// sampleGap is how many bytes of Data.db there are from one sample to the next, or a partition
// more.
const sampleGap = 64 << 10

// sample is some of the partitions of a file: the first one, and one about every sampleGap bytes. A
// partition of sampleGap bytes or more is in it, and so is the one behind it.
type sample struct {
	points []samplePoint
	by     string  // what the partitions were found in
	last   landing // the last partition
}

// samplePoint is where a partition begins.
type samplePoint struct {
	position uint64
	token    token.Token
	adjacent bool // the next point is the partition behind this one
}

// add adds the next partition of the file. A key is copied.
func (s *sample) add(position uint64, t token.Token, key []byte) {
	before := s.last
	s.last = landing{position: position, token: t, key: append(before.key[:0], key...), by: s.by}
	n := len(s.points)
	if n == 0 {
		s.points = append(s.points, samplePoint{position: position, token: t})
		return
	}
	if position-s.points[n-1].position < sampleGap {
		return
	}
	if position-before.position >= sampleGap {
		if s.points[n-1].position != before.position {
			s.points = append(s.points, samplePoint{position: before.position, token: before.token})
		}
		s.points[len(s.points)-1].adjacent = true
	}
	s.points = append(s.points, samplePoint{position: position, token: t})
}

// addBehind is add for a partition that must come behind the last one.
func (s *sample) addBehind(position uint64, t token.Token, key []byte) error {
	if len(s.points) > 0 && comparePartitions(s.last.token, s.last.key, t, key) >= 0 {
		return fmt.Errorf("partition %x does not come behind %x", clip(key), clip(s.last.key))
	}
	s.add(position, t, key)
	return nil
}

// around finds the partitions about a token.
func (s *sample) around(t token.Token) (n neighbors) {
	i := sort.Search(len(s.points), func(i int) bool { return t.Less(s.points[i].token) }) - 1
	if i < 0 {
		return n
	}
	n.before = s.landing(i)
	if s.points[i].adjacent {
		n.after = s.landing(i + 1)
	}
	return n
}

func (s *sample) landing(i int) *landing {
	return &landing{position: s.points[i].position, token: s.points[i].token, by: s.by}
}

// makeSample reads Index.db once, or Data.db where there is none.
func (r *Reader) makeSample() (*sample, error) {
	if r.partitioner == nil {
		return nil, r.partitionerError()
	}
	if r.index != nil {
		return r.sampleIndex()
	}
	return r.sampleData()
}

// sampleIndex makes a sample of Index.db.
func (r *Reader) sampleIndex() (*sample, error) {
	s := &sample{by: string(component.IndexDB)}
	index := io.NewSectionReader(r.index, 0, r.index.Size())
	in := component.NewBareIndexReader(index, 0, sstable.ReadBytes)
	order := indexOrder{partitioner: r.partitioner, length: r.data.length()}
	for {
		err := order.next(in)
		switch {
		case err == io.EOF && len(s.points) > 0:
			return s, nil
		case err == io.EOF:
			return nil, r.damaged(component.IndexDB, errNoPartitions)
		case err != nil:
			return nil, r.damaged(component.IndexDB, err)
		case len(s.points) == 0 && order.now.position != 0:
			return nil, r.damaged(
				component.IndexDB,
				fmt.Errorf("has the first partition at %d", order.now.position),
			)
		}
		s.add(order.now.position, order.now.token, order.now.key)
	}
}

// sampleData makes a sample of Data.db. It reads the entire file, skips rows by their sizes, and
// verifies Digest.crc32 if there is one.
func (r *Reader) sampleData() (*sample, error) {
	data := &dataReader{
		dataPieces: r.data.another(),
		in:         sequential(r.file),
	}
	var in io.Reader = data
	if r.sections != nil {
		in = r.plain()
	}
	d := sstable.NewDecoder(r.codec, in, sstable.MaxRowBytes)
	s := &sample{by: string(component.DataDB)}
	for {
		err := d.NextPartition()
		if errors.Is(err, io.EOF) {
			break
		}
		if err == nil {
			err = s.addBehind(uint64(d.Offset()), r.partitioner.Hash(d.Key()), d.Key())
		}
		if err != nil {
			return nil, r.damaged(component.DataDB, d.AtOffset(err))
		}
	}
	if len(s.points) == 0 {
		return nil, r.damaged(component.DataDB, errNoPartitions)
	}
	if r.sections != nil {
		return s, nil // nothing has their digest
	}
	return s, r.checkDigest(data)
}

// checkDigest holds what was read of Data.db against Digest.crc32, where there is one.
func (r *Reader) checkDigest(data *dataReader) error {
	b, ok, err := r.readIfThere(component.DigestCRC32)
	if !ok || err != nil {
		return err
	}
	digest, err := component.ParseDigest(bytes.TrimSpace(b))
	if err != nil {
		return err
	}
	return data.finish(digest)
}
