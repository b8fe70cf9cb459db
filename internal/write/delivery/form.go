package delivery

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
	"github.com/cqlbulk/cqlbulk/pkg/sstable/component"
)

// form is what nodes are sent: entire SSTables, or rows one by one.
type form struct {
	Whole *stream.WholeOptions // of entire SSTables; nil: rows are sent one by one
	Why   string               // why rows are sent one by one; empty: --stream asks for it
}

// ChooseForm decides whether nodes are sent entire SSTables, which is faster, or rows one by one.
// The others are the nodes that write SSTables of another version than nb. SSTables in a folder are
// always entire: a node that imports them builds indexes of any class, and reads older versions. It
// returns an error if the form that --stream or --via asks for is not possible.
func (d *Delivery) ChooseForm(
	options driver.TableOptions,
	version component.Version,
	others []string,
) (form, error) {
	whole, why := wholeOptions(options, defaultChunk(d.Table.IsScylla(), version))
	if d.Spec.Via == spec.ViaFiles {
		if why != "" {
			return form{}, fmt.Errorf("--via %s: %s", spec.ViaFiles, why)
		}
		return form{Whole: whole}, nil
	}
	if d.Spec.Stream == spec.StreamRows {
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
					"index %s is of %s, which fails if it is sent entire SSTables",
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
		return form{Whole: whole}, nil
	case d.Spec.Stream == spec.StreamWhole:
		return form{}, fmt.Errorf("--stream %s: %s", spec.StreamWhole, why)
	default:
		return form{Why: why}, nil
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

// defaultChunk returns the compression chunk length, in KiB, of servers for a table without that
// option: ScyllaDB, Cassandra 3.11, and later versions.
func defaultChunk(scylla bool, v component.Version) string {
	switch {
	case scylla:
		return "4"
	case v < component.NA:
		return "64"
	default:
		return "16"
	}
}

// plainCompressors are written in place of compressors of ScyllaDB whose dictionaries are not in
// the SSTable. Each SSTable names its compressor, so servers read them.
var plainCompressors = map[string]string{
	"LZ4WithDictsCompressor":  component.LZ4Compressor,
	"ZstdWithDictsCompressor": component.ZstdCompressor,
}

// compressionOptions are the options of a table's compression that are not its compressor's
// (org.apache.cassandra.schema.CompressionParams). ScyllaDB still has the older names of some.
var compressionOptions = []string{
	"class",
	"sstable_compression",
	"chunk_length_in_kb",
	"chunk_length_kb",
	"min_compress_ratio",
	"enabled",
	"crc_check_chance",
}

// wholeOptions returns the options of a table's SSTables, or why they cannot be written here. A
// table without the option has compression chunks of that many KiB.
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
		[]string{component.LZ4Compressor, component.ZstdCompressor, component.NoopCompressor},
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
