// Package store holds what names of inputs and outputs stand for: files on the local disk, and the
// standard streams.
//
// Start with [Store], the interface, and [Disk], which is most of what implements it. A name is a
// path on a [Disk], and [Stdio] in a [Stream]. What a place can do differs, and [Store.Can] states
// it.
//
// An object is the bytes that stand under one name. It is written by a [Writer], and nothing is
// seen under its name before [Writer.Commit]. If a store implements [StagedStore], a later process
// can continue an object that was not committed. Package sink relies on that: its mark is a number
// of bytes in each unfinished object. Where no object can be cut, a mark means all objects up to
// here ([Abilities.Marks]).
//
// Retries, a rate and a log are each a Store around another one. A value is not asked whether it is
// a StagedStore, because a wrapper would hide that.
//
// The conformance suite is internal/test/storetest. Each implementation passes it.
//
// Ownership: a [Writer] no longer needs the bytes that it was handed when Write returns. A [Reader]
// owns what it opened until Close.
//
// Concurrency: a Store may be used by any number of goroutines. A Writer belongs to one goroutine,
// except that Sync may run beside Write. A Reader belongs to one goroutine, except that ReadAt,
// Changed and Interrupt may run beside all else.
//
// Errors name the object. For an object that is not there they are [fs.ErrNotExist], and for a
// place that may not be used [fs.ErrPermission].
package store

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"path"
)

// Store is a place that has objects by their names.
type Store interface {
	// Can returns what the place can do. It is the same at every call.
	Can() Abilities

	// Open opens an object for reading. It reads nothing yet. For a pipe it waits until the other
	// end is opened.
	Open(ctx context.Context, name string) (Reader, error)

	// Create begins a new object. It refuses a name that is taken, with [fs.ErrExist], unless
	// options allow to replace it. A place may find that out at Commit only. ctx is that of every
	// Write.
	Create(ctx context.Context, name string, options CreateOptions) (Writer, error)

	// List returns what is directly in a folder, in the order of names, byte by byte. Folders in it
	// are entries of their own, and links are not followed. The result has all changes that were
	// complete when List was called.
	List(ctx context.Context, folder string) ([]Info, error)

	// Stat returns what stands under a name. It follows links.
	Stat(ctx context.Context, name string) (Info, error)

	// Remove removes an object. What is not there is [fs.ErrNotExist].
	Remove(ctx context.Context, name string) error
}

// CreateOptions are those of a new object. The zero value refuses a name that is taken.
type CreateOptions struct {
	// Over allows to replace an object of that name. It stays until Commit.
	Over bool
	// Mode is that of a file, whatever the umask is. 0: for its owner alone. Places other than a
	// disk ignore it.
	Mode fs.FileMode
	// Size is that of the object in bytes, if it is known; 0: it is not. A place that sends parts
	// chooses their size by it.
	Size int64
}

// Reader reads one object as it was when it was opened. If the place replaces the object meanwhile,
// a Reader reads the old bytes or fails. It never mixes both.
type Reader interface {
	// Read reads in order, from the beginning or from where Seek went. io.EOF is the end of the
	// object and nothing else. If the bytes are cut off earlier, the error is another one.
	io.Reader
	// ReadAt and Seek need ranged reads (Info.Ranged).
	io.ReaderAt
	io.Seeker
	// Close closes the object. A second call returns an error, and does nothing else.
	io.Closer

	// Info returns what was opened.
	Info() Info

	// Changed reports whether the bytes of the opened object may have changed since. It is false
	// for an object without a version.
	Changed() (bool, error)

	// Interrupt ends a Read that waits for bytes. It reports whether the Read is sure to end: a
	// standard input may be silent forever.
	Interrupt() bool
}

// Writer writes one new object. Exactly one of Commit and Abort ends it; after that, each method
// returns an error.
type Writer interface {
	// Write appends bytes. They may wait in memory, so an error may show in a later Write, or not
	// before Commit. After an error the object cannot be committed.
	io.Writer

	// Commit brings all bytes to the place, and then has the object seen under its name, at once
	// and as a whole. If it returns nil, the object survives a crash. After an error nothing new is
	// seen under the name.
	Commit(ctx context.Context) error

	// Abort gives the object up. Nothing of it stays, and what stood under its name is unchanged.
	Abort(ctx context.Context) error
}

// Stdio is the name of the standard input or output.
const Stdio = "-"

// Kind is what stands under a name.
type Kind int

// The kinds. A pipe, a device and a standard stream are streams: they have no size and no version,
// and are read once.
const (
	Object Kind = iota + 1
	Folder
	Link
	Pipe
)

// Info is what is known of a name.
type Info struct {
	Name string // as Open takes it
	Kind Kind
	Size int64 // in bytes; -1 if unknown, as in a list of files, or for a pipe

	// Version differs whenever the bytes do. It is empty if Size is unknown. Only its equality
	// means something.
	Version string
}

// Ranged reports whether a Reader of it can read from any place, and more than once.
func (i Info) Ranged() bool { return i.Kind == Object }

// Base returns the last part of the name.
func (i Info) Base() string { return path.Base(i.Name) }

// Abilities states what a place can do. A file system can do all but Multipart; a bucket of objects
// can do Atomic, Ranged and Multipart; a stream can do nothing.
type Abilities struct {
	Atomic    bool // nothing is seen under a name before Commit
	Ranged    bool // objects are read from any place
	Rename    bool // an object gets another name without a copy
	Append    bool // an object that was written is opened again for more bytes
	Truncate  bool // an object is cut off after a number of bytes
	Multipart bool // parts of an object are sent in any order, and at the same time
}

// Marks is what a mark can stand for: a point to which an output is taken back after a crash.
type Marks int

// A mark of a place is one of these.
const (
	// NoMarks: an output cannot be continued. It begins again.
	NoMarks Marks = iota
	// MarkObjects: all objects up to here. A mark is taken when objects are committed, and a later
	// process removes those that are not in the mark. The rows of an unfinished object are written
	// again.
	MarkObjects
	// MarkBytes: a number of bytes in each unfinished object, besides the finished ones. A later
	// process cuts the unfinished objects there, and appends. The store implements [StagedStore].
	MarkBytes
)

// Marks returns what a mark in this place stands for.
func (a Abilities) Marks() Marks {
	switch {
	case !a.Atomic:
		return NoMarks
	case a.Rename && a.Append && a.Truncate:
		return MarkBytes
	default:
		return MarkObjects
	}
}

// Why a name cannot be claimed, besides [fs.ErrExist] if an object has it.
var (
	ErrFolder     = errors.New("is a folder")
	ErrNotPlain   = errors.New("is no plain file")
	ErrUnfinished = errors.New("has an unfinished object already")
)

// ErrChanged ends a Reader whose object was replaced or removed since it was opened, if the place
// has no longer the bytes that were opened.
var ErrChanged = errors.New("was replaced or removed since it was opened")

// ErrEnded is the error of a Writer after Commit, Abort or Close.
var ErrEnded = errors.New("was ended already")
