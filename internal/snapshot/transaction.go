package snapshot

import (
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/cqlbulk/cqlbulk/pkg/sstable/component"
)

// A server that writes SSTables from others keeps a log beside them: what it adds, what it removes,
// and at the end whether it committed. While the log is there, the old files of a committed
// transaction no longer count. Of any other transaction the new files do not count yet
// (LogAwareFileLister).

// logName is the name of such a log (LogFile.FILE_REGEX).
var logName = regexp.MustCompile(`^.{2}_txn_.*_.*\.log$`)

// logLine is a line of one (LogRecord.REGEX).
var logLine = regexp.MustCompile(
	`^(?i)(add|remove|commit|abort):\[([^,]*),?([^,]*),?([^,]*)\]\[(\d*)\]$`,
)

// logRecord is a line that is right.
type logRecord struct {
	kind string // ADD, REMOVE, COMMIT or ABORT
	// of the SSTable's files, up to the dash before the component, from Cassandra 5.0 on with it
	path  string
	files int64 // how many there were
}

// prefix is what the names of the SSTable's files begin with.
func (r *logRecord) prefix() string {
	return strings.TrimSuffix(filepath.Base(filepath.FromSlash(r.path)), "-") + "-"
}

// parseRecord reads a line; it fails when it is not whole.
func parseRecord(line string) (logRecord, error) {
	m := logLine.FindStringSubmatch(line)
	if m == nil {
		return logRecord{}, fmt.Errorf("%.100q is no record", line)
	}
	r := logRecord{kind: strings.ToUpper(m[1]), path: m[2]}
	updated, err1 := strconv.ParseInt(m[3], 10, 64)
	files, err2 := strconv.ParseInt(m[4], 10, 32)
	want, err3 := strconv.ParseUint(m[5], 10, 32)
	if err := errors.Join(err1, err2, err3); err != nil {
		return logRecord{}, err
	}
	r.files = files
	sum := crc32.NewIEEE()
	number := func(n int32) {
		_, _ = sum.Write([]byte{byte(n >> 24), byte(n >> 16), byte(n >> 8), byte(n)})
	}
	_, _ = sum.Write([]byte(r.path + r.kind))
	number(int32(updated))
	number(int32(updated >> 32))
	number(int32(files))
	if uint64(sum.Sum32()) != want {
		return logRecord{}, fmt.Errorf(
			"%.100q has the checksum %d, not %d",
			line,
			want,
			sum.Sum32(),
		)
	}
	return r, nil
}

// transaction is a log.
type transaction struct {
	path    string
	records []logRecord
}

// parseTransaction reads a log. Its last line may be cut off: the server went down while it wrote
// that.
func parseTransaction(path, text string) (*transaction, error) {
	t := &transaction{path: path}
	lines := strings.Split(strings.TrimRight(text, "\r\n"), "\n")
	for i, line := range lines {
		r, err := parseRecord(strings.TrimRight(line, "\r"))
		switch {
		case err != nil && i < len(lines)-1:
			return nil, fmt.Errorf("%s, line %d: %w", path, i+1, err)
		case err == nil:
			t.records = append(t.records, r)
		}
	}
	return t, nil
}

// ended is how the transaction ended: COMMIT, ABORT, or empty while it is under way.
func (t *transaction) ended() string {
	if n := len(t.records); n > 0 {
		if kind := t.records[n-1].kind; kind == "COMMIT" || kind == "ABORT" {
			return kind
		}
	}
	return ""
}

// gone says which files do not count, by what their names begin with, and why.
func (t *transaction) gone(into map[string]string) {
	kind, reason := "ADD", "a compaction that is not done is making it"
	if t.ended() == "COMMIT" {
		kind, reason = "REMOVE", "a compaction has replaced it"
	}
	for _, r := range t.records {
		if r.kind == kind {
			into[r.prefix()] = fmt.Sprintf("%s (%s)", reason, filepath.Base(t.path))
		}
	}
}

// consistent reports whether the old files of a transaction under way are all there. Each data
// directory has a copy of the log, which names the files of all. If there are several, the log does
// not say which files belong in a folder that was copied.
func (t *transaction) consistent(names []string) bool {
	if t.ended() != "" {
		return true
	}
	parent := ""
	for _, r := range t.records {
		dir := filepath.Dir(filepath.FromSlash(r.path))
		if parent != "" && dir != parent {
			return true
		}
		parent = dir
	}
	for _, r := range t.records {
		if r.kind != "REMOVE" {
			continue
		}
		have := int64(0)
		for _, name := range names {
			if strings.HasPrefix(name, r.prefix()) {
				have++
			}
		}
		if have < r.files {
			return false
		}
	}
	return true
}

// listings is how often a folder is listed before its state is taken to be what it is, and not one
// that is passing.
const listings = 3

// listing is what a folder has.
type listing struct {
	names []string
	gone  map[string]string // what names begin with that do not count, and why
}

// list lists a folder that a server may be changing.
func list(folder string) (*listing, error) {
	for n := 1; ; n++ {
		l, bad, err := listOnce(folder)
		if err != nil && !errors.Is(err, fs.ErrNotExist) || bad == nil && err == nil {
			return l, err
		}
		switch {
		case n < listings:
		case err != nil:
			return nil, err
		default:
			return nil, fmt.Errorf(
				"%s: the transaction is not completed, but files that it would remove are gone: the folder is not as a server leaves it",
				bad.path,
			)
		}
	}
}

// listOnce lists a folder, logs behind all other files, since they are removed last. bad is a log
// that does not fit them.
func listOnce(folder string) (l *listing, bad *transaction, err error) {
	l = &listing{gone: make(map[string]string)}
	for _, logs := range []bool{false, true} {
		entries, err := os.ReadDir(folder)
		if err != nil {
			return nil, nil, err
		}
		for _, e := range entries {
			isLog := logName.MatchString(e.Name())
			if e.IsDir() || isLog != logs {
				continue
			}
			if !isLog {
				l.names = append(l.names, e.Name())
				continue
			}
			text, err := component.ReadFile(join(folder, e.Name()))
			if err != nil {
				return nil, nil, err
			}
			t, err := parseTransaction(join(folder, e.Name()), string(text))
			if err != nil {
				return nil, nil, err
			}
			if !t.consistent(l.names) {
				bad = t
			}
			t.gone(l.gone)
		}
	}
	return l, bad, nil
}
