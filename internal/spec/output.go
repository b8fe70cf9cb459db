package spec

import (
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/cqlbulk/cqlbulk/internal/filesum"
	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/internal/sink"
	"github.com/cqlbulk/cqlbulk/internal/spec/setting"
	"github.com/cqlbulk/cqlbulk/internal/store/stores"
)

// Output says where a scan's text goes, and in which form.
type Output struct {
	Path   string // file to write; "-", or empty without Dir: the standard output
	Dir    string // folder to write part files to
	Format string // csv, tsv or json; empty: as the name of the file ends, else csv
	// none or one of sink.Compressions; empty: as the name of the file ends
	Compression  string
	Level        int    // of the compressor; 0: its own
	FileChecksum string // one of filesum.Algorithms; empty: the default
	// at most, in rows of one part file, or of each of Path, Path.1 and so on; 0: no limit
	MaxOutputSize int64
	MaxFileBytes  setting.Size // at most, in bytes of text of one part file; 0: no limit
	Force         bool         // write over an output that exists
	NoManifest    bool
	Mode          setting.Mode // of the files, and of a folder that is made
}

func (o *Output) settings() setting.List {
	return setting.List{
		{Name: "output", Field: &o.Path},
		{Name: "dir", Field: &o.Dir},
		{Name: "format", Field: &o.Format, Among: formats},
		{
			Name:  "compression",
			Field: &o.Compression,
			Among: append([]string{"none"}, sink.Compressions()...),
		},
		{Name: "compression-level", Field: &o.Level},
		{Name: "file-checksum", Field: &o.FileChecksum, Among: filesum.Algorithms()},
		{Name: "maxoutputsize", Field: &o.MaxOutputSize},
		{Name: "max-file-bytes", Field: &o.MaxFileBytes},
		{Name: "force", Field: &o.Force},
		{Name: "no-manifest", Field: &o.NoManifest},
		{Name: "mode", Field: &o.Mode},
	}
}

// The formats and compressions, and the endings of file names that stand for them.
var (
	formats       = []string{"csv", "tsv", "json"}
	formatEndings = map[string]string{
		".csv":    "csv",
		".tsv":    "tsv",
		".json":   "json",
		".jsonl":  "json",
		".ndjson": "json",
	}
	compressionEndings = map[string]string{
		".gz":     "gzip",
		".zst":    "zstd",
		".lz4":    "lz4",
		".sz":     "snappy",
		".snappy": "snappy",
	}
)

// foreignEndings are those of files that are something else, and that a name must not
// promise.
var foreignEndings = []string{
	".parquet",
	".orc",
	".avro",
	".arrow",
	".feather",
	".xlsx",
	".xls",
	".ods",
	".xml",
	".sql",
	".sqlite",
	".zip",
	".7z",
	".rar",
	".tar",
	".tgz",
	".bz2",
	".xz",
	".lzma",
	".lzo",
	".br",
}

// ending is that of a file's name, in small letters.
func ending(name string) string { return strings.ToLower(filepath.Ext(name)) }

// urlName is what begins a name that is a URL and no file.
var urlName = regexp.MustCompile(`^[a-z][a-z0-9+.-]*://`)

// IsURL reports whether a name is a URL.
func IsURL(name string) bool { return urlName.MatchString(name) }

// refuseURLs refuses settings and folders that are on the disk alone, and would be made there under
// the name of a URL.
func refuseURLs(settings setting.List, runDir string, folders []string) error {
	names := map[string]string{"--run-dir ": runDir}
	for _, s := range settings {
		if s.Use == setting.Path {
			names["--"+s.Name+" "] = s.Texts()[0]
		}
	}
	for _, flag := range slices.Sorted(maps.Keys(names)) {
		if IsURL(names[flag]) {
			return fmt.Errorf("%s%s: this is on the disk alone: name a path", flag, names[flag])
		}
	}
	for _, folder := range folders {
		if IsURL(folder) {
			return fmt.Errorf("%s: SSTables are read from the disk alone: name a folder", folder)
		}
	}
	return nil
}

// checkRemote refuses names of object storage that have an empty part, and takes the slash off a
// folder.
func (o *Output) checkRemote() error {
	if stores.Writable(o.Dir) {
		o.Dir = strings.TrimSuffix(o.Dir, "/")
	}
	for flag, name := range map[string]string{"output": o.Path, "dir": o.Dir} {
		_, key, _ := strings.Cut(name, "://")
		if stores.Writable(name) && (strings.Contains(key, "//") || strings.HasSuffix(key, "/")) {
			return fmt.Errorf("--%s %s: a name between two slashes is empty", flag, name)
		}
	}
	return nil
}

// CheckName refuses an output whose name says that something else is in it, or that it is
// elsewhere.
func (o *Output) CheckName() error {
	for flag, name := range map[string]string{"output": o.Path, "dir": o.Dir} {
		if IsURL(name) && !stores.Writable(name) {
			return fmt.Errorf(
				"--%s %s: only local files and s3:// can be written: write to -, and pipe that",
				flag,
				name,
			)
		}
	}
	if err := o.checkRemote(); err != nil {
		return err
	}
	o.Format, o.Compression = formatNamed(o.Format), compressionNamed(o.Compression)
	name := o.Path
	compression := compressionEndings[ending(name)]
	if compression != "" {
		name = name[:len(name)-len(ending(name))]
	}
	if ext := ending(name); slices.Contains(foreignEndings, ext) {
		return fmt.Errorf(
			"--output %s: %s cannot be written; csv, tsv and json can be written (%s), as they are or compressed (%s)",
			o.Path,
			ext[1:],
			strings.Join(
				slices.Sorted(maps.Keys(formatEndings)),
				", ",
			),
			strings.Join(slices.Sorted(maps.Keys(compressionEndings)), ", "),
		)
	}
	format := formatEndings[ending(name)]
	switch {
	case compression != "" && o.Compression != "" && o.Compression != compression:
		return fmt.Errorf(
			"--output %s and --compression %s: the name says %s",
			o.Path,
			o.Compression,
			compression,
		)
	case format != "" && o.Format != "" && (format == "json") != (o.Format == "json"): // csv with tabs is tsv
		return fmt.Errorf("--output %s and --format %s: the name says %s", o.Path, o.Format, format)
	}
	return nil
}

// formatNamed is the format that a word names: itself, or the ending of its files.
func formatNamed(word string) string {
	if format, ok := formatEndings["."+word]; ok {
		return format
	}
	return word
}

// compressionNamed is the compression that a word names: itself, or the ending of its files.
func compressionNamed(word string) string {
	if compression, ok := compressionEndings["."+word]; ok {
		return compression
	}
	return word
}

// ChooseFormat checks a format, or takes it from a file's name, without the ending
// of a compression.
func ChooseFormat(format *string, name string) error {
	*format = formatNamed(*format)
	if ext := ending(name); compressionEndings[ext] != "" || ext == ".xz" || ext == ".bz2" {
		name = name[:len(name)-len(ext)]
	}
	if *format == "" {
		*format = formatEndings[ending(name)]
	}
	if *format == "" {
		*format = "csv"
	}
	if !slices.Contains(formats, *format) {
		return fmt.Errorf(
			"--format %q: the formats are %s%s",
			*format,
			strings.Join(formats, ", "),
			schema.DidYouMean(*format, formats),
		)
	}
	return nil
}

// leastFile is the least that a part file may be limited to: text is written in
// pieces of a fraction of that.
const leastFile = 1 << 20

// Complete checks the settings and fills in what the file's name implies.
func (o *Output) Complete() error {
	if o.Path != "" && o.Dir != "" {
		return fmt.Errorf("--output and --dir: take one of them")
	}
	if o.Path == "-" {
		o.Path = ""
	}
	if c := compressionEndings[ending(o.Path)]; c != "" && o.Compression == "" {
		o.Compression = c
	}
	o.Compression = compressionNamed(o.Compression)
	if o.Compression == "none" {
		o.Compression = ""
	}
	if known := sink.Compressions(); o.Compression != "" && !slices.Contains(known, o.Compression) {
		return fmt.Errorf(
			"--compression %q: the compressions are none, %s%s",
			o.Compression,
			strings.Join(known, ", "),
			schema.DidYouMean(o.Compression, known),
		)
	}
	if known := filesum.Algorithms(); o.FileChecksum != "" &&
		!slices.Contains(known, o.FileChecksum) {
		return fmt.Errorf(
			"--file-checksum %q: must be %s",
			o.FileChecksum,
			strings.Join(known, " or "),
		)
	}
	if err := ChooseFormat(&o.Format, o.Path); err != nil {
		return err
	}
	if o.MaxFileBytes != 0 && o.MaxFileBytes < leastFile {
		return fmt.Errorf("--max-file-bytes %s: must be at least 1MiB", o.MaxFileBytes.String())
	}
	if o.Mode != 0 && o.ToStdout() {
		return fmt.Errorf(
			"--mode requires --output or --dir: the standard output is no file of ours",
		)
	}
	if o.FileChecksum != "" && o.ToStdout() {
		return fmt.Errorf(
			"--file-checksum requires --output or --dir: the standard output has no checksum of a file",
		)
	}
	if o.MaxOutputSize != 0 && o.ToStdout() {
		return fmt.Errorf(
			"--maxoutputsize requires --dir or --output: there is no second standard output",
		)
	}
	if o.MaxFileBytes != 0 && o.Dir == "" {
		return fmt.Errorf("--max-file-bytes needs a folder to write to: name one with --dir")
	}
	return nil
}

// SinkOptions returns how the output is made, without FirstRows, which the format has. The header
// begins every file of a folder, or the first of numbered files.
func (o *Output) SinkOptions(stdout io.Writer, header []byte) sink.Options {
	options := sink.Options{
		Path:        o.Path,
		Stream:      stdout,
		Compression: o.Compression,
		Level:       o.Level,
		Header:      header,
		Force:       o.Force,
		Sum:         o.FileChecksum,
		Mode:        o.Mode.File(),
		FolderMode:  o.Mode.Folder(),
		MaxRows:     o.MaxOutputSize,
		MaxBytes:    int64(o.MaxFileBytes),
	}
	if o.Dir != "" {
		options.Path, options.Dir = o.Dir, true
		options.Base, options.Ext, options.Exts = "part", "."+o.Format, []string{
			".csv",
			".tsv",
			".json",
		}
	}
	return options
}

// ToStdout says whether the rows go to the standard output.
func (o *Output) ToStdout() bool { return o.Dir == "" && (o.Path == "" || o.Path == "-") }

// Place is what the output is called in messages and what its manifest stands
// beside; empty for the standard output.
func (o *Output) Place() string {
	if o.Dir != "" {
		return o.Dir
	}
	return o.Path
}
