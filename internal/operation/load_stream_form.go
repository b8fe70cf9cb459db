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
func (l *Load) chooseForm(s *streaming, options driver.TableOptions) error {
	whole, why := wholeOptions(options)
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

// wholeOptions says how SSTables of a table are made, or why they cannot be.
func wholeOptions(o driver.TableOptions) (whole *stream.WholeOptions, why string) {
	whole = &stream.WholeOptions{FilterChance: o.BloomFPChance, IndexInterval: o.MinIndexInterval}
	if len(o.Compression) == 0 {
		return whole, ""
	}
	c := &whole.Compression
	c.Compressor = o.Compression["class"][strings.LastIndexByte(o.Compression["class"], '.')+1:]
	if !slices.Contains([]string{sstable.LZ4Compressor, sstable.ZstdCompressor, sstable.NoopCompressor}, c.Compressor) {
		return nil, fmt.Sprintf("the table is compressed by %s, which is not written here", c.Compressor)
	}
	length, err := strconv.Atoi(o.Compression["chunk_length_in_kb"])
	if err != nil || length < 1 {
		return nil, fmt.Sprintf("the table's chunks are of %q KiB", o.Compression["chunk_length_in_kb"])
	}
	c.ChunkLength = length << 10
	if ratio, err := strconv.ParseFloat(o.Compression["min_compress_ratio"], 64); err == nil && ratio >= 1 {
		c.MaxCompressedLength = int(math.Ceil(float64(c.ChunkLength) / ratio))
	}
	for name, value := range o.Compression {
		if name != "class" && name != "chunk_length_in_kb" && name != "min_compress_ratio" && name != "enabled" {
			c.Options = append(c.Options, [2]string{name, value})
		}
	}
	slices.SortFunc(c.Options, func(a, b [2]string) int { return cmp.Compare(a[0], b[0]) })
	return whole, ""
}
