package tablefile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"sync"

	"github.com/cqlbulk/cqlbulk/pkg/sstable"
	"github.com/cqlbulk/cqlbulk/pkg/sstable/component"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// Reader reads the partitions of an SSTable of any version. Decoder returns all of them, in the
// order of the file, and Within those in ranges of tokens. A Reader needs Data.db, Statistics.db,
// and CompressionInfo.db if the file is compressed. With Index.db and Summary.db, Within is
// quicker.
//
// The checksums of chunks are verified, and with a CRC.db those of blocks. Other damage may stay
// unseen, so that Verify is the stricter one. Without a CRC.db, a value of a file that is not
// compressed may be wrong. Before version NA, Statistics.db has no checksums, so that times may be
// wrong.
//
// The Decoder of Decoder is for one goroutine. All other methods except Close may be called by any
// number of goroutines.
type Reader struct {
	tableFiles
	statistics  *component.Statistics
	partitioner token.Partitioner // nil: one that is not known
	codec       *sstable.Codec
	data        *dataReader
	decoder     *Decoder
	file        RandomReader
	index       File            // nil: none
	sections    *placedSections // nil: the file is whole
	damage      *DamagedError   // why no partition can be read; nil: they can

	// What is read once, when it is asked for.
	summary    func() *summaryLookup
	sample     func() (*sample, error)
	bounds     func() ([2]Bound, error)
	span       func() span
	indexFirst func() ([]byte, error)
	indexLast  func() ([]byte, error)
}

// Open returns a reader of an SSTable. It refuses versions and compressors that it does not know,
// encrypted files, and counters of Cassandra 2.0. If a component is damaged without which no
// partition can be read, the error is a *DamagedError.
func Open(f Files) (*Reader, error) {
	r := &Reader{tableFiles: tableFiles{f}}
	if err := r.open(); err != nil {
		if !errors.As(err, new(*component.Error)) {
			err = fmt.Errorf("%s: %w", r.base(), err)
		}
		return nil, errors.Join(err, r.Close())
	}
	r.decoder.path = r.path(component.DataDB)
	return r, nil
}

func (r *Reader) open() error {
	if v := r.version(); !v.Readable() {
		return fmt.Errorf("%s of an SSTable is not known", v)
	}
	if err := r.refuseEncrypted(); err != nil {
		return err
	}
	b, err := r.readWhole(component.StatisticsDB)
	if err != nil {
		return err
	}
	if r.statistics, err = component.ParseStatistics(b, r.version()); err != nil {
		return damagedBy(r.damaged(component.StatisticsDB, err))
	}
	if p, err := token.ByClass(r.statistics.Partitioner); err == nil {
		r.partitioner = p
	}
	if r.statistics.Stats.LegacyCounterShards {
		return fmt.Errorf(
			"%s: counters with local or remote shards, which Cassandra 2.0 wrote, are not read",
			component.StatisticsDB,
		)
	}
	if r.codec, err = sstable.ReadCodec(r.statistics.Header, r.version()); err != nil {
		return err
	}
	info, sums, err := r.checksums()
	if err != nil {
		return err
	}
	if info == nil && r.statistics.Stats.CompressionRatio > 0 {
		return fmt.Errorf(
			"%s is missing, and %s has the compression ratio %.3g: copy it again",
			component.CompressionInfoDB,
			component.StatisticsDB,
			r.statistics.Stats.CompressionRatio,
		)
	}
	file, err := r.files.Open(component.DataDB)
	if err != nil {
		return err
	}
	r.file = file
	if err := r.openIndex(); err != nil {
		return err
	}
	if r.data, err = newDataReader(sequential(file), file.Size(), info, sums); err != nil {
		return err
	}
	r.decoder = &Decoder{Decoder: sstable.NewDecoder(r.codec, r.data, sstable.MaxRowBytes)}
	r.findOnce()
	return nil
}

// openIndex opens Index.db, where there is one.
func (r *Reader) openIndex() error {
	if !r.version().HasIndex() {
		return nil
	}
	index, err := r.files.Open(component.IndexDB)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		r.index = index
	}
	return err
}

// DamagedError is the error of a component that cannot be parsed, if no partition can be read
// without it.
type DamagedError struct{ err error }

// Error returns the component, and what is wrong with it.
func (e *DamagedError) Error() string { return e.err.Error() }

// Unwrap returns the cause.
func (e *DamagedError) Unwrap() error { return e.err }

// damagedBy is the error of a component that cannot be parsed.
func damagedBy(err error) error {
	if err == nil {
		return nil
	}
	return &DamagedError{err}
}

// OpenDamaged returns a reader of an SSTable for which Open fails with a *DamagedError. Its
// Overlaps uses the index to report which ranges the SSTable may have had partitions in. Its Within
// returns damage. Codec, Statistics, Decoder and Length must not be used. p is the partitioner of
// the table.
func OpenDamaged(f Files, p token.Partitioner, damage *DamagedError) (*Reader, error) {
	r := &Reader{
		tableFiles: tableFiles{f}, partitioner: p, damage: damage,
		statistics: &component.Statistics{Stats: &component.Stats{}},
	}
	if err := r.openIndex(); err != nil {
		return nil, fmt.Errorf("%s: %w", r.base(), err)
	}
	r.findOnce()
	return r, nil
}

// plainLength is how many bytes the partitions have, or a number that is larger.
func (r *Reader) plainLength() uint64 {
	if r.data == nil {
		return math.MaxUint64
	}
	return r.data.length()
}

// findOnce has what is read once be read when it is asked for.
func (r *Reader) findOnce() {
	r.summary, r.sample = sync.OnceValue(r.openSummary), sync.OnceValues(r.makeSample)
	r.indexFirst, r.indexLast = sync.OnceValues(r.readIndexFirst), sync.OnceValues(r.readIndexLast)
	r.bounds, r.span = sync.OnceValues(r.readBounds), sync.OnceValue(r.readSpan)
}

// plain makes a reader of the plain bytes.
func (r *Reader) plain() io.ReadSeeker {
	in := newPlacedReader(r.file, &r.data.dataPieces)
	if r.sections == nil {
		return in
	}
	return &sectionReader{placedSections: r.sections, in: in}
}

// encryption stands in Scylla.db where ScyllaDB encrypted the other components (its
// ent/encryption/encryption.cc).
const encryption = "scylla_encryption_options"

// refuseEncrypted fails where the components are encrypted.
func (r *Reader) refuseEncrypted() error {
	b, _, err := r.readIfThere(component.ScyllaDB)
	if err == nil && bytes.Contains(b, []byte(encryption)) {
		err = fmt.Errorf("is encrypted, as %s says: that is not read", component.ScyllaDB)
	}
	return err
}

// Statistics returns the statistics of the SSTable. The caller must not change them.
func (r *Reader) Statistics() *component.Statistics { return r.statistics }

// Codec returns the codec of the SSTable, with the columns of its header.
func (r *Reader) Codec() *sstable.Codec { return r.codec }

// Decoder returns the decoder of all partitions. Each call returns the same one.
func (r *Reader) Decoder() *Decoder { return r.decoder }

// ReadMemory returns the memory in bytes that a Decoder of Within takes. A row that is larger than
// what the Decoder reads at once takes more.
func (r *Reader) ReadMemory() int64 {
	if r.damage != nil {
		return 0
	}
	length := r.Length()
	piece := min(int64(r.data.pieceLength()), length)
	return 2*piece + min(sstable.ReadBytes, length) + decoderMemory
}

// decoderMemory is what a Decoder takes beside the bytes that it reads.
const decoderMemory = 8 << 10

// Length returns the number of bytes of the partitions, not compressed.
func (r *Reader) Length() int64 {
	if r.sections != nil {
		return int64(r.sections.length())
	}
	return int64(r.data.length())
}

// Close closes the files.
func (r *Reader) Close() error {
	var err error
	if r.file != nil {
		err = r.file.Close()
	}
	if r.index != nil {
		err = errors.Join(err, r.index.Close())
	}
	return err
}

// checksums reads what Data.db is read by: one of both, or none.
func (f tableFiles) checksums() (*component.CompressionInfo, *component.BlockSums, error) {
	b, compressed, err := f.readIfThere(component.CompressionInfoDB)
	if err != nil {
		return nil, nil, err
	}
	sums, ok, err := f.readIfThere(component.CRCDB)
	switch {
	case err != nil:
		return nil, nil, err
	case ok && compressed:
		return nil, nil, fmt.Errorf(
			"%s and %s are both there",
			component.CompressionInfoDB,
			component.CRCDB,
		)
	case compressed:
		info, err := component.ParseCompressionInfo(b, f.version())
		return info, nil, damagedBy(f.damaged(component.CompressionInfoDB, err))
	case ok:
		blocks, err := component.ParseBlockSums(sums)
		return nil, blocks, damagedBy(f.damaged(component.CRCDB, err))
	default:
		return nil, nil, nil
	}
}
