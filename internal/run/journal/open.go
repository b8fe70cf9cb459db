package journal

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// Open resumes the run in the folder dir. It takes the lock, checks run.json, and calls f for each
// record in order. Then it cuts off the rest of an incomplete record, and the journal is ready for
// more.
//
// If another process has the folder, the error is an InUseError. If the folder has no run, it is
// fs.ErrNotExist; if records are broken, a DamageError. An error of f can be found with errors.Is.
// If Open fails in any of these ways, the records are unchanged.
func Open(dir string, f func(Record) error) (*Journal, error) {
	root, err := openRoot(dir)
	if err != nil {
		return nil, err
	}
	j, err := resume(dir, root, f)
	if err != nil {
		return nil, errors.Join(err, root.Close())
	}
	return j, nil
}

func resume(dir string, root *os.Root, f func(Record) error) (*Journal, error) {
	m, err := readManifest(dir, root) // never changes, so it needs no lock
	if err != nil {
		return nil, err
	}
	journal, err := openFile(dir, root, journalName, os.O_RDWR|os.O_APPEND)
	if err != nil {
		return nil, err
	}
	if err := take(dir, root, journal, pause); err != nil {
		return nil, errors.Join(err, journal.Close())
	}
	j := &Journal{dir: dir, manifest: m, root: root, file: journal}
	if j.vouched, err = openSynced(dir, root); err == nil {
		err = j.resume(journal, f)
	}
	if err != nil {
		_ = j.vouched.Close()
		return nil, errors.Join(err, root.Remove(lockName), journal.Close())
	}
	return j, nil
}

// resume replays the journal and cuts off what follows its last record.
func (j *Journal) resume(file *os.File, f func(Record) error) error {
	var err error
	if j.seq, j.tail, err = replayFile(
		j.path(),
		file,
		headerOf(j.manifest),
		syncedSize(j.dir, j.root),
		f,
	); err != nil {
		return err
	}
	j.size = j.tail.Offset
	if j.tail.Bytes > 0 {
		if err := file.Truncate(j.size); err != nil {
			return j.fail(err)
		}
	}
	// The records may never have been synced by the process that wrote them.
	if err := file.Sync(); err != nil {
		return j.fail(err)
	}
	if err := j.vouch(j.size); err != nil {
		return j.fail(err)
	}
	j.synced = j.size
	return nil
}

// Status is the result of [Read] besides the records.
type Status struct {
	Manifest Manifest
	Records  uint64
	Tail     Tail // of a live run: the record that is being written

	Live   bool   // a process has the run, or had it when Read began
	Holder Holder // that process; empty if it is not live
}

// Read reads the run in the folder dir without changing it, also while a process writes it. It
// calls f for each record that was whole when Read began. The errors are those of Open except
// InUseError.
func Read(dir string, f func(Record) error) (Status, error) {
	root, err := openRoot(dir)
	if err != nil {
		return Status{}, err
	}
	status, err := look(dir, root, f)
	return status, errors.Join(err, root.Close())
}

func look(dir string, root *os.Root, f func(Record) error) (s Status, err error) {
	if s.Manifest, err = readManifest(dir, root); err != nil {
		return s, err
	}
	journal, err := openFile(dir, root, journalName, os.O_RDONLY)
	if err != nil {
		return s, err
	}
	defer func() { err = errors.Join(err, journal.Close()) }()
	// This comes before the records. A run that ends meanwhile then shows as live with all its
	// records, and not as ended with some of them missing.
	if s.Live, err = held(journal); err != nil {
		return s, fmt.Errorf("run directory %s: %w", dir, err)
	}
	if s.Live {
		s.Holder = holder(dir, root)
	}
	synced := syncedSize(dir, root) // a live run may raise it meanwhile
	info, err := journal.Stat()
	if err != nil {
		return s, fmt.Errorf("run directory %s: %w", dir, err)
	}
	path := Path(dir)
	s.Records, s.Tail, err = replayFile(
		path,
		io.LimitReader(journal, info.Size()),
		headerOf(s.Manifest),
		synced,
		f,
	)
	return s, err
}

// replayFile calls replay for a journal with synced bytes known to have been on the disk. Its
// errors have the path.
func replayFile(
	path string,
	r io.Reader,
	header string,
	synced int64,
	f func(Record) error,
) (uint64, Tail, error) {
	var refused error
	n, tail, err := replay(r, header, func(record Record) error {
		refused = f(record)
		return refused
	})
	if err == nil && tail.Offset < synced {
		err = &DamageError{
			Record: n + 1,
			Offset: tail.Offset,
			Reason: fmt.Sprintf("whole records stood there, up to byte %d", synced),
		}
	}
	if err != nil && refused == nil {
		damage, ok := errors.AsType[*DamageError](err)
		if !ok {
			return 0, Tail{}, fmt.Errorf("journal %s: %w", path, err)
		}
		damage.Path = path
	}
	return n, tail, err
}

// ReadManifest reads only run.json in the folder dir. Its errors are those of Open.
func ReadManifest(dir string) (Manifest, error) {
	root, err := openRoot(dir)
	if err != nil {
		return Manifest{}, err
	}
	m, err := readManifest(dir, root)
	return m, errors.Join(err, root.Close())
}

func readManifest(dir string, root *os.Root) (Manifest, error) {
	text, err := readFile(dir, root, manifestName)
	if errors.Is(err, fs.ErrNotExist) {
		return Manifest{}, fmt.Errorf("%w; %s", err, withoutManifest(root))
	}
	if err != nil {
		return Manifest{}, err
	}
	m, err := decodeManifest(text)
	if err != nil {
		return Manifest{}, fmt.Errorf("run directory %s: %s %w", dir, manifestName, err)
	}
	return m, nil
}

// withoutManifest says what a folder without run.json is. If it has only files of a journal, the
// folder may be removed. Else it may be the output of a scan, or any folder of the user.
func withoutManifest(root *os.Root) string {
	entries, err := fs.ReadDir(root.FS(), ".")
	if err == nil && Unused(entries) {
		return "nothing was begun there, or a run that ended well was being removed: " +
			"the folder holds nothing of a run, and may be removed"
	}
	return "it is no run directory: cqlbulk status lists the runs of a folder"
}
