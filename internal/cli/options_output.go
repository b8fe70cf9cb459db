package cli

import (
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/cqlbulk/cqlbulk/internal/sink"
)

// outputOptions say where a scan's text goes, and in which form.
type outputOptions struct {
	Output        string
	Dir           string
	Format        string
	Compression   string
	Level         int
	MaxOutputSize int64
	MaxFileBytes  size
	Force         bool
	NoManifest    bool
}

func (o *outputOptions) AddFlags(f *pflag.FlagSet) {
	f.StringVarP(&o.Output, "output", "o", "", "file to write (default, and \"-\": the standard output)")
	f.StringVarP(&o.Dir, "dir", "d", "", "folder to write part files to, a series for each worker")
	f.StringVar(&o.Format, "format", "", "csv, tsv or json, which is an object a line (default: as the file's name ends, else csv)")
	f.StringVar(&o.Compression, "compression", "", "none, "+strings.Join(sink.Compressions(), ", ")+" (default: as the file's name ends, else none)")
	f.IntVar(&o.Level, "compression-level", 0, "how hard to compress, 1 to 9 (default: the compressor's own)")
	f.Int64Var(&o.MaxOutputSize, "maxoutputsize", 0, "rows of one part file at the most (default: no limit)")
	f.Var(&o.MaxFileBytes, "max-file-bytes", "bytes of text of one part file at the most (default: no limit)")
	f.BoolVar(&o.Force, "force", false, "write over an output that exists")
	f.BoolVar(&o.NoManifest, "no-manifest", false, "write no manifest beside the output")
}

// The formats, and the endings of file names that tell them and the compressions.
var (
	formatEndings      = map[string]string{".csv": "csv", ".tsv": "tsv", ".json": "json", ".jsonl": "json", ".ndjson": "json"}
	compressionEndings = map[string]string{".gz": "gzip", ".zst": "zstd", ".lz4": "lz4", ".sz": "snappy", ".snappy": "snappy"}
)

// foreignEndings are those of files that are something else, and that a name must not
// promise.
var foreignEndings = []string{
	".parquet", ".orc", ".avro", ".arrow", ".feather", ".xlsx", ".xls", ".ods", ".xml", ".sql", ".sqlite",
	".zip", ".7z", ".rar", ".tar", ".tgz", ".bz2", ".xz", ".lzma", ".lzo", ".br",
}

// ending is that of a file's name, in small letters.
func ending(name string) string { return strings.ToLower(filepath.Ext(name)) }

// checkName refuses an output whose name says that something else is in it.
func (o *outputOptions) checkName() error {
	name := o.Output
	compression := compressionEndings[ending(name)]
	if compression != "" {
		name = name[:len(name)-len(ending(name))]
	}
	if ext := ending(name); slices.Contains(foreignEndings, ext) {
		return fmt.Errorf("--output %s: %s cannot be written; csv, tsv and json can be written (%s), as they are or compressed (%s)", o.Output, ext[1:],
			strings.Join(slices.Sorted(maps.Keys(formatEndings)), ", "), strings.Join(slices.Sorted(maps.Keys(compressionEndings)), ", "))
	}
	format := formatEndings[ending(name)]
	switch {
	case compression != "" && o.Compression != "" && o.Compression != compression:
		return fmt.Errorf("--output %s and --compression %s: the name says %s", o.Output, o.Compression, compression)
	case format != "" && o.Format != "" && (format == "json") != (o.Format == "json"): // csv with tabs is tsv
		return fmt.Errorf("--output %s and --format %s: the name says %s", o.Output, o.Format, format)
	}
	return nil
}

// settleFormat checks a format, or takes it from a file's name, without the ending
// of a compression.
func settleFormat(format *string, name string) error {
	if ext := ending(name); compressionEndings[ext] != "" || ext == ".xz" || ext == ".bz2" {
		name = name[:len(name)-len(ext)]
	}
	if *format == "" {
		*format = formatEndings[ending(name)]
	}
	switch *format {
	case "":
		*format = "csv"
	case "csv", "tsv", "json":
	default:
		return fmt.Errorf("--format %q: the formats are csv, tsv and json", *format)
	}
	return nil
}

// leastFile is the least that a part file may be limited to: text is written in
// pieces of a fraction of that.
const leastFile = 1 << 20

// settle checks the settings and fills in what the file's name tells.
func (o *outputOptions) settle() error {
	if o.Output != "" && o.Dir != "" {
		return fmt.Errorf("--output and --dir: take one of them")
	}
	if o.Output == "-" {
		o.Output = ""
	}
	if c := compressionEndings[ending(o.Output)]; c != "" && o.Compression == "" {
		o.Compression = c
	}
	if o.Compression == "none" {
		o.Compression = ""
	}
	if err := settleFormat(&o.Format, o.Output); err != nil {
		return err
	}
	if o.MaxFileBytes != 0 && o.MaxFileBytes < leastFile {
		return fmt.Errorf("--max-file-bytes %s: must be at least 1MiB", o.MaxFileBytes.String())
	}
	if (o.MaxOutputSize != 0 || o.MaxFileBytes != 0) && o.Dir == "" {
		return fmt.Errorf("--maxoutputsize and --max-file-bytes need a folder to write to: name one with --dir")
	}
	return nil
}

// sinkOptions say how the output is made. header begins every file.
func (o *outputOptions) sinkOptions(stdout io.Writer, header []byte) sink.Options {
	options := sink.Options{
		Path: o.Output, Stream: stdout, Compression: o.Compression, Level: o.Level, Header: header, Force: o.Force,
	}
	if o.Dir != "" {
		options.Path, options.Dir = o.Dir, true
		options.Base, options.Ext, options.Exts = "part", "."+o.Format, []string{".csv", ".tsv", ".json"}
		options.MaxRows, options.MaxBytes = o.MaxOutputSize, int64(o.MaxFileBytes)
	}
	return options
}

// path is what the output is called in messages and what its manifest stands
// beside; empty for the standard output.
func (o *outputOptions) path() string {
	if o.Dir != "" {
		return o.Dir
	}
	return o.Output
}
