package operation

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/cqlbulk/cqlbulk/internal/driver"
	"github.com/cqlbulk/cqlbulk/internal/human"
	"github.com/cqlbulk/cqlbulk/internal/spec"
	"github.com/cqlbulk/cqlbulk/internal/write/stream"
	"github.com/cqlbulk/cqlbulk/pkg/sstable"
)

// form is what nodes are sent: whole SSTables, or rows one by one.
type form struct {
	whole *stream.WholeOptions // how SSTables are made; nil: rows are sent one by one
	why   string               // why they are, unless that was asked for
}

// chooseForm decides what nodes are sent, and says why rows where whole SSTables would be better.
// others are the nodes that write SSTables of another version than nb. In a folder they are always
// whole: indexes of any class are built, and older versions read, by a node that imports. An error
// says that what was asked for cannot be.
func (l *landing) chooseForm(
	options driver.TableOptions,
	version sstable.Version,
	others []string,
) (form, error) {
	whole, why := wholeOptions(options, defaultChunk(l.t.IsScylla(), version))
	if l.spec.Via == spec.ViaFiles {
		if why != "" {
			return form{}, fmt.Errorf("--via %s: %s", spec.ViaFiles, why)
		}
		return form{whole: whole}, nil
	}
	if l.spec.Stream == spec.StreamRows {
		return form{}, nil
	}
	var reasons []string
	if why != "" {
		reasons = append(reasons, why)
	}
	for _, index := range options.Indexes {
		if index.Class != "" {
			reasons = append(
				reasons,
				fmt.Sprintf(
					"index %s is of %s, which fails when it is sent whole SSTables",
					index.Name,
					index.Class,
				),
			)
		}
	}
	if len(others) > 0 {
		reasons = append(reasons, otherVersions(others))
	}
	why = strings.Join(reasons, "; ")
	switch {
	case why == "":
		return form{whole: whole}, nil
	case l.spec.Stream == spec.StreamWhole:
		return form{}, fmt.Errorf("--stream %s: %s", spec.StreamWhole, why)
	default:
		return form{why: why}, nil
	}
}

// otherVersions names one of the nodes that write SSTables of another version.
func otherVersions(nodes []string) string {
	if more := len(nodes) - 1; more > 0 {
		return fmt.Sprintf(
			"node %s and %s write SSTables of another version than nb",
			nodes[0],
			human.Of(more, "other"),
		)
	}
	return fmt.Sprintf("node %s writes SSTables of another version than nb", nodes[0])
}

// defaultChunk is how many KiB servers compress together where a table does not say: ScyllaDB,
// Cassandra 3.11, and later.
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

// plainCompressors are the compressors that are written for those of ScyllaDB which keep
// dictionaries elsewhere. What a file is compressed by stands in it.
var plainCompressors = map[string]string{
	"LZ4WithDictsCompressor":  sstable.LZ4Compressor,
	"ZstdWithDictsCompressor": sstable.ZstdCompressor,
}

// compressionOptions are the table's own options among those of its compression; all others are the
// compressor's. Some have an older name, which ScyllaDB keeps
// (org.apache.cassandra.schema.CompressionParams).
var compressionOptions = []string{
	"class",
	"sstable_compression",
	"chunk_length_in_kb",
	"chunk_length_kb",
	"min_compress_ratio",
	"enabled",
	"crc_check_chance",
}

// wholeOptions says how SSTables of a table are made, or why they cannot be. chunk is how many KiB
// are compressed together where the table does not say.
func wholeOptions(o driver.TableOptions, chunk string) (whole *stream.WholeOptions, why string) {
	whole = &stream.WholeOptions{FilterChance: o.BloomFPChance, IndexInterval: o.MinIndexInterval}
	class := cmp.Or(o.Compression["class"], o.Compression["sstable_compression"])
	if class == "" {
		return whole, ""
	}
	c := &whole.Compression
	c.Compressor = class[strings.LastIndexByte(class, '.')+1:]
	c.Compressor = cmp.Or(plainCompressors[c.Compressor], c.Compressor)
	if !slices.Contains(
		[]string{sstable.LZ4Compressor, sstable.ZstdCompressor, sstable.NoopCompressor},
		c.Compressor,
	) {
		return nil, fmt.Sprintf(
			"the table is compressed by %s, which is not written here",
			c.Compressor,
		)
	}
	kib := cmp.Or(o.Compression["chunk_length_in_kb"], o.Compression["chunk_length_kb"], chunk)
	length, err := strconv.Atoi(kib)
	if err != nil || length < 1 {
		return nil, fmt.Sprintf("the table's chunks are of %q KiB", kib)
	}
	c.ChunkLength = length << 10
	if ratio, err := strconv.ParseFloat(
		o.Compression["min_compress_ratio"],
		64,
	); err == nil &&
		ratio >= 1 {
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
