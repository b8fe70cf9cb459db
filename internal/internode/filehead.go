package internode

import (
	"bytes"
	"errors"
	"fmt"
	"net/netip"

	"github.com/cqlbulk/cqlbulk/pkg/cqlwire"
)

// rowsVersion is the SSTable version whose form partitions have that are sent row by row; the node
// writes them in its own.
const rowsVersion = "nb"

const (
	formatBig = "big"
	// notCompressed stands where the chunks of a compressed file would be counted.
	notCompressed = -1
)

// maxComponents is how many components an SSTable has at the most, with room to spare.
const maxComponents = 64

// Manifest lists a whole SSTable's components in the order in which their bytes follow
// (ComponentManifest).
type Manifest []ManifestEntry

// ManifestEntry is one component: its name, such as Data.db, and how many bytes it has.
type ManifestEntry struct {
	Name string
	Size int64
}

// FileHead is what precedes a file's payload on a file connection: StreamMessageHeader and
// CassandraStreamHeader.
type FileHead struct {
	Table    UUID
	From     netip.AddrPort // as in the handshake
	Plan     UUID
	Sequence int // of the files of this table in this session
	Version  string
	Keys     int64 // estimated number of partitions
	// Length is how many plain bytes of partitions follow, in blocks; of a whole SSTable 0.
	Length int64
	Header []byte // the component HEADER of Statistics.db
	// Manifest is that of a whole SSTable; nil for partitions row by row. FirstKey is its first
	// partition's key.
	Manifest Manifest
	FirstKey []byte
}

func (m *FileHead) append(dst []byte) []byte {
	dst = append(append(dst, idStream), m.Table[:]...)
	dst = append(appendAddress(dst, m.From), m.Plan[:]...)
	dst = appendBool(dst, false) // sent by the follower
	dst = appendI32(dst, 0)      // session index
	dst = appendI32(dst, int32(m.Sequence))
	dst = appendI64(dst, 0)      // repaired at
	dst = appendBool(dst, false) // pending repair

	dst = appendText(appendText(dst, m.Version), formatBig)
	dst = appendI64(dst, m.Keys)
	if m.Manifest == nil {
		dst = appendI64(appendI64(appendI32(dst, 1), 0), m.Length) // one section
	} else {
		dst = appendI32(dst, 0)
	}
	dst = appendI32(dst, notCompressed)
	dst = appendI32(dst, 0) // level
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

// fileHead reads what [FileHead.append] writes. Files with chunks as they are compressed on a node's
// disk, which nodes send and nobody sends to them here, are refused.
func (d *decoder) fileHead() *FileHead {
	m := &FileHead{Table: d.uuid(), From: d.address(), Plan: d.uuid()}
	d.wantFalse("a file sent by the follower")
	d.want("session", 0)
	m.Sequence = d.number("sequence")
	if at := d.i64(); at != 0 {
		d.fail("repaired at %d, not 0", at)
	}
	d.wantFalse("a pending repair")

	m.Version = d.text()
	if format := d.text(); format != formatBig {
		d.fail("SSTable format %q", format)
	}
	m.Keys = d.length("keys")
	sections := d.number("sections")
	if sections > 1 {
		d.fail("%d sections", sections)
	}
	if sections == 1 {
		if from := d.i64(); from != 0 {
			d.fail("a section from %d", from)
		}
		m.Length = d.length("section up to")
	}
	d.want("chunks", notCompressed)
	d.want("level", 0)
	m.Header = d.header()
	if table := d.uuid(); table != m.Table {
		d.fail("tables %s and %s for one file", m.Table, table)
	}
	whole := d.boolean()
	if whole != (sections == 0) {
		d.fail("a file with %d sections that is whole: %t", sections, whole)
	}
	if whole {
		m.Manifest, m.FirstKey = d.manifest(), d.bytes(d.uvint())
	}
	return m
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

// checkHeader says whether bytes are a HEADER, and nothing but one.
func checkHeader(header []byte) error {
	r := bytes.NewReader(header)
	d := newDecoder(r)
	d.header()
	switch {
	case d.err != nil:
		return fmt.Errorf("its serialization header of %d bytes is not one: %w", len(header), d.err)
	case r.Len() > 0:
		return fmt.Errorf("its serialization header ends %d bytes before its %d bytes do", r.Len(), len(header))
	default:
		return nil
	}
}

// check finds what a node would refuse, or would take and not be able to start again with.
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
	for _, name := range []string{"Data.db", "Index.db", "Statistics.db"} {
		if sizes[name] == 0 {
			return fmt.Errorf("no component %s", name)
		}
	}
	return nil
}
