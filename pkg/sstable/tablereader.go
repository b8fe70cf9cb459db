package sstable

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// TableReader reads the partitions of an SSTable from its begin to its end: it needs Data.db, Statistics.db, and
// CompressionInfo.db where there is one. Chunks are held against their checksums, and so are blocks where there is a
// CRC.db. What else may be wrong Verify finds. It is not safe for concurrent use.
type TableReader struct {
	tableFiles
	statistics *Statistics
	codec      *Codec
	data       *dataReader
	decoder    *Decoder
	file       *os.File
}

// OpenTable makes a reader of the SSTable of that name in a folder.
func OpenTable(folder string, d Descriptor) (*TableReader, error) {
	r := &TableReader{tableFiles: tableFiles{folder: folder, descriptor: d}}
	if err := r.open(); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", filepath.Join(folder, d.Name("")), err), r.Close())
	}
	return r, nil
}

func (r *TableReader) open() error {
	b, err := r.readWhole(StatisticsDB)
	if err != nil {
		return err
	}
	if r.statistics, err = ParseStatistics(b, r.descriptor.Version); err != nil {
		return err
	}
	table, minima, err := DecodeHeader(r.statistics.Header)
	if err != nil {
		return err
	}
	schema, err := Plan(table)
	if err != nil {
		return err
	}
	if r.codec, err = NewCodec(schema, r.descriptor.Version, minima); err != nil {
		return err
	}
	info, sums, err := r.checksums()
	if err != nil {
		return err
	}
	if r.file, err = os.Open(r.path(DataDB)); err != nil {
		return err
	}
	stat, err := r.file.Stat()
	if err != nil {
		return err
	}
	if r.data, err = newDataReader(r.file, stat.Size(), info, sums); err != nil {
		return err
	}
	r.decoder = NewDecoder(r.codec, r.data, MaxRowBytes)
	return nil
}

// Statistics are those of the SSTable. They are not to be changed.
func (r *TableReader) Statistics() *Statistics { return r.statistics }

// Codec is that of the SSTable, with the columns of its header.
func (r *TableReader) Codec() *Codec { return r.codec }

// Decoder gives the partitions. It is the same with each call.
func (r *TableReader) Decoder() *Decoder { return r.decoder }

// Length is how many bytes the partitions have, not compressed.
func (r *TableReader) Length() int64 { return int64(r.data.length()) }

// Close closes the files.
func (r *TableReader) Close() error {
	if r.file == nil {
		return nil
	}
	return r.file.Close()
}

// tableFiles are the files of an SSTable.
type tableFiles struct {
	folder     string
	descriptor Descriptor
}

// path is the path of a component.
func (f *tableFiles) path(c Component) string { return filepath.Join(f.folder, f.descriptor.Name(c)) }

// readWhole reads a component that must be there.
func (f *tableFiles) readWhole(c Component) ([]byte, error) { return os.ReadFile(f.path(c)) }

// readIfThere reads a component; ok is false when there is none.
func (f *tableFiles) readIfThere(c Component) (b []byte, ok bool, err error) {
	b, err = os.ReadFile(f.path(c))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, false, nil
	}
	return b, err == nil, err
}

// checksums reads what Data.db is read by: one of both, or none.
func (f *tableFiles) checksums() (*CompressionInfo, *BlockSums, error) {
	b, compressed, err := f.readIfThere(CompressionInfoDB)
	if err != nil {
		return nil, nil, err
	}
	sums, ok, err := f.readIfThere(CRCDB)
	switch {
	case err != nil:
		return nil, nil, err
	case ok && compressed:
		return nil, nil, fmt.Errorf("%s and %s are both there", CompressionInfoDB, CRCDB)
	case compressed:
		info, err := ParseCompressionInfo(b, f.descriptor.Version)
		return info, nil, err
	case ok:
		blocks, err := ParseBlockSums(sums)
		return nil, blocks, err
	default:
		return nil, nil, nil
	}
}
