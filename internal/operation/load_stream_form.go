package operation

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/cqlbulk/cqlbulk/internal/driver"
	"github.com/cqlbulk/cqlbulk/internal/target/stream"
	"github.com/cqlbulk/cqlbulk/pkg/sstable"
)

// chooseForm decides whether nodes are sent whole SSTables. In a folder they always are: indexes of any class are
// built, and older versions read, by a node that imports.
func (l *landing) chooseForm(s *streaming, options driver.TableOptions) error {
	whole, why := wholeOptions(options, defaultChunk(l.t.isScylla(), s.options.Version))
	switch {
	case l.spec.Via == viaFiles && why != "":
		return fmt.Errorf("--via %s: %s", viaFiles, why)
	case l.spec.Via == viaFiles:
		s.options.Whole = whole
		return nil
	case l.spec.Stream == streamRows:
		return nil
	}
	for _, index := range options.Indexes {
		if index.Class != "" {
			why = fmt.Sprintf("index %s is of %s, which fails when it is sent whole SSTables", index.Name, index.Class)
		}
	}
	if s.others {
		why = "some nodes write SSTables of another version than nb"
	}
	if why != "" && l.spec.Stream == streamWhole {
		return fmt.Errorf("--stream %s: %s", streamWhole, why)
	}
	if why != "" {
		l.env.Warn("rows are streamed one by one: %s", why)
		return nil
	}
	s.options.Whole = whole
	return nil
}

// defaultChunk is how many KiB servers compress together where a table does not say: ScyllaDB, Cassandra 3.11, and later.
func defaultChunk(scylla bool, v sstable.Version) string {
	switch {
	case scylla:
		return "4"
	case v < sstable.NA:
		return "64"
	default:
		return "16"
	}
}

// plainCompressors are the compressors that are written for those of ScyllaDB which keep dictionaries elsewhere. What a
// file is compressed by stands in it.
var plainCompressors = map[string]string{
	"LZ4WithDictsCompressor": sstable.LZ4Compressor, "ZstdWithDictsCompressor": sstable.ZstdCompressor,
}

// compressionOptions are the table's own options among those of its compression; all others are the compressor's. Some
// have an older name, which ScyllaDB keeps (org.apache.cassandra.schema.CompressionParams).
var compressionOptions = []string{
	"class", "sstable_compression", "chunk_length_in_kb", "chunk_length_kb", "min_compress_ratio", "enabled", "crc_check_chance",
}

// wholeOptions says how SSTables of a table are made, or why they cannot be. chunk is how many KiB are compressed
// together where the table does not say.
func wholeOptions(o driver.TableOptions, chunk string) (whole *stream.WholeOptions, why string) {
	whole = &stream.WholeOptions{FilterChance: o.BloomFPChance, IndexInterval: o.MinIndexInterval}
	class := cmp.Or(o.Compression["class"], o.Compression["sstable_compression"])
	if class == "" {
		return whole, ""
	}
	c := &whole.Compression
	c.Compressor = class[strings.LastIndexByte(class, '.')+1:]
	c.Compressor = cmp.Or(plainCompressors[c.Compressor], c.Compressor)
	if !slices.Contains([]string{sstable.LZ4Compressor, sstable.ZstdCompressor, sstable.NoopCompressor}, c.Compressor) {
		return nil, fmt.Sprintf("the table is compressed by %s, which is not written here", c.Compressor)
	}
	kib := cmp.Or(o.Compression["chunk_length_in_kb"], o.Compression["chunk_length_kb"], chunk)
	length, err := strconv.Atoi(kib)
	if err != nil || length < 1 {
		return nil, fmt.Sprintf("the table's chunks are of %q KiB", kib)
	}
	c.ChunkLength = length << 10
	if ratio, err := strconv.ParseFloat(o.Compression["min_compress_ratio"], 64); err == nil && ratio >= 1 {
		c.MaxCompressedLength = int(math.Ceil(float64(c.ChunkLength) / ratio))
	}
	for name, value := range o.Compression {
		if !slices.Contains(compressionOptions, name) {
			c.Options = append(c.Options, [2]string{name, value})
		}
	}
	slices.SortFunc(c.Options, func(a, b [2]string) int { return cmp.Compare(a[0], b[0]) })
	return whole, ""
}
