package operation

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/zeebo/xxh3"

	"github.com/cqlbulk/cqlbulk/internal/format"
	"github.com/cqlbulk/cqlbulk/internal/human"
	"github.com/cqlbulk/cqlbulk/internal/ingest"
	"github.com/cqlbulk/cqlbulk/internal/run"
	"github.com/cqlbulk/cqlbulk/internal/run/recorded"
	"github.com/cqlbulk/cqlbulk/internal/run/records"
	"github.com/cqlbulk/cqlbulk/internal/run/reject"
	"github.com/cqlbulk/cqlbulk/internal/source"
	"github.com/cqlbulk/cqlbulk/internal/spec/setting"
)

// findKept finds out what the inputs were which are the rejects of an earlier run.
func (l *Load) findKept(inputs []source.Input, text format.TextFormat) error {
	if l.spec.RejectsOf == "" {
		return nil
	}
	kept, err := reject.Find(l.spec.RejectsOf)
	if err != nil {
		return err
	}
	l.kept, l.rejectTexts = make(map[string]reject.Kept), make(map[string][]uint64)
	for _, k := range kept {
		if !slices.ContainsFunc(inputs, func(in source.Input) bool { return in.Name == k.Path }) {
			continue
		}
		if err := refuseRepeats(k); err != nil {
			return err
		}
		texts, err := l.textsOfRejects(k.Path, text)
		if err != nil {
			return err
		}
		records := len(texts)
		l.rejected += int64(records)
		l.removed += int64(max(len(k.Stamps)-records, 0))
		if records != len(k.Stamps) {
			l.env.Warn(
				"%s has %s instead of the %d that %s rejected: %s written as of now",
				k.Path,
				human.Of(records, "row"),
				len(k.Stamps),
				human.Verb(len(k.Stamps), "was", "were"),
				human.Verb(records, "it is", "they are"),
			)
			k.Stamps, texts = nil, nil
		}
		l.kept[k.Path], l.rejectTexts[k.Path] = k, texts
	}
	return nil
}

// keptNames are the names of the inputs that are rejects.
func (l *Load) keptNames() []string {
	names := make([]string, 0, len(l.kept))
	for path := range l.kept {
		names = append(names, filepath.Base(path))
	}
	slices.Sort(names)
	return names
}

// stampsOf gives the timestamps that the rows of an input had. Those in doubt get the
// next ones: of a list that is not frozen nothing is left then of the first time.
func (l *Load) stampsOf(path string) []int64 {
	k := l.kept[path]
	if !k.Doubt || l.t.Schema.IsCounter() {
		return k.Stamps
	}
	later := slices.Clone(k.Stamps)
	for i := range later {
		if later[i] != 0 {
			later[i]++
		}
	}
	return later
}

// repeatsOf is how often the rows of an input were written again, this time among them.
func (l *Load) repeatsOf(path string) uint8 {
	if k := l.kept[path]; k.Doubt {
		return k.Repeats + 1
	}
	return 0
}

// textsOfRejects returns a hash of the text of each row of a file of rejects.
func (l *Load) textsOfRejects(path string, text format.TextFormat) (texts []uint64, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	broken := xxh3.New()
	form := format.Of(l.spec.Format, text)
	s := form.Split(f, format.SplitOptions{
		MaxRecords: 1,
		MaxRecord:  int(l.spec.Memory / recordShare),
		Bad: func(b format.Bad) error {
			if b.First {
				broken.Reset()
			}
			_, err := broken.Write(b.Piece)
			if b.Last {
				texts = append(texts, broken.Sum64())
			}
			return err
		},
	})
	if l.spec.Header && !form.Named() {
		if _, err := s.Header(); err != nil {
			return nil, fmt.Errorf("%s: header: %w", path, err)
		}
	}
	var buffer []byte
	for {
		c, err := s.Next(buffer[:0])
		if errors.Is(err, io.EOF) {
			return texts, nil
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		buffer = c.Data
		if c.Records > 0 {
			texts = append(texts, xxh3.Hash(c.Data))
		}
	}
}

// openOuter opens the run whose rejects are loaded.
func (l *Load) openOuter() (err error) {
	if l.spec.RejectsOf != "" && l.retriedRun == nil {
		l.retriedRun, err = records.OpenLoad(l.spec.RejectsOf)
	}
	return run.Refused(err)
}

// noteRetry has the earlier run know of a load of its rejects before the first of them
// is sent.
func (l *Load) noteRetry() {
	if l.retriedRun == nil {
		return
	}
	l.job.Journal = noting{l.job.Journal, sync.OnceValue(func() error {
		l.run.known = true
		return l.recordRetry(false)
	})}
}

// recordRetry has the earlier run know of this load of its rejects, and whether all of them were
// loaded.
func (l *Load) recordRetry(done bool) error {
	reading, err := l.readingOfRejects()
	if err != nil {
		return err
	}
	by := records.Retry{
		Run:     l.journal.Manifest().Run,
		Dir:     filepath.Base(l.run.path),
		Reading: reading,
		Done:    done,
	}
	for _, path := range slices.Sorted(maps.Keys(l.tried)) {
		if done {
			break // the record of its beginning has the rows
		}
		rows := l.tried[path]
		by.AsOfNow = rows == nil
		if err := l.retriedRun.RetryRows(filepath.Base(path), rows, by); err != nil {
			return err
		}
	}
	by.AsOfNow = false
	return l.retriedRun.Retry(l.keptNames(), by)
}

// readingOfRejects returns how this load of rejects reads them otherwise than the earlier run did
// at its end. What this run changed is only a part of that if it resumes a load of the rejects.
func (l *Load) readingOfRejects() (records.Changed, error) {
	options, err := recorded.Read(l.retriedRun.Manifest())
	if err != nil {
		return nil, err
	}
	then, _, err := options.Reread(l.retriedRun.Loaded().Readings, setting.Changes{})
	if err != nil {
		return nil, err
	}
	reading := records.Changed{}
	for _, change := range recorded.Changes(&then, &l.spec) {
		reading[change.Name] = change.Now
	}
	return reading, nil
}

// noting is a journal that has something noted elsewhere before its first piece begins.
type noting struct {
	ingest.Journal
	note func() error // which does it once
}

// Begin implements ingest.Journal.
func (n noting) Begin(pieces ...ingest.Piece) error {
	if err := n.note(); err != nil {
		return err
	}
	return n.Journal.Begin(pieces...)
}
