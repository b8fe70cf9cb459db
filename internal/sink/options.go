package sink

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"regexp"
	"strings"

	"github.com/cqlbulk/cqlbulk/internal/manifest"
	"github.com/cqlbulk/cqlbulk/internal/store"
)

// Options say where the text goes, and in which form.
type Options struct {
	Path   string    // a file; a folder when Dir is set; empty: Stream
	Dir    bool      // part files in the folder Path
	Stream io.Writer // only when Path is empty; stays open

	// Spool is the place of Path, if that is not on the disk. Files of a folder are then published
	// when [Output.Recorded] has a mark of them, unless Force is set.
	Spool *store.Spool

	// Base and Ext make the names in a folder, BASE-0003-0001EXT plus the ending
	// of the compression: worker 3, file 1. Ext may come with or without its dot.
	Base, Ext string
	// Exts are other endings whose files RemoveEarlier removes from a folder, besides Ext:
	// those of the same output in other forms.
	Exts []string

	// Compression is one of Compressions, or empty for none. The name of one
	// file is left as it is.
	Compression string
	// Level is the compressor's own; snappy has none. For gzip it is 1 to 9. For zstd it is 1 to 9,
	// in three steps from 1, 3 and 6 (higher levels take 36 MiB for each file). For lz4 it is 1 to
	// 9 (its slow mode). 0 is the compressor's default: gzip 5, zstd 3, lz4 fast.
	Level int

	// Sum is the algorithm of the files' checksums, of filesum.Algorithms; empty: the default.
	// Unfinished files of a resumed output keep their own algorithm.
	Sum string

	// MaxRows and MaxBytes limit one file of a folder; 0 is no limit. The next file begins before
	// the Write that would take the present one past a limit. Only one case exceeds MaxBytes: a
	// single Write of more bytes gets a file of its own. A Write of more than MaxRows rows is an
	// error. MaxBytes counts text, header included, because only that is known exactly before it is
	// compressed.
	//
	// Without a folder, MaxRows makes numbered files: PATH, PATH.1, PATH.2. Each of them but the
	// last has exactly MaxRows rows, and only the first has the header. FirstRows is then needed.
	MaxRows, MaxBytes int64

	// FirstRows returns the length in bytes of the first rows of a text that Write was handed, for
	// numbered files.
	FirstRows func(text []byte, rows int) int

	// Mode is that of the files, FolderMode that of a folder that Open makes. 0: for their owner
	// alone.
	Mode, FolderMode fs.FileMode

	// Header begins every file, or only the first of numbered files. It counts as bytes, not as
	// rows.
	Header []byte

	// Force allows an existing file to be overwritten. So that no two outputs mix in a folder,
	// RemoveEarlier then removes the files of an earlier output of the same Base and Ext. Other
	// files stay. It does so with numbered files, too.
	Force bool

	// Verify makes Resume read again what a mark vouches for, and compare its checksum. Without it
	// Resume compares the sizes only. Open ignores it.
	Verify bool
}

// check returns what is wrong with the options, or their compression.
func (o *Options) check() (codec, error) {
	switch {
	case o.Path == "" && o.Dir:
		return codec{}, errors.New("output folder has no name")
	case o.Path == "" && o.Stream == nil:
		return codec{}, errors.New("output has neither a path nor a stream")
	case o.MaxRows < 0 || o.MaxBytes < 0:
		return codec{}, fmt.Errorf(
			"limits of an output file cannot be negative: %d rows, %d bytes",
			o.MaxRows,
			o.MaxBytes,
		)
	case !o.Dir && o.MaxBytes > 0:
		return codec{}, errors.New("a limit on bytes of a file needs a folder as output")
	case o.numbered() && (o.Path == "" || o.FirstRows == nil):
		return codec{}, errors.New("a limit on rows of a file needs a file or a folder as output")
	case o.Dir && (o.Base == "" || strings.ContainsAny(o.Base+o.Ext, `/\`)):
		return codec{}, fmt.Errorf(
			"output folder %s: %q is no name for its files",
			o.Path,
			o.Base+o.Ext,
		)
	}
	if o.Ext != "" && !strings.HasPrefix(o.Ext, ".") {
		o.Ext = "." + o.Ext
	}
	return findCodec(o.Compression, o.Level)
}

// place returns the store of the output.
func (o *Options) place() store.StagedStore {
	if o.Spool != nil {
		return o.Spool
	}
	return store.Disk{}
}

// early reports whether files are published before the output is complete.
func (o *Options) early() bool { return o.Spool != nil && !o.Force && (o.Dir || o.numbered()) }

// partName is the final name of a file in a folder.
func (o *Options) partName(worker, number int) string {
	return manifest.PartName(o.Base, worker, number, o.Ext+codecs[o.Compression].ending)
}

// numbered reports whether the output is one file, and others of its name and a number.
func (o *Options) numbered() bool { return !o.Dir && o.MaxRows > 0 }

// header returns what the file of a number begins with, from 1.
func (o *Options) header(number int) []byte {
	if o.numbered() && number > 1 {
		return nil
	}
	return o.Header
}

// numberedName returns the name of a numbered file, from 1: NAME, NAME.1, NAME.2.
func numberedName(name string, number int) string {
	if number == 1 {
		return name
	}
	return fmt.Sprintf("%s.%d", name, number-1)
}

// numberedNames matches the names of numbered files, final or not, but for the first one.
func numberedNames(name string) *regexp.Regexp {
	return regexp.MustCompile(
		`^` + regexp.QuoteMeta(name) + `\.[1-9][0-9]*(` + regexp.QuoteMeta(store.PartSuffix) + `)?$`,
	)
}

// ownNames matches the names that an output of this Base and Ext gives its
// files, with any compression, final or not.
func (o *Options) ownNames() *regexp.Regexp {
	var endings []string
	for _, c := range codecs {
		endings = append(endings, regexp.QuoteMeta(c.ending))
	}
	exts := []string{regexp.QuoteMeta(o.Ext)}
	for _, e := range o.Exts {
		exts = append(exts, regexp.QuoteMeta(e))
	}
	return regexp.MustCompile(
		`^` + regexp.QuoteMeta(
			o.Base,
		) + manifest.PartNumbers + `(?:` + strings.Join(
			exts,
			"|",
		) + `)` +
			`(` + strings.Join(
			endings,
			"|",
		) + `)(` + regexp.QuoteMeta(
			store.PartSuffix,
		) + `)?$`,
	)
}
