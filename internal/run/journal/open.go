package journal

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// Open goes on with the run in the folder dir: it takes the lock, checks run.json,
// and calls f for each record in order, before it returns. Then it cuts off what
// is left of a record that was not whole, and the journal is
// ready for more.
//
// It is an InUseError when another process has the folder, fs.ErrNotExist when
// there is no run in it, a DamageError when records are broken. Whenever it fails,
// and so when f does, the records are as they were; errors.Is finds the error of f.
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

// resume brings the journal to where its records end.
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

// Status is what [Read] finds besides the records.
type Status struct {
	Manifest Manifest
	Records  uint64
	Tail     Tail // of a live run: the record that is being written

	Live   bool   // a process has the run, or had it when Read began
	Holder Holder // that process; empty if it is not live
}

// Read looks at the run in the folder dir without changing anything, also while a
// process writes it: it calls f for each record that was whole when it began. The
// errors are those of Open, but for that of a folder in use.
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
	// Before the records: a run that ends meanwhile shows as live with all its
	// records, not as ended with some of them missing.
	if s.Live, err = held(journal); err != nil {
		return s, fmt.Errorf("run directory %s: %w", dir, err)
	}
	if s.Live {
		s.Holder = holder(dir, root)
	}
	synced := syncedSize(dir, root) // which may grow meanwhile
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

// replayFile is replay of a journal of which so many bytes were synced, with the path in
// its errors.
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

// ReadManifest reads run.json in the folder dir alone. Its errors are those of Open.
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
		return Manifest{}, fmt.Errorf(
			"%w; nothing was begun there, or a run that ended well was being removed: the folder holds nothing of a run, and may be removed",
			err,
		)
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
