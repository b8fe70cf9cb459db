package tablefile

import (
	"errors"
	"fmt"
	"io"
	"math"
	"sort"

	"github.com/cqlbulk/cqlbulk/pkg/sstable"
	"github.com/cqlbulk/cqlbulk/pkg/sstable/component"
	"github.com/cqlbulk/cqlbulk/pkg/sstable/internal/fields"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// Section is a part of a Data.db by its plain bytes: from From up to To.
type Section struct{ From, To uint64 }

// Sections describes the parts of a Data.db that a node streams, as the header of a streamed file
// does (org.apache.cassandra.db.streaming.CassandraStreamHeader and CompressionInfo). It can also
// describe an entire file. What follows the last chunk then does not belong to it.
type Sections struct {
	// Sections ascend and do not overlap.
	Sections []Section
	// Compression is that of the file; no Compressor: not compressed.
	Compression component.Compression
	// Chunks are the stored sizes in bytes of the chunks that the sections are in, without their
	// checksums, in the order of the file. A chunk of two sections is listed once. A file that is
	// not compressed has none.
	Chunks []int
}

// check fails where sections and chunks cannot be of one file.
func (s *Sections) check() error {
	end := uint64(0)
	for i, part := range s.Sections {
		if part.From < end || part.To <= part.From || part.To > math.MaxInt64 {
			return fmt.Errorf(
				"section %d is from %d to %d, behind one that ends at %d",
				i,
				part.From,
				part.To,
				end,
			)
		}
		end = part.To
	}
	if s.Compression.Compressor == "" {
		if len(s.Chunks) > 0 {
			return fmt.Errorf("%d chunks of a file that is not compressed", len(s.Chunks))
		}
		return nil
	}
	if _, err := component.NewDecompressor(s.Compression.Compressor); err != nil {
		return err
	}
	if err := component.CheckChunkLength(s.Compression.ChunkLength); err != nil {
		return err
	}
	if s.Compression.MaxCompressedLength < 0 {
		return fmt.Errorf(
			"compressed chunks of at most %d bytes",
			s.Compression.MaxCompressedLength,
		)
	}
	if n := s.count(); n != uint64(len(s.Chunks)) {
		return fmt.Errorf("%d chunks for sections that are in %d", len(s.Chunks), n)
	}
	limit := (&chunks{compression: s.Compression}).limit()
	for i, n := range s.Chunks {
		if n < 0 || uint64(n)+component.SumLen > limit {
			return fmt.Errorf(
				"chunk %d has %d bytes, and %d of it are no more than %d",
				i,
				n,
				s.Compression.ChunkLength,
				limit,
			)
		}
	}
	return nil
}

// count is how many chunks the sections are in.
func (s *Sections) count() (n uint64) {
	length, next := uint64(s.Compression.ChunkLength), uint64(0)
	for _, part := range s.Sections {
		first, behind := part.From/length, (part.To-1)/length+1
		n += behind - max(first, min(next, behind))
		next = behind
	}
	return n
}

// OpenSections returns a reader of sections that a node streamed. The file begins with what the
// node sent. Of a compressed Data.db, that is the stored chunks, each followed by its CRC-32, which
// is verified. Of another Data.db, it is the bytes of the sections. name and d name the file in
// errors. header is that of the streamed file.
//
// The partitioner must be Murmur3Partitioner, since the sections do not name it. Statistics has no
// more than the header. Within finds partitions by a sample. Positions count only the bytes of the
// sections.
//
// OpenSections fails if the sections and chunks cannot be of one file. Close closes the file. After
// an error, the caller must close it.
func OpenSections(
	file RandomReader,
	name string,
	d component.Descriptor,
	header []byte,
	of Sections,
) (*Reader, error) {
	r := &Reader{
		tableFiles:  tableFiles{Folder(name, d)},
		partitioner: token.Murmur3,
		file:        file,
		statistics: &component.Statistics{
			Partitioner: component.Murmur3Partitioner, Stats: &component.Stats{}, Header: header,
		},
	}
	if err := r.openSections(of); err != nil {
		return nil, fmt.Errorf("%s: %w", r.base(), err)
	}
	return r, nil
}

func (r *Reader) openSections(of Sections) (err error) {
	if err := r.placeSections(of); err != nil {
		return err
	}
	if r.codec, err = sstable.ReadCodec(r.statistics.Header, r.version()); err != nil {
		return err
	}
	r.findOnce()
	r.decoder = &Decoder{
		Decoder: sstable.NewDecoder(r.codec, r.plain(), sstable.MaxRowBytes),
		path:    r.path(component.DataDB),
	}
	return nil
}

// placeSections finds where the sections are in the file.
func (r *Reader) placeSections(of Sections) error {
	err := of.check()
	if err == nil && len(of.Sections) == 0 {
		err = errors.New("there are no sections")
	}
	if err != nil {
		return err
	}
	r.sections = placesOf(of)
	size, info := r.sections.length(), (*component.CompressionInfo)(nil)
	if of.Compression.Compressor != "" {
		info = &component.CompressionInfo{
			Compression: of.Compression,
			DataLength:  uint64(len(of.Chunks)) * uint64(of.Compression.ChunkLength),
		}
		size = 0
		for _, n := range of.Chunks {
			info.Offsets = append(info.Offsets, size)
			size += uint64(n) + component.SumLen
		}
	}
	pieces, err := newDataPieces(int64(size), info, nil)
	pieces.ragged = true
	r.data = &dataReader{dataPieces: pieces}
	return err
}

// placedSections has the places of sections that are stored one after the other.
type placedSections struct {
	ends []uint64 // of each, when only their bytes are counted
	at   []uint64 // where each begins, in the plain bytes of the chunks that are there
}

// placesOf finds the places of sections.
func placesOf(of Sections) *placedSections {
	p := &placedSections{}
	length := uint64(of.Compression.ChunkLength)
	// stored are the chunks before, next the one of the file behind them
	var end, stored, next uint64
	for _, s := range of.Sections {
		if length == 0 { // not compressed
			p.at = append(p.at, end)
		} else {
			first := s.From / length
			if first < next {
				stored-- // it shares a chunk with the section before
			}
			p.at = append(p.at, stored*length+s.From%length)
			behind := (s.To-1)/length + 1
			stored += behind - first
			next = behind
		}
		end += s.To - s.From
		p.ends = append(p.ends, end)
	}
	return p
}

// length is how many bytes the sections have.
func (p *placedSections) length() uint64 { return p.ends[len(p.ends)-1] }

// sectionReader gives the bytes of sections, one behind the other, from any place on.
type sectionReader struct {
	*placedSections
	in *placedReader
	at uint64
}

// Seek sets the place of the next Read. whence must be io.SeekStart.
func (r *sectionReader) Seek(at int64, whence int) (int64, error) {
	if at < 0 || whence != io.SeekStart {
		return 0, errWhence
	}
	r.at = uint64(at)
	return at, nil
}

// Read gives bytes of one section.
func (r *sectionReader) Read(b []byte) (int, error) {
	i := sort.Search(len(r.ends), func(i int) bool { return r.at < r.ends[i] })
	if i == len(r.ends) {
		return 0, io.EOF
	}
	begin := uint64(0)
	if i > 0 {
		begin = r.ends[i-1]
	}
	if place := r.placedSections.at[i] + r.at - begin; r.in.at != place || len(r.in.rest) == 0 {
		r.in.seek(place)
	}
	n, err := r.in.Read(b[:min(uint64(len(b)), r.ends[i]-r.at)])
	r.at += uint64(n)
	if err == io.EOF {
		err = fields.CutOffError{} // the section continues
	}
	return n, err
}
