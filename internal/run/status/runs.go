package status

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/fsync"
	"github.com/cqlbulk/cqlbulk/internal/manifest"
	"github.com/cqlbulk/cqlbulk/internal/run"
	"github.com/cqlbulk/cqlbulk/internal/run/history"
	"github.com/cqlbulk/cqlbulk/internal/run/journal"
	"github.com/cqlbulk/cqlbulk/internal/run/recorded"
	"github.com/cqlbulk/cqlbulk/internal/version"
)

// Runs lists the runs that left something in a folder, the newest first. It finds run directories
// and the retries in them, outputs of scans by their manifests, and loads that are done by the
// history. It opens no other folder. Runs that cannot be read are listed too.
func Runs(folder string) ([]Run, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	var runs []Run
	for _, load := range history.Read(folder) {
		runs = append(runs, pastRun(folder, load))
	}
	for _, e := range entries {
		path := filepath.Join(folder, e.Name())
		switch {
		case fsync.IsFolder(path, e):
			runs = appendRuns(runs, path)
		case strings.HasSuffix(e.Name(), manifest.Ending):
			runs = appendDone(runs, path)
		}
	}
	// Of a run that left an output the run directory knows more. A run directory that was copied is
	// a run of its own.
	type begun struct {
		command, table string
		at             int64
	}
	left := make(map[begun]bool)
	for _, r := range runs {
		if r.State != Complete {
			left[begun{r.Command, r.Table, r.Started.UnixNano()}] = true
		}
	}
	runs = slices.DeleteFunc(runs, func(r Run) bool {
		return r.State == Complete && !IsRun(r.Path) &&
			left[begun{r.Command, r.Table, r.Started.Truncate(time.Millisecond).UnixNano()}]
	})
	slices.SortStableFunc(runs, func(a, b Run) int {
		return cmp.Or(b.Started.Compare(a.Started), strings.Compare(a.Path, b.Path))
	})
	return runs, nil
}

// List is Runs of a folder that has some.
func List(folder string) ([]Run, error) {
	runs, err := Runs(folder)
	switch {
	case errors.Is(err, fs.ErrPermission):
		err = unreadable(folder, err)
	case err == nil && len(runs) == 0:
		err = noRuns(folder)
	}
	return runs, err
}

// appendRuns adds the run of a folder, and those of the tries in it, where there is one.
func appendRuns(runs []Run, path string) []Run {
	if !IsRun(path) {
		if name := filepath.Join(path, manifest.FolderName); !isRunName(filepath.Base(path)) {
			return appendDone(runs, name)
		}
	}
	status, err := Read(path)
	if _, gone := os.Lstat(path); errors.Is(gone, fs.ErrNotExist) {
		return runs // it ended well meanwhile
	}
	if err != nil {
		return append(runs, damaged(path, err))
	}
	runs = append(runs, runOf(status))
	for _, try := range Retries(path) {
		from := len(runs)
		runs = appendRuns(runs, try)
		if status.Load != nil && slices.Contains(status.Load.Later, try) {
			for i := range runs[from:] {
				runs[from+i].complete()
			}
		}
	}
	return runs
}

// IsRun says whether a folder is a run directory, readable or not.
func IsRun(path string) bool { return journal.HasManifest(path) || journal.IsRun(path) }

// isRunName says whether runs name their folders so.
func isRunName(name string) bool {
	return strings.HasPrefix(name, version.Tool+"-"+run.CommandScan+"-") ||
		strings.HasPrefix(name, version.Tool+"-"+run.CommandLoad+"-")
}

// appendDone adds the scan whose output has the manifest at path, where it is one.
func appendDone(runs []Run, path string) []Run {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) ||
		errors.Is(err, fs.ErrPermission) && filepath.Base(path) == manifest.FolderName ||
		err == nil && !bytes.Contains(text, []byte(`"tool": "`+version.Tool+`"`)) {
		return runs // of another program
	}
	if err != nil {
		return append(runs, damaged(path, fmt.Errorf("manifest %w", err)))
	}
	m, err := manifest.Read(path)
	if err != nil {
		return append(runs, damaged(path, err))
	}
	if m.Command != run.CommandScan {
		return runs // a folder of SSTables that a load made
	}
	r := Run{
		Path:    path,
		Command: m.Command,
		Table:   m.Keyspace + "." + m.Table,
		State:   Complete,
		Target: recorded.Target{
			Cluster: m.Cluster,
			Hosts:   m.Hosts(),
		},
		Started: m.Started,
		Seen:    m.Finished,
		Rows:    m.Rows,
		Failed:  int64(m.Ranges.Failed),
	}
	if m.Pace != nil {
		r.RowsPerSecond = m.Pace.RowsPerSecond
	}
	share := 1.0
	if m.Ranges.Failed > 0 {
		r.State, share = Partly, float64(
			m.Ranges.Done,
		)/float64(
			max(m.Ranges.Done+m.Ranges.Failed, 1),
		)
	}
	r.Share = &share
	return append(runs, r)
}

// pastRun is a load that only the history of a folder has.
func pastRun(folder string, load history.Load) Run {
	whole := 1.0
	return Run{
		Path:          nameOfInputs(folder, load.Inputs),
		Command:       run.CommandLoad,
		Table:         load.Table,
		Target:        recorded.Target{Cluster: load.Cluster, Hosts: load.Hosts},
		State:         Complete,
		Past:          true,
		Started:       load.Started,
		Seen:          load.Finished,
		Share:         &whole,
		Rows:          load.Rows,
		RowsPerSecond: load.Rate,
	}
}

// nameOfInputs names the first input, relative to the folder if it is below it.
func nameOfInputs(folder string, inputs []string) string {
	if len(inputs) == 0 {
		return "-"
	}
	name := inputs[0]
	if absolute, err := filepath.Abs(folder); err == nil && filepath.IsAbs(name) {
		if below, err := filepath.Rel(
			absolute,
			name,
		); err == nil &&
			!strings.HasPrefix(below, "..") {
			name = filepath.Join(folder, below)
		}
	}
	return name
}
