package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/cqlbulk/cqlbulk/internal/load"
	"github.com/cqlbulk/cqlbulk/internal/resume"
)

// openOuter gets ready to load rejects of an earlier run, and refuses to where rows would
// count twice. done lets go of that run.
func (o *LoadOptions) openOuter(t *target, careful bool) (done func(), err error) {
	if o.RejectsOf == "" {
		return func() {}, nil
	}
	done = func() {}
	if o.outer == nil {
		if o.outer, err = resume.OpenLoad(o.RejectsOf); err != nil {
			return nil, fatal(err)
		}
		done = func() { _ = o.outer.Abandon() }
	}
	if err = checkTable(o.outer.Manifest(), t); err != nil {
		done()
		return nil, fatal(err)
	}
	for _, name := range o.keptNames() {
		earlier, taken := o.outer.Loaded().Retried[name]
		if taken && careful && (o.resumed == nil || earlier.Run != o.resumed.Manifest().Run) {
			done()
			return nil, againError(o.RejectsOf, earlier.Dir)
		}
	}
	return done, nil
}

// keptNames are the names of the inputs that are rejects.
func (o *LoadOptions) keptNames() []string {
	names := make([]string, 0, len(o.kept))
	for path := range o.kept {
		names = append(names, filepath.Base(path))
	}
	slices.Sort(names)
	return names
}

// noteRetry has the earlier run know of a load of its rejects before the first of them
// is sent.
func (o *LoadOptions) noteRetry(job *load.Job, r *loadRun) {
	if o.outer == nil {
		return
	}
	job.Journal = noting{job.Journal, sync.OnceValue(func() error {
		r.noted = true
		return o.outer.Retry(o.keptNames(), resume.Retry{Run: r.journal.Manifest().Run, Dir: filepath.Base(r.dir)})
	})}
}

// againError refuses to load rejects again that the load in a folder of the run has
// loaded, or begun to.
func againError(dir, folder string) error {
	const before = "what was rejected was loaded again before"
	try := filepath.Join(dir, folder)
	if _, err := os.Lstat(try); err != nil {
		return fmt.Errorf("%s: %s, and nothing of it was left over", dir, before)
	}
	return fmt.Errorf("%s, or begun to be, by the load in %s, and rows count twice that are written twice: see cqlbulk status %s", before, try, shellQuote(try))
}

// noting is a journal that has something noted elsewhere before its first piece begins.
type noting struct {
	load.Journal
	note func() error // which does it once
}

// Begin implements load.Journal.
func (n noting) Begin(p load.Piece) error {
	if err := n.note(); err != nil {
		return err
	}
	return n.Journal.Begin(p)
}
