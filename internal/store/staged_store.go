package store

import (
	"context"
	"io/fs"
)

// PartSuffix ends the name of an unfinished object of a [StagedStore].
const PartSuffix = ".part"

// StagedStore is a store whose unfinished objects stand under names of their own, NAME.part, and
// survive the process that wrote them. A later process cuts such an object at a mark and continues
// it, or gives it its final name. A store is a StagedStore exactly if its marks are [MarkBytes].
//
// Store.Create does all of this at once for one object. An output of many objects takes the steps:
// Claim, Stage, Close of each object; then, when all are complete, Publish of each, and SyncNames
// once.
type StagedStore interface {
	Store

	// Claim checks that an object may be created under a name, and returns the name that it gets:
	// a link leads to what it names. The error is [ErrFolder], [ErrNotPlain], [fs.ErrExist] or
	// [ErrUnfinished]. With over, the latter two are none.
	Claim(ctx context.Context, name string, over bool) (string, error)

	// Stage begins an unfinished object. If there is one already, Stage returns [fs.ErrExist], or
	// with Over it removes that one first. A process that still writes the old one never writes
	// into the new one.
	Stage(ctx context.Context, name string, options CreateOptions) (StagedWriter, error)

	// Restage opens an unfinished object again, cuts it off after size bytes, and appends. It
	// refuses an object that is shorter. Commit then refuses a name that is taken.
	Restage(ctx context.Context, name string, size int64) (StagedWriter, error)

	// Lstat is Stat that does not follow a link.
	Lstat(ctx context.Context, name string) (Info, error)

	// Publish gives an unfinished object its name, and replaces what has it. The name survives a
	// crash after SyncNames.
	Publish(ctx context.Context, name string) error

	// SyncNames makes the names in a folder survive a crash.
	SyncNames(ctx context.Context, folder string) error

	// MakeFolder makes a folder, and those above it that are missing, for the owner alone. If mode
	// is not 0, the folder itself gets it. If the folder is there, its mode changes too.
	MakeFolder(ctx context.Context, folder string, mode fs.FileMode) error
}

// StagedWriter writes an unfinished object of a [StagedStore].
type StagedWriter interface {
	Writer

	// Sync makes what was written survive a crash. It may run beside Write.
	Sync() error

	// Close ends the writing, and leaves the unfinished object for Publish or Restage. It does not
	// sync. It is the third way to end a Writer.
	Close() error
}
