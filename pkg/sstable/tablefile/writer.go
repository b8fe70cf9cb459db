package tablefile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
	"github.com/cqlbulk/cqlbulk/pkg/sstable"
	"github.com/cqlbulk/cqlbulk/pkg/sstable/component"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// Options are the settings of a Writer.
type Options struct {
	// ID is unique among the SSTables of a folder: see Descriptor.
	ID string
	// Keys is the expected number of partitions. The size of Filter.db, and the memory for it,
	// depend on it: see NewFilter.
	Keys int64
	// FilterChance is the table's bloom_filter_fp_chance: above 0, and NoFilter for no Filter.db.
	FilterChance float64
	// IndexInterval is the table's min_index_interval, at least 1.
	IndexInterval int
	// Compression is the table's. A MaxCompressedLength of 0 stands for NeverPlain.
	Compression component.Compression
}

// Written describes an SSTable that was written.
type Written struct {
	component.Descriptor
	// Sizes are the sizes of the components in bytes.
	Sizes map[component.Kind]int64
	// Partitions and Rows are their numbers. A static row that is not empty counts as a row.
	Partitions, Rows int64
	// DataLength is the number of bytes of Data.db, not compressed.
	DataLength int64
	// First and Last are the keys of the first and last partition.
	First, Last []byte
}

// Writer writes an SSTable with all of its components. Partitions come in the order of their
// tokens and keys. Rows come in the order of their clustering, which the caller must ensure. The
// caller ends with Commit or Abort.
//
// It needs memory for the filter, 8 bytes for each chunk, and 4 for each block of 64 KiB that is
// not compressed. It also keeps one key of every IndexInterval, and two clusterings for each 64 KiB
// of the current partition. It is not safe for concurrent use.
type Writer struct {
	codec   *sstable.Codec
	options Options
	to      Output
	outputs []*output
	data    *dataWriter
	index   *output
	rows    *sstable.PartitionWriter
	filter  *component.Filter // nil: none
	hashed  component.Hashes  // keys that are not in the filter yet
	summary *component.Summary
	keys    component.Cardinality
	collect *collector
	bounds  clusteringBounds
	blocks  indexBlocks
	entry   []byte // of Index.db
	row     sstable.Row
	last    token.Token
	h1, h2  uint64 // of the key
	length  int64
}

// Create returns a writer of an SSTable of the codec's version.
func Create(to Output, c *sstable.Codec, o Options) (*Writer, error) {
	if err := c.Version().CheckWritable(); err != nil {
		return nil, err
	}
	if err := o.check(); err != nil {
		return nil, err
	}
	w := &Writer{
		codec: c, options: o, summary: component.NewSummary(
			o.IndexInterval,
		), collect: newCollector(),
		bounds: clusteringBounds{schema: c.Schema()},
	}
	if o.FilterChance < component.NoFilter {
		w.filter = component.NewFilter(o.Keys, o.FilterChance)
	}
	if err := to.Begin(w.descriptor()); err != nil {
		return nil, err
	}
	w.to = to
	if err := w.open(); err != nil {
		return nil, errors.Join(err, w.Abort())
	}
	return w, nil
}

// descriptor names the SSTable.
func (w *Writer) descriptor() component.Descriptor {
	return component.Descriptor{Version: w.codec.Version(), ID: w.options.ID}
}

// output is a component that is being written. It counts its bytes.
type output struct {
	io.WriteCloser
	component component.Kind
	written   int64
}

// Write writes some bytes.
func (o *output) Write(b []byte) (int, error) {
	n, err := o.WriteCloser.Write(b)
	o.written += int64(n)
	return n, err
}

// create creates a component.
func (w *Writer) create(c component.Kind) (*output, error) {
	out, err := w.to.Create(c)
	if err != nil {
		return nil, err
	}
	o := &output{WriteCloser: out, component: c}
	w.outputs = append(w.outputs, o)
	return o, nil
}

// write creates a component with all its bytes.
func (w *Writer) write(c component.Kind, b []byte) error {
	o, err := w.create(c)
	if err == nil {
		_, err = o.Write(b)
	}
	return err
}

// commit writes TOC.txt and commits the components. It returns their sizes.
func (w *Writer) commit() (map[component.Kind]int64, error) {
	components := []component.Kind{component.TOCTxt}
	for _, o := range w.outputs {
		components = append(components, o.component)
	}
	slices.Sort(components)
	if err := w.write(component.TOCTxt, component.AppendTOC(nil, components)); err != nil {
		return nil, err
	}
	sizes := make(map[component.Kind]int64)
	for _, o := range w.outputs {
		if err := o.Close(); err != nil {
			return nil, err
		}
		sizes[o.component] = o.written
	}
	return sizes, w.to.Commit()
}

// open makes the files that grow with the partitions.
func (w *Writer) open() error {
	out, err := w.create(component.DataDB)
	if err != nil {
		return err
	}
	if w.index, err = w.create(component.IndexDB); err != nil {
		return err
	}
	compression := w.options.Compression
	if compression.MaxCompressedLength == 0 {
		compression.MaxCompressedLength = component.NeverPlain
	}
	if w.data, err = newDataWriter(out, compression, w.codec.Version()); err != nil {
		return err
	}
	w.rows, err = sstable.NewPartitionWriter(w.codec, w.data, (*tableIndex)(w))
	return err
}

// check says what is wrong with the options.
func (o *Options) check() error {
	if err := component.CheckID(o.ID); err != nil {
		return err
	}
	switch {
	case o.Keys < 0:
		return fmt.Errorf("%d keys are expected", o.Keys)
	case !(o.FilterChance > 0 && o.FilterChance <= component.NoFilter):
		return fmt.Errorf(
			"bloom_filter_fp_chance %v: must be above 0 and at most %v",
			o.FilterChance,
			component.NoFilter,
		)
	default:
		return checkInterval(o.IndexInterval)
	}
}

// checkInterval says what is wrong with a table's min_index_interval.
func checkInterval(interval int) error {
	if interval < 1 {
		return fmt.Errorf("min_index_interval %d: must be at least 1", interval)
	}
	return nil
}

// Begin begins a partition. The key is that of token.AppendKey, and must come behind the one
// before.
func (w *Writer) Begin(key []byte, d sstable.Deletion) error {
	w.h1, w.h2 = token.Murmur3Sum128(key)
	at := token.Murmur3Token(w.h1)
	if w.rows.Partitions() > 0 {
		if before := w.summary.Last; comparePartitions(w.last, before, at, key) >= 0 {
			return fmt.Errorf("partition key %x does not come behind %x", clip(key), clip(before))
		}
	}
	w.last = at
	w.collect.partition(d)
	return w.rows.Begin(key, d)
}

// comparePartitions orders keys as they stand in files
// (org.apache.cassandra.db.DecoratedKey.compareTo).
func comparePartitions(a token.Token, keyA []byte, b token.Token, keyB []byte) int {
	if c := a.Compare(b); c != 0 {
		return c
	}
	return bytes.Compare(keyA, keyB)
}

// clip shortens a key for an error.
func clip(key []byte) []byte { return key[:min(len(key), 64)] }

// Static writes the static row of the partition, in the form of Codec.AppendRow.
func (w *Writer) Static(encoded []byte) error {
	if err := w.codec.DecodeRow(encoded, &w.row); err != nil {
		return err
	}
	w.collect.row(&w.row)
	return w.rows.Static(encoded)
}

// Row writes a row, in the form of Codec.AppendRow.
func (w *Writer) Row(encoded []byte) error {
	if err := w.codec.DecodeRow(encoded, &w.row); err != nil {
		return err
	}
	w.collect.row(&w.row)
	return w.rows.Row(encoded)
}

// Marker writes the bound of a range of deleted rows.
func (w *Writer) Marker(m *sstable.Marker) error {
	w.collect.marker(m)
	return w.rows.Marker(m)
}

// End ends the partition.
func (w *Writer) End() error { return w.rows.End() }

// Take writes the remaining partitions of a decoder, with the bytes of their rows unchanged. The
// decoder's codec must be the writer's own. Take returns the first error of either.
func (w *Writer) Take(from *sstable.Decoder) error {
	if from.Codec() != w.codec {
		return errors.New("rows of another codec are not taken as they are")
	}
	return sstable.CopyFunc(w, from, func() error {
		w.collect.row(from.Row())
		return w.rows.CopyRow(from)
	})
}

// tableIndex is a Writer as the observer of its partitions.
type tableIndex Writer

func (w *tableIndex) Block(b *sstable.Block) error {
	if err := w.bounds.block(b); err != nil {
		return err
	}
	return w.blocks.add(b, w.codec.Version())
}

func (w *tableIndex) Partition(p *sstable.Partition) error {
	if err := w.bounds.end(); err != nil {
		return err
	}
	w.collect.end(p.Length)
	w.length = p.Position + p.Length
	var promoted []byte
	if len(w.blocks.offsets) > 1 {
		var err error
		if promoted, err = w.blocks.append(
			nil,
			p.HeaderLength,
			p.Deletion,
			w.codec.Version(),
		); err != nil {
			return err
		}
	}
	w.blocks.reset()
	w.summary.Add(w.rows.Partitions()-1, p.Key, uint64(w.index.written))
	w.keys.Add(p.Key)
	if w.filter != nil {
		if w.hashed.Full() {
			w.filter.AddAll(&w.hashed)
		}
		w.hashed.Take(w.h1, w.h2)
	}
	w.entry = component.AppendIndexEntry(
		w.entry[:0],
		component.IndexEntry{Key: p.Key, Position: uint64(p.Position), Promoted: promoted},
	)
	_, err := w.index.Write(w.entry)
	return err
}

// Position returns the number of bytes of Data.db that were written, not compressed.
func (w *Writer) Position() int64 { return w.rows.Position() }

// Commit writes the remaining components and commits the output. After an error, the caller must
// call Abort.
func (w *Writer) Commit() (*Written, error) {
	if w.rows.Partitions() == 0 {
		return nil, errors.New("an sstable has no partitions")
	}
	if err := w.rows.Flush(); err != nil {
		return nil, err
	}
	if err := w.data.close(); err != nil {
		return nil, err
	}
	statistics := w.statistics()
	components := map[component.Kind][]byte{
		component.SummaryDB:    w.summary.Append(nil),
		component.StatisticsDB: statistics.Append(nil, w.codec.Version()),
		component.DigestCRC32:  component.AppendDigest(nil, w.data.digest),
	}
	if w.filter != nil {
		w.filter.AddAll(&w.hashed)
		components[component.FilterDB] = w.filter.Append(nil, w.codec.Version())
	}
	if w.data.compress != nil {
		components[component.CompressionInfoDB] = w.data.info.Append(nil, w.codec.Version())
	} else {
		components[component.CRCDB] = w.data.sums.Append(nil)
	}
	for component, b := range components {
		if err := w.write(component, b); err != nil {
			return nil, err
		}
	}
	sizes, err := w.commit()
	if err != nil {
		return nil, err
	}
	return &Written{
		Descriptor: w.descriptor(),
		Sizes:      sizes,
		Partitions: w.rows.Partitions(),
		Rows:       statistics.Stats.Rows,
		DataLength: w.length,
		First:      w.summary.First,
		Last:       w.summary.Last,
	}, nil
}

// statistics gives what Statistics.db has.
func (w *Writer) statistics() *component.Statistics {
	stats := w.collect.finish()
	stats.CompressionRatio = w.data.ratio()
	if w.codec.Version() >= component.NA {
		// From 4.0 on servers write how many bins there are instead of how many there may be.
		stats.Tombstones.Bins = len(stats.Tombstones.Seconds)
	}
	stats.MinClustering, stats.MaxClustering = w.bounds.least.stored(), w.bounds.greatest.stored()
	for _, column := range w.codec.Schema().Table().Clustering {
		class := column.Type.StoredClass()
		if column.Desc {
			class = cqltype.StoredReversed(column.Type)
		}
		stats.ClusteringTypes = append(stats.ClusteringTypes, class)
	}
	stats.FirstKey, stats.LastKey = w.summary.First, w.summary.Last
	return &component.Statistics{
		Partitioner:  component.Murmur3Partitioner,
		FilterChance: w.options.FilterChance,
		Cardinality:  &w.keys,
		Stats:        stats,
		Header:       w.codec.AppendHeader(nil),
	}
}

// Abort removes what was written, unless Commit has succeeded. It may be called at any time, and
// more than once.
func (w *Writer) Abort() error { return w.to.Abort() }
