// Package source is what a load reads: files, patterns, folders and the standard
// input, as plain text or compressed.
//
// Start with [Finder], whose Find turns the user's words into inputs, and [Input.Open].
// [Finder.ReadLists] reads the files that list such words.
//
// Compression is recognised by the first bytes of a stream and never by its name. Several streams
// one after another are one text, as with the formats' own tools. The formats are:
//
//   - gzip (RFC 1952) and zstd (RFC 8878)
//   - the LZ4 frame format 1.6
//   - the Snappy framing format (google/snappy, framing_format.txt)
//   - bzip2, and the .xz file format 1.2
//
// Anything else is plain text, unless its first bytes are those of a file that is not text, such as
// a workbook or an archive. That ends in a [*FormError], which [Check] returns before any other
// work. A stream that is damaged or cut off ends in a [*DamageError], never in io.EOF. There are
// two exceptions. A file that is cut off exactly between two streams looks complete. The Snappy
// framing format has no end mark, so a file that is cut off between two chunks looks complete too.
//
// Ownership: a [Reader] owns its file until Close; the standard input stays open.
//
// Concurrency: a Reader belongs to one goroutine, but for Consumed, which may be called from any.
//
// Memory of one open input: 64 KiB of stored bytes, or the size of a smaller file. A compressed one
// also holds up to 256 KiB of text that is decompressed ahead, and its decompressor:
//
//   - gzip: 0.1 MiB
//   - snappy: 0.2 MiB
//   - lz4: two blocks of the frame's size, three when they are linked (at most 12 MiB)
//   - bzip2: up to 4 MiB, by the level of the file
//   - zstd: mainly the window that the file asks for (level 3: 2 MiB; more than 128 MiB is
//     refused)
//   - xz: mainly the window, without a limit (level 6: 8 MiB, level 9: 64 MiB)
//
// Only the 64 KiB are allocated before the first Read. All is freed at the end of the text.
package source

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/cqlbulk/cqlbulk/internal/store"
	"github.com/cqlbulk/cqlbulk/internal/store/stores"
)

// Stdin is the word that stands for the standard input.
const Stdin = store.Stdio

// StdinName is the name of the standard input in messages.
const StdinName = "stdin"

// Finder finds inputs by the user's words. The zero Finder finds files, and no standard input. It
// is safe for concurrent use, but for the standard input.
type Finder struct {
	Stores *stores.Stores // nil: the disk alone
	Stdin  io.Reader
}

// Input is one stream of bytes to load.
type Input struct {
	Name string                  // in messages
	Size int64                   // as stored, in bytes; -1 when unknown
	open func() (*Reader, error) // nil: the object of that name
	in   store.Store             // nil: the disk

	stdin, plain bool
}

// Stdin reports whether the input is the standard input.
func (i Input) Stdin() bool { return i.stdin }

// Plain reports whether the input is a plain file, which may be opened more than once.
func (i Input) Plain() bool { return i.plain }

// Open opens the input. An input that is not plain may be opened once. Open reads nothing yet. So
// it does not wait for the bytes of a pipe, but it waits until the pipe's other end is opened.
func (i Input) Open() (*Reader, error) {
	var r *Reader
	var err error
	switch {
	case i.open != nil:
		r, err = i.open()
	case i.in != nil:
		r, err = openIn(i.in, i.Name, i.Name)
	default:
		r, err = openIn(store.Disk{}, i.Name, i.Name)
	}
	if err != nil {
		return nil, fmt.Errorf("input %s: %w", i.Name, err)
	}
	return r, nil
}

// Open opens the file or the object of a name as [Input.Open] does.
func (f Finder) Open(name string) (*Reader, error) {
	in, err := f.Stores.Of(name)
	if err != nil {
		return nil, fmt.Errorf("input %s: %w", name, err)
	}
	return Input{Name: name, in: in}.Open()
}

// OpenFile opens a file as [Input.Open] does.
func OpenFile(name string) (*Reader, error) { return Finder{}.Open(name) }

// Text is an input of a text in memory, which must not be changed.
func Text(name string, text []byte) Input {
	return Input{
		Name:  name,
		Size:  int64(len(text)),
		plain: true,
		open: func() (*Reader, error) {
			return newReader(name, bytes.NewReader(text), int64(len(text))), nil
		},
	}
}

// Find finds inputs on the disk, or the standard input, as [Finder.Find] does.
func Find(words []string, stdin io.Reader) (inputs []Input, notes []string, err error) {
	return Finder{Stdin: stdin}.Find(WordsOf(words))
}

// Find turns the user's words into inputs, in their order. A word is one of these:
//
//   - a file, an object (s3://BUCKET/KEY), or a URL (http://, https://)
//   - a folder: all files below it, in the order of their paths, without run directories
//   - a pattern: the files and folders that match, in the order of their names
//   - "-": the standard input
//
// Notes name what was passed over in folders. One error has all words that name nothing. An error
// about a word of a list has the list and the line. Find knows no lists: ReadLists replaces them.
func (f Finder) Find(words Words) (inputs []Input, notes []string, err error) {
	var failures listErrors
	for _, word := range words {
		found, passed, err := f.find(word.Text)
		failures.add(word, hintPlace(word, err))
		if notes = append(notes, passed...); len(inputs) == 0 {
			inputs = found
		} else {
			inputs = append(inputs, found...)
		}
	}
	if err := failures.join(); err != nil {
		return nil, nil, err
	}
	if len(words) > 1 {
		notes = append(notes, repeated(inputs)...)
	}
	return inputs, notes, nil
}

// find returns the inputs of one word.
func (f Finder) find(word string) (inputs []Input, notes []string, err error) {
	if word == Stdin {
		return []Input{standard(f.Stdin)}, nil, nil
	}
	in, err := f.Stores.Of(word)
	if err != nil {
		return nil, nil, fmt.Errorf("input %s: %w", word, err)
	}
	names := []string{word}
	if stores.Patterned(word) {
		if stores.Remote(word) {
			word = strings.TrimSuffix(word, "/")
		}
		if names, err = expand(in, word); err != nil {
			return nil, nil, err
		}
	}
	var failures []error
	for _, name := range names {
		found, passed, err := files(in, name)
		failures = append(failures, err)
		if notes = append(notes, passed...); len(inputs) == 0 {
			inputs = found
		} else {
			inputs = append(inputs, found...)
		}
	}
	return inputs, notes, errors.Join(failures...)
}

// standard returns the standard input.
func standard(stdin io.Reader) Input {
	return Input{
		Name:  StdinName,
		Size:  -1,
		stdin: true,
		open:  func() (*Reader, error) { return openIn(store.Stream{In: stdin}, Stdin, StdinName) },
	}
}

// repeated names the files that are among the inputs more than once. That may be meant, but a
// pattern and a name of the same file would count its rows twice.
func repeated(inputs []Input) (notes []string) {
	times := make(map[string]int, len(inputs))
	for _, in := range inputs {
		path, err := stores.Abs(in.Name)
		if in.stdin || err != nil {
			continue
		}
		if times[path]++; times[path] == 2 {
			notes = append(notes, in.Name+" is among the inputs more than once: "+
				"its rows are loaded each time")
		}
	}
	return notes
}

// expand returns the names that a word stands for. If a file or folder has exactly this name, the
// word is no pattern.
func expand(in store.Store, word string) ([]string, error) {
	if !strings.ContainsAny(word, "*?[") {
		return []string{word}, nil
	}
	ctx := context.Background()
	if _, err := in.Stat(ctx, word); !errors.Is(err, fs.ErrNotExist) {
		return []string{word}, nil
	}
	var names []string
	var err error
	if disk, ok := in.(store.Disk); ok {
		names, err = disk.Match(ctx, word)
	} else {
		names, err = matches(ctx, in, word)
	}
	if err != nil {
		return nil, fmt.Errorf("pattern %q: %w", word, err)
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("pattern %q: no file matches", word)
	}
	return names, nil
}

// files returns the file of a name, or the files of a folder.
func files(in store.Store, name string) (found []Input, notes []string, err error) {
	info, err := in.Stat(context.Background(), name)
	switch {
	case err != nil && stores.Remote(name), errors.Is(err, fs.ErrNotExist):
		return nil, nil, fmt.Errorf("input %s: %w", name, stores.Reason(err))
	case err != nil:
		return nil, nil, fmt.Errorf("input: %w", err)
	case info.Kind == store.Folder:
		return folder(in, name)
	}
	return []Input{file(in, info)}, nil, nil
}

func file(in store.Store, info store.Info) Input {
	return Input{Name: info.Name, Size: info.Size, in: in, plain: info.Ranged()}
}
