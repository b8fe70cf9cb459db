// Package sink writes the text of a scan to a stream, into one file, or into a folder of part
// files. In a folder each worker has a series of files. Instead of one file there can be numbered
// ones, PATH, PATH.1 and PATH.2, as cqlsh writes them.
//
// Start with [Open]. Every worker takes a [Writer] of its own and hands it complete rows. Then
// exactly one of [Output.Commit] and [Output.Abort] ends the output. Text passes through a short
// chain, one for each file:
//
//	header and rows -> compressor -> checksum and count -> buffer -> file
//
// A file is called NAME.part until the whole output is closed and synced. Only then do all the
// files get their names. A file with its name is complete.
//
// An output can survive its process. [Output.Mark] returns the point up to which rows are written,
// and [Output.Sync] syncs them. In a later process [Resume] continues from a mark, without what was
// written after it. A mark ends the compressor's present member (gzip) or frame (the others). The
// formats allow several in a row, and readers take them for one text.
//
// The files are objects of a store ([store.StagedStore]): the local disk, or a [store.Spool] of
// object storage. A file of a spool gets its name once a mark of it is recorded
// ([Output.Recorded]). Calls get no context of the run, because an output is ended after that was
// cancelled.
//
// Ownership: a writer no longer needs the bytes that it was handed when Write returns.
//
// Concurrency: Output.Writer is safe for concurrent use. A Writer belongs to one goroutine at a
// time. The writers of a folder share nothing. Those of a stream or of one file take turns, and the
// compressor runs while they do. Call Commit, Complete, Abort, Parts and Files after the last
// Write, and Mark while no Write runs. Sync may be called at any time.
//
// Memory of one open file: 64 KiB of buffer and the compressor. Measured with 8 MiB of delimited
// text:
//
//   - gzip: 0.8 to 1.4 MiB by level
//   - zstd: 2.5 MiB (levels 1 and 2: 1.2 MiB, 6 to 9: 5.4 MiB; the window is held to 512 KiB)
//   - lz4: 0.13 MiB (and 1 MiB while a block is compressed at a level)
//   - snappy: 0.15 MiB
//
// So 300 workers that write zstd into a folder hold 750 MiB, but into one file 2.5 MiB. A series
// uses its compressor again when it rolls.
//
// Formats: gzip is RFC 1952, zstd is RFC 8878, lz4 is the LZ4 frame format 1.6, snappy is the
// Snappy framing format (google/snappy, framing_format.txt).
package sink

import (
	"cmp"
	"errors"
	"slices"
	"sync"

	"github.com/cqlbulk/cqlbulk/internal/filesum"
	"github.com/cqlbulk/cqlbulk/internal/store"
)

// Writer takes the rows of one worker.
type Writer interface {
	// Write takes text that is rows whole rows, line ends included. All of it goes into one file,
	// or into consecutive numbered files, or an error comes back. The bytes may be used again
	// afterwards. An error of the file itself stays: every later Write repeats it, and Commit
	// refuses. Since text waits in buffers, a full disk may show in a later Write, or not before
	// Commit.
	Write(rows int, text []byte) error
}

// File is what became of one file.
type File struct {
	Name        string // without its folder; empty for a stream
	Rows        int64  // without the header
	TextBytes   int64  // before compression, header included
	Bytes       int64  // as stored
	filesum.Sum        // of the stored bytes; zero for a stream
}

// Output is an output under way. Make one with [Open].
type Output struct {
	options Options
	codec   codec
	store   store.StagedStore
	at      place  // of the one file
	folder  string // of the files; empty for a stream
	group   store.SyncGroup

	mu          sync.Mutex // of what follows, and of the shared series
	series      []*series
	shared      *series   // nil when every worker has its own series
	workers     int       // the highest number so far
	idle        []*series // of a resumed output, for the next calls of Writer
	last        *Mark
	completed   bool
	completeErr error
	ended       bool
	committed   bool

	sent publisher
}

// errEnded is the error of a Write after Commit or Abort.
var errEnded = errors.New("the output is ended already")

// Open checks the options and prepares the output. One file is created at once, as PATH.part. A
// folder is created if it is missing (with its parents), and its files as rows come. A stream is
// not touched until then. Without Force, Open refuses a file of that name, a folder with any files
// in it, and a part file of an earlier output. It always refuses anything else than a plain file.
// Errors name the path.
func Open(o Options) (*Output, error) { return open(o, o.place()) }

func open(o Options, s store.StagedStore) (*Output, error) {
	codec, err := o.check()
	if err != nil {
		return nil, err
	}
	o.Header = slices.Clone(o.Header)
	out := &Output{options: o, codec: codec, store: s}
	switch {
	case o.Path == "":
		out.shared = out.add(0)
	case o.Dir:
		out.folder = o.Path
		err = claimFolder(s, &o)
	default:
		if out.at, err = claimFile(s, o.Path, o.Force); err == nil {
			err = claimNumbered(s, &o, out.at)
		}
		if err == nil {
			out.folder = out.at.folder
			out.shared = out.add(0)
			if err = out.shared.begin(); err != nil {
				out.shared.drop()
			}
		}
	}
	if err != nil {
		return nil, err
	}
	return out, nil
}

// Writer returns the writer of one more worker. In a folder each begins a series of files of its
// own. Series are numbered from 1 in the order of the calls, and have no file before the first row.
// The first writers of a resumed output continue the series that are there, those with an
// unfinished file before the others. More writers get the numbers after theirs.
func (o *Output) Writer() Writer {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.shared != nil {
		return turns{output: o}
	}
	if len(o.idle) > 0 && !o.ended {
		s := o.idle[0]
		o.idle = o.idle[1:]
		return s
	}
	return o.addWorker()
}

// turns lets the workers write into the one file or stream, one at a time.
type turns struct{ output *Output }

func (t turns) Write(rows int, text []byte) error {
	t.output.mu.Lock()
	defer t.output.mu.Unlock()
	return t.output.shared.Write(rows, text)
}

// addWorker makes the series of the next worker of a folder.
func (o *Output) addWorker() *series {
	o.workers++
	return o.add(o.workers)
}

func (o *Output) add(worker int) *series {
	s := &series{output: o, worker: worker}
	if o.ended || o.completed {
		s.err = errEnded
	}
	o.series = append(o.series, s)
	return s
}

// Files returns every file, in order of name. It is empty before Commit has succeeded. A stream
// counts as one file without a name.
func (o *Output) Files() []File {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.committed {
		return nil
	}
	parts := o.parts()
	files := make([]File, len(parts))
	for i, at := range parts {
		files[i] = at.part().File
	}
	return files
}

// Parts returns the paths of the files that still have their part names, in order of name. Abort
// leaves them, and so does a Commit that failed.
func (o *Output) Parts() []string {
	o.mu.Lock()
	defer o.mu.Unlock()
	var paths []string
	for _, at := range o.parts() {
		if p := at.part(); !p.named && !p.isStream() {
			path := p.partPath()
			if o.options.Spool != nil {
				path = o.options.Spool.Part(p.path())
			}
			paths = append(paths, path)
		}
	}
	return paths
}

// partAt is a file of a series, by its index.
type partAt struct {
	series *series
	index  int
}

func (a partAt) name() string { return a.series.nameOf(a.index) }
func (a partAt) part() part   { return a.series.part(a.index) }

// parts returns where the files of all the series are, in order of name.
func (o *Output) parts() []partAt {
	files := 0
	for _, s := range o.series {
		files += s.files()
	}
	all := make([]partAt, 0, files)
	for _, s := range o.series {
		for i := range s.files() {
			all = append(all, partAt{s, i})
		}
	}
	slices.SortFunc(all, func(a, b partAt) int { return cmp.Compare(a.name(), b.name()) })
	return all
}
