// Package journal keeps a run directory: what a run needs to go on after it was
// killed at any moment.
//
// Start with [Create] for a new run, [Open] to go on with one, [Read] to look at
// one, also while it runs. What the records say is up to the caller: each has a
// kind, a short name, and a payload, which is JSON.
//
// # The folder
//
// A run directory (mode 0700) holds these files of this package, each readable by
// its owner alone, and whatever else the run puts beside them:
//
//	run.json  the [Manifest], written once and whole
//	journal   the records, in order; locked by the process that writes it
//	lock      the process that holds the lock, as "pid host"; only for messages
//	inputs    the inputs of a load of many, written once and whole before run.json; see package records
//	synced    how many bytes of the journal have been synced, in decimal; not itself synced
//
// The lock is flock(2) on the journal itself, so it ends with its process, however
// that ends, and neither a lock file left behind nor one removed does any harm.
//
// # The format of the journal
//
// Text, one line for each record, each line ended by one line feed. The first says
// whose journal it is:
//
//	cqlbulk-journal 1 SHA256\n
//	CRC SEQ KIND JSON\n
//
// SHA256 is the checksum that stands in run.json, so that the journal of another
// run is not taken for this one's; 1 is the version in run.json. CRC is the CRC-32C (Castagnoli,
// RFC 3720 B.4) of what stands between the blank behind it and the line feed, as
// eight lower-case hex digits. SEQ counts the records, from 1, in decimal. KIND is
// 1 to 32 of a-z, 0-9, - and _, a letter first. JSON is one value without a line
// feed. The format is this package's own; that a checksum covers all of a record,
// and that only an end without any whole record may be given up, are the habits of
// LevelDB's log (its doc/log_format.md) and of Pebble's (package record).
//
// # What a reader does with damage
//
// A process that is killed leaves whole records and perhaps a part of the last.
// So what follows the last whole record is cut off by Open, and passed over by
// Read, if there is no whole record in it. All else is a
// [DamageError]: a broken record before a whole one, a number out of its order, a
// line that is too long, another first line, fewer records than were synced once. Then
// nothing is changed.
//
// That a record survives a power failure is certain only after [Journal.Sync];
// that it survives the process is, after [Journal.Append].
package journal

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"sync"
)

// The versions of the format of a run directory, run.json and journal, that this package writes and
// reads. A run of VersionListed has files beside run.json that belong to it, and its records may
// stand for several pieces each; a program that does not know it refuses it by this number.
const (
	Version       = 1
	VersionListed = 2
)

// MaxPayload is the most that a record's payload may have, in bytes: 16 MiB.
const MaxPayload = 16 << 20

// ErrorsFile is the file of a run directory that says why rows were rejected. Package
// reject writes it, with or without a journal beside it.
const ErrorsFile = "errors.jsonl"

// InputsFile is the file of a run directory that lists the inputs of a load that has many. Package
// resume makes it.
const InputsFile = "inputs"

// ManifestFile is the file of a run directory that has the settings of the run.
const ManifestFile = "run.json"

// The files of a run directory that are this package's.
const (
	manifestName = ManifestFile
	journalName  = "journal"
	lockName     = "lock"
	syncedName   = "synced"
)

// file is what a journal is written to; an os.File but in tests.
type file interface {
	Write(b []byte) (int, error)
	Truncate(size int64) error
	Sync() error
	Close() error
}

// Journal is the run directory of this process, open for writing and locked. It is
// safe for concurrent use.
type Journal struct {
	dir      string
	manifest Manifest
	tail     Tail

	mu     sync.Mutex // guards what follows
	file   file
	root   *os.Root
	size   int64  // of the file, in bytes
	seq    uint64 // of the last record
	line   []byte // the record that is written
	err    error  // the first one; it stays
	closed bool

	syncing sync.Mutex // held by the one that syncs; taken before mu
	synced  int64      // bytes known to be on the disk; guarded by syncing
	vouched *os.File   // says so; guarded by syncing
}

// encoders are buffers for payloads.
var encoders = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// keepBuffer is the size in bytes up to which a buffer is used again. Records have a few
// hundred bytes; one long one shall not hold its memory for the whole run.
const keepBuffer = 64 << 10

// Manifest is what run.json says. Its Options and Extra are the journal's own and
// must not be changed.
func (j *Journal) Manifest() Manifest { return j.manifest }

// Append adds a record with v as JSON; v is not kept. The record goes to the file
// in a single write, so it outlives this process as soon as Append returns, and
// the machine after the next Sync. Records of one goroutine are in the order of
// its calls.
//
// When that fails, what was written of the record is taken back if possible, and
// the error stays: every later Append and Sync returns it, since a journal with a
// gap vouches for nothing behind it. A kind that is none, a v that has no JSON
// and a payload of more than MaxPayload bytes are such errors too.
func (j *Journal) Append(kind string, v any) error {
	payload := encoders.Get().(*bytes.Buffer)
	payload.Reset()
	encodeErr := encodePayload(payload, kind, v)

	j.mu.Lock()
	err := j.add(kind, payload.Bytes(), encodeErr)
	j.mu.Unlock()

	if payload.Cap() <= keepBuffer {
		encoders.Put(payload)
	}
	return err
}

// encodePayload writes v, without a line feed, and says what is wrong with it.
func encodePayload(payload *bytes.Buffer, kind string, v any) error {
	if !validKind(kind) {
		return fmt.Errorf(
			"kind %q is not 1 to %d of a-z, 0-9, - and _ with a letter first",
			kind,
			maxKind,
		)
	}
	e := json.NewEncoder(payload)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return fmt.Errorf("kind %s: %w", kind, err)
	}
	payload.Truncate(payload.Len() - 1) // the line feed that the encoder adds
	if payload.Len() > MaxPayload {
		return fmt.Errorf(
			"kind %s: a payload of %d bytes: at most %d",
			kind,
			payload.Len(),
			MaxPayload,
		)
	}
	return nil
}

// add writes the record; the caller holds mu.
func (j *Journal) add(kind string, payload []byte, err error) error {
	if j.err != nil {
		return j.err
	}
	if err != nil {
		return j.fail(fmt.Errorf("record %d: %w", j.seq+1, err))
	}
	j.line = appendRecord(j.line[:0], j.seq+1, kind, payload)
	size := int64(len(j.line))
	n, err := j.file.Write(j.line)
	if cap(j.line) > keepBuffer {
		j.line = nil
	}
	if err != nil {
		if n > 0 {
			err = errors.Join(err, j.file.Truncate(j.size))
		}
		return j.fail(fmt.Errorf("record %d: %w", j.seq+1, err))
	}
	j.size += size
	j.seq++
	return nil
}

// fail keeps an error, with the journal's path; the caller holds mu.
func (j *Journal) fail(err error) error {
	j.err = fmt.Errorf("journal %s: %w", j.path(), err)
	return j.err
}

func (j *Journal) path() string { return Path(j.dir) }
