package records

import (
	"cmp"
	"encoding/binary"
	"fmt"

	"github.com/cqlbulk/cqlbulk/internal/filesum"
	"github.com/cqlbulk/cqlbulk/internal/sink"
)

// fewFiles is the largest number of files finished between two marks that the record has as JSON
// objects, which older programs can read, too.
const fewFiles = 16

// markedFiles is the record of a mark with many finished files. They are in Files, and not in
// Output.
type markedFiles struct {
	marked
	Files []packedFiles `json:"files"`
}

// packedFiles has the files that one worker finished since the last mark.
//
// Packed is base64. Each file has these fields (numbers: unsigned varints of encoding/binary):
//
//   - the length of the prefix that its name shares with the name before, in bytes
//   - the length of the rest of the name, in bytes, and the rest
//   - the rows, the bytes of text, the bytes
//   - the bytes of the checksum
type packedFiles struct {
	Worker int    `json:"worker"`
	Sum    string `json:"sum,omitempty"` // algorithm of the checksums; empty: SHA-256
	First  int    `json:"first"`         // number of the first file
	Packed []byte `json:"packed"`
}

// packFiles moves the finished files out of a mark if they are many and all can be packed.
func packFiles(m *sink.Mark) (rest *sink.Mark, files []packedFiles) {
	finished := 0
	for _, s := range m.Series {
		finished += len(s.Done)
	}
	if finished <= fewFiles {
		return m, nil
	}
	rest = &sink.Mark{Compression: m.Compression}
	for _, s := range m.Series {
		if len(s.Done) > 0 {
			p := packedFiles{Worker: s.Worker, First: s.Done[0].Number, Sum: s.Done[0].Algorithm()}
			name := ""
			for _, f := range s.Done {
				if f.Check() != nil || f.Algorithm() != p.Sum {
					return m, nil
				}
				same := 0
				for same < min(len(name), len(f.Name)) && name[same] == f.Name[same] {
					same++
				}
				name = f.Name
				p.Packed = binary.AppendUvarint(p.Packed, uint64(same))
				p.Packed = binary.AppendUvarint(p.Packed, uint64(len(name)-same))
				p.Packed = append(p.Packed, name[same:]...)
				for _, n := range []int64{f.Rows, f.TextBytes, f.Bytes} {
					p.Packed = binary.AppendUvarint(p.Packed, uint64(n))
				}
				p.Packed = f.AppendBytes(p.Packed)
			}
			files = append(files, p)
			s.Done = nil
		}
		rest.Series = append(rest.Series, s)
	}
	return rest, files
}

// unpack moves the finished files of a record into its mark.
func (r *markedFiles) unpack() error {
	if r.Output == nil {
		return nil // apply refuses such a record
	}
	for _, p := range r.Files {
		at := -1
		for i, s := range r.Output.Series {
			if s.Worker == p.Worker {
				at = i
			}
		}
		if at < 0 {
			return fmt.Errorf(
				"journal: the files of worker %d have no place in their mark",
				p.Worker,
			)
		}
		done, err := p.unpack()
		if err != nil {
			return err
		}
		r.Output.Series[at].Done = done
	}
	return nil
}

func (p packedFiles) unpack() (done []sink.FileMark, err error) {
	rest, name, algorithm := p.Packed, "", cmp.Or(p.Sum, filesum.SHA256)
	sumBytes := filesum.Size(algorithm)
	number := func() (v uint64) {
		v, n := binary.Uvarint(rest)
		if n <= 0 {
			err, rest = errPacked, nil
			return 0
		}
		rest = rest[n:]
		return v
	}
	for len(rest) > 0 {
		same, more := number(), number()
		if err != nil || same > uint64(len(name)) || more > uint64(len(rest)) {
			return nil, errPacked
		}
		name = name[:same] + string(rest[:more])
		rest = rest[more:]
		f := sink.FileMark{
			Number:    p.First + len(done),
			Name:      name,
			Rows:      int64(number()),
			TextBytes: int64(number()),
			Bytes:     int64(number()),
		}
		if err != nil || len(rest) < sumBytes {
			return nil, errPacked
		}
		f.Sum = filesum.OfBytes(algorithm, rest[:sumBytes])
		rest = rest[sumBytes:]
		done = append(done, f)
	}
	return done, nil
}
