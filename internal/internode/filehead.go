package internode

import (
	"bytes"
	"errors"
	"fmt"
	"net/netip"

	"github.com/cqlbulk/cqlbulk/pkg/cqlwire"
)

// rowsVersion is the SSTable version of partitions that are sent row by row. The node writes them
// in its own version.
const rowsVersion = "nb"

const (
	formatBig = "big"
	// notCompressed replaces the number of chunks if a file is not compressed.
	notCompressed = -1
	// maxChunkList is the largest size in bytes of the list of a file's chunks. With chunks of 16
	// KiB that is enough for 170 GB, and takes less than twice as much memory.
	maxChunkList = 128 << 20
)

// maxComponents is more than the number of components of any SSTable.
const maxComponents = 64

// dataComponent is the component with the partitions.
const dataComponent = "Data.db"

const (
	// sumsComponent is the component with the checksums of the blocks of an uncompressed Data.db.
	sumsComponent = "CRC.db"
	// maxSums is the largest size of sumsComponent that is read, in bytes: that of 4 TiB in blocks
	// of 64 KiB.
	maxSums = 256 << 20
)

// Manifest lists an entire SSTable's components in the order in which their bytes follow
// (ComponentManifest).
type Manifest []ManifestEntry

// ManifestEntry is one component: its name, such as Data.db, and its size in bytes.
type ManifestEntry struct {
	Name string
	Size int64
}

// Section is a run of a file's uncompressed bytes, from From to before To
// (SSTableReader.PartitionPositionBounds).
type Section struct{ From, To int64 }

// Compression is how a file is compressed, and which of its chunks follow, in their order in the
// file (CompressionInfo).
type Compression struct {
	Chunks     []Chunk
	Compressor string // a class name
	Options    []CompressorOption
	// ChunkLength is the number of uncompressed bytes of a chunk, except for the last one of the
	// file.
	ChunkLength int
	// MaxCompressed is the compressed size from which a chunk is stored uncompressed, in bytes.
	MaxCompressed int
}

// Chunk is a chunk's position in Data.db, and its length there without the checksum of ChunkSumLen
// bytes that follows it.
type Chunk struct {
	Offset int64
	Length int
}

// ChunkSumLen is the length of a chunk's checksum.
const ChunkSumLen = 4

// CompressorOption is an option of a compressor, as in a table's schema.
type CompressorOption struct{ Name, Value string }

// FileHead comes before a file's payload on a file connection: StreamMessageHeader and
// CassandraStreamHeader.
type FileHead struct {
	Table UUID
	From  netip.AddrPort // as in the handshake
	Plan  UUID
	// Asked is true if the node sends the file on request, and false if the side that opened the
	// session sends it.
	Asked    bool
	Sequence int // number of the file among those of this table in this session
	// RepairedAt is when the file was repaired, in milliseconds since 1970; 0: never. PendingRepair
	// is the id of the session that repairs it; nil: none.
	RepairedAt    int64
	PendingRepair *UUID

	Version string
	Format  string // big or bti
	Keys    int64  // estimated number of partitions
	// Sections are the sections of the file that follow. An entire SSTable that is sent to a node
	// has none here.
	Sections []Section
	// Compression is nil if the file is not compressed, or its blocks follow. Otherwise, unless the
	// SSTable is entire, the chunks follow as in Data.db, each with its checksum.
	Compression *Compression
	Level       int
	Header      []byte // component HEADER of Statistics.db
	// Manifest is that of an entire SSTable; nil: partitions row by row. FirstKey is the key of its
	// first partition.
	Manifest Manifest
	FirstKey []byte
}

// Length returns the number of uncompressed bytes of the sections.
func (m *FileHead) Length() (n int64) {
	for _, s := range m.Sections {
		n += s.To - s.From
	}
	return n
}

func (m *FileHead) append(dst []byte) []byte {
	dst = append(append(dst, idStream), m.Table[:]...)
	dst = append(appendAddress(dst, m.From), m.Plan[:]...)
	dst = appendBool(dst, m.Asked)
	dst = appendI32(dst, 0) // session index
	dst = appendI32(dst, int32(m.Sequence))
	dst = appendI64(dst, m.RepairedAt)
	dst = appendBool(dst, m.PendingRepair != nil)
	if m.PendingRepair != nil {
		dst = append(dst, m.PendingRepair[:]...)
	}

	dst = appendText(appendText(dst, m.Version), m.Format)
	dst = appendI64(dst, m.Keys)
	dst = appendI32(dst, int32(len(m.Sections)))
	for _, s := range m.Sections {
		dst = appendI64(appendI64(dst, s.From), s.To)
	}
	dst = m.Compression.append(dst)
	dst = appendI32(dst, int32(m.Level))
	dst = append(append(dst, m.Header...), m.Table[:]...)
	dst = appendBool(dst, m.Manifest != nil)
	if m.Manifest == nil {
		return dst
	}
	dst = cqlwire.AppendUvint(dst, uint64(len(m.Manifest)))
	for _, c := range m.Manifest {
		dst = cqlwire.AppendUvint(appendText(dst, c.Name), uint64(c.Size))
	}
	return appendVB(dst, m.FirstKey)
}

// stored returns the size of the chunks in the file, with their checksums.
func (c *Compression) stored() (n int64) {
	for _, chunk := range c.Chunks {
		n += int64(chunk.Length) + ChunkSumLen
	}
	return n
}

func (c *Compression) append(dst []byte) []byte {
	if c == nil {
		return appendI32(dst, notCompressed)
	}
	dst = appendI32(dst, int32(len(c.Chunks)))
	for _, chunk := range c.Chunks {
		dst = appendI32(appendI64(dst, chunk.Offset), int32(chunk.Length))
	}
	dst = appendI32(appendText(dst, c.Compressor), int32(len(c.Options)))
	for _, o := range c.Options {
		dst = appendText(appendText(dst, o.Name), o.Value)
	}
	return appendI32(appendI32(dst, int32(c.ChunkLength)), int32(c.MaxCompressed))
}

// fileHead reads what [FileHead.append] writes.
func (d *decoder) fileHead() *FileHead {
	m := &FileHead{Table: d.uuid(), From: d.address(), Plan: d.uuid(), Asked: d.boolean()}
	d.want("session", 0)
	m.Sequence, m.RepairedAt = d.number("sequence"), d.length("repaired at")
	if d.boolean() {
		pending := d.uuid()
		m.PendingRepair = &pending
	}

	m.Version, m.Format = d.text(), d.text()
	if m.Format != formatBig && m.Format != "bti" {
		d.fail("SSTable format %q", m.Format)
	}
	m.Keys = d.length("keys")
	m.Sections = d.sections()
	m.Compression = d.compression()
	m.Level = d.number("level")
	m.Header = d.header()
	if table := d.uuid(); table != m.Table {
		d.fail("tables %s and %s for one file", m.Table, table)
	}
	if d.boolean() {
		m.Manifest, m.FirstKey = d.manifest(), d.bytes(d.uvint())
	} else if len(m.Sections) == 0 {
		d.fail("a file of no sections that is not whole")
	}
	return m
}

// sections reads the sections of a file. Each begins after the end of the one before.
func (d *decoder) sections() (all []Section) {
	var end int64
	for n := d.number("sections"); n > 0 && d.err == nil; n-- {
		s := Section{From: d.length("a section from"), To: d.length("a section up to")}
		if s.From < end || s.To < s.From {
			d.fail("a section from %d up to %d behind one up to %d", s.From, s.To, end)
		}
		end = s.To
		all = append(all, s)
	}
	return all
}

func (d *decoder) compression() *Compression {
	n := d.i32()
	if n == notCompressed || d.err != nil {
		return nil
	}
	if n < 0 || n > maxChunkList/12 {
		d.fail("%d chunks", n)
	}
	c := new(Compression)
	before := d.left
	d.left = maxChunkList
	for ; n > 0 && d.err == nil; n-- {
		c.Chunks = append(
			c.Chunks,
			Chunk{d.length("a chunk's offset"), d.number("a chunk's length")},
		)
	}
	d.left = before
	c.Compressor = d.text()
	for n := d.number("options of the compressor"); n > 0 && d.err == nil; n-- {
		c.Options = append(c.Options, CompressorOption{d.text(), d.text()})
	}
	c.ChunkLength, c.MaxCompressed = d.number(
		"a chunk's bytes",
	), d.number(
		"a chunk's compressed bytes",
	)
	return c
}

func (d *decoder) manifest() Manifest {
	n := d.uvint()
	if n > maxComponents {
		d.fail("%d components", n)
	}
	m := Manifest{}
	for ; n > 0 && d.err == nil; n-- {
		c := ManifestEntry{Name: d.text(), Size: int64(d.uvint())}
		if c.Size < 0 {
			d.fail("component %q of more than 2^63 bytes", c.Name)
		}
		m = append(m, c)
	}
	return m
}

// checkHeader returns an error unless the bytes are exactly a HEADER.
func checkHeader(header []byte) error {
	r := bytes.NewReader(header)
	d := newDecoder(r)
	d.header()
	switch {
	case d.err != nil:
		return fmt.Errorf("its serialization header of %d bytes is not one: %w", len(header), d.err)
	case r.Len() > 0:
		return fmt.Errorf(
			"its serialization header ends %d bytes before its %d bytes do",
			r.Len(),
			len(header),
		)
	default:
		return nil
	}
}

// check returns an error for what a node would refuse, or would accept and then fail to restart
// with.
func (m Manifest) check() error {
	if len(m) > maxComponents {
		return fmt.Errorf("an SSTable of %d components", len(m))
	}
	sizes := make(map[string]int64, len(m))
	for _, c := range m {
		if _, twice := sizes[c.Name]; twice {
			return fmt.Errorf("component %q twice", c.Name)
		}
		if c.Size < 1 || c.Name == "" || len(c.Name) > 255 {
			return fmt.Errorf("component %.80q of %d bytes", c.Name, c.Size)
		}
		for i := range len(c.Name) {
			if b := c.Name[i]; b <= ' ' || b > '~' {
				return fmt.Errorf("component %q is not a name", c.Name)
			}
		}
		sizes[c.Name] = c.Size
	}
	if _, listed := sizes["TOC.txt"]; listed {
		return errors.New("component TOC.txt, which nodes do not take")
	}
	for _, name := range []string{dataComponent, "Index.db", "Statistics.db"} {
		if sizes[name] == 0 {
			return fmt.Errorf("no component %s", name)
		}
	}
	return nil
}
