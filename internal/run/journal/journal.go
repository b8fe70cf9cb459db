// Package journal keeps a run directory: what a run needs to resume after it was killed at any
// moment.
//
// [Create] starts a new run, [Open] resumes one, and [Read] reads one, also while it runs. A record
// has a kind, which is a short name, and a payload, which is JSON. The caller gives records their
// meaning.
//
// # The folder
//
// A run directory (mode 0700) has these files of this package, each readable only by its owner. The
// run may put other files beside them.
//
//	run.json  the [Manifest], written once and whole
//	journal   the records, in order; locked by the process that writes it
//	lock      the process that holds the lock, as "pid host"; only for messages
//	inputs    the inputs of a load of many, written before run.json; see package records
//	synced    how many bytes of the journal have been synced, in decimal; not itself synced
//
// The lock is flock(2) on the journal itself, so it ends with its process. A lock file that is left
// behind or removed does no harm.
//
// # The format of the journal
//
// A journal is text. Each record is a line, ended by one line feed. The first line names the run:
//
//	cqlbulk-journal 1 SHA256\n
//	CRC SEQ KIND JSON\n
//
// SHA256 is the checksum in run.json, so that a journal of another run is noticed. 1 is the version
// in run.json. CRC is the CRC-32C (Castagnoli, RFC 3720 B.4) of the line after "CRC " and before
// the line feed, as eight lower-case hex digits. SEQ counts the records, from 1, in decimal. KIND
// is 1 to 32 of a-z, 0-9, - and _, a letter first. JSON is one value without a line feed.
//
// The format is this package's own. It follows LevelDB's log (its doc/log_format.md) and Pebble's
// (package record) in two points. A checksum covers all of a record, and a reader drops an end only
// if there is no whole record in it.
//
// # What a reader does with damage
//
// A process that is killed leaves whole records and perhaps a part of the last one. Open cuts off
// what follows the last whole record, and Read ignores it. Any other damage is a [DamageError], and
// nothing is changed:
//
//   - a broken record before a whole one
//   - a record whose number is out of order
//   - a line that is too long
//   - another first line
//   - fewer records than were once synced
//
// A record survives a crash of the process once [Journal.Append] has returned. It survives a power
// failure once [Journal.Sync] has.
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
// reads. A run of VersionListed has further files that belong to it, and a record of it may have
// several pieces. A program that does not know VersionListed refuses the run by this number.
const (
	Version       = 1
	VersionListed = 2
)

// MaxPayload is the largest payload of a record, in bytes: 16 MiB.
const MaxPayload = 16 << 20

// ErrorsFile is the file of a run directory with the reasons why rows were rejected. Package reject
// writes it, with or without a journal beside it.
const ErrorsFile = "errors.jsonl"

// InputsFile is the file of a run directory that lists the inputs of a load that has many. Package
// records encodes it.
const InputsFile = "inputs"

// ManifestFile is the file of a run directory with the settings of the run.
const ManifestFile = "run.json"

// The names of this package's files in a run directory.
const (
	manifestName = ManifestFile
	journalName  = "journal"
	lockName     = "lock"
	syncedName   = "synced"
)

// file is the file of a journal. It is an os.File except in tests.
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
	vouched *os.File   // file with the number of synced bytes; guarded by syncing
}

// encoders are buffers for payloads.
var encoders = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// keepBuffer is the largest size of a buffer that is used again, in bytes. Records have a few
// hundred bytes. One long record must not keep its memory for the entire run.
const keepBuffer = 64 << 10

// Manifest returns the content of run.json. The caller must not change its Options and Extra.
func (j *Journal) Manifest() Manifest { return j.manifest }

// Append adds a record with v as JSON. It does not keep v. It writes the record in a single write.
// The record survives the process as soon as Append returns, and the machine after the next Sync.
// Records of one goroutine are in the order of its calls.
//
// If Append fails, it removes the written part of the record if possible. The error stays: each
// later Append and Sync returns it, since records after a gap cannot be trusted. An invalid kind, a
// v that cannot be JSON, and a payload of more than MaxPayload bytes are such errors, too.
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

// encodePayload writes v as JSON without a line feed. It returns an error if kind or v is not
// valid.
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

// fail stores the error with the journal's path. The caller holds mu.
func (j *Journal) fail(err error) error {
	j.err = fmt.Errorf("journal %s: %w", j.path(), err)
	return j.err
}

func (j *Journal) path() string { return Path(j.dir) }
