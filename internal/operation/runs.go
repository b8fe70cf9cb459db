package operation

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

	"github.com/cqlbulk/cqlbulk/internal/run/recorded"

	"github.com/cqlbulk/cqlbulk/internal/run/advice"

	"github.com/cqlbulk/cqlbulk/internal/human"
	"github.com/cqlbulk/cqlbulk/internal/manifest"
	"github.com/cqlbulk/cqlbulk/internal/owner"
	"github.com/cqlbulk/cqlbulk/internal/run"
	"github.com/cqlbulk/cqlbulk/internal/run/history"
	"github.com/cqlbulk/cqlbulk/internal/run/journal"
	"github.com/cqlbulk/cqlbulk/internal/run/reject"
	"github.com/cqlbulk/cqlbulk/internal/version"
)

// RunState is how a run of a folder stands.
type RunState string

// The states.
const (
	RunRunning  RunState = "running"
	RunStopped  RunState = "stopped"  // before its end
	RunPartly   RunState = "partly"   // at its end, and some of it failed
	RunRetried  RunState = "retried"  // so, but what failed was tried again by another run
	RunComplete RunState = "complete" // nothing is left to do
	RunDamaged  RunState = "damaged"  // it cannot be read

	RunUnreadable RunState = "unreadable" // this user may not read it
)

// Run is a run of which there is something in a folder.
type Run struct {
	Path           string // of its run directory, or of the manifest of its output
	Command, Table string // empty of a damaged one
	Target         recorded.Target
	State          RunState
	Started        time.Time // of a damaged one when its folder was last changed
	Seen           time.Time // when it ended, or was last heard of
	Share          *float64  // of the work that is done, 0 to 1; nil: not known
	Rows           int64     // written to the output, or into the table
	Failed         int64     // rows rejected or in doubt, or token ranges that failed
	RowsPerSecond  float64   // of now, or else of the whole; 0: not known
	Left           time.Duration
	Next           []advice.Step // what can be done with it
	Err            error         // why it is damaged, or ended so that a resume would be refused
	Past           bool          // the history alone has it, and Path is its first input
}

// Runs lists the runs of which there is something in a folder, the newest first: run directories,
// those of tries that are in them, outputs of scans that are done, by their manifests, and loads
// that are done, by the history. No folder but these is looked into. A run that cannot be read is
// one of the list.
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
		case isFolder(path, e):
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
		if r.State != RunComplete {
			left[begun{r.Command, r.Table, r.Started.UnixNano()}] = true
		}
	}
	runs = slices.DeleteFunc(runs, func(r Run) bool {
		return r.State == RunComplete && !IsRun(r.Path) &&
			left[begun{r.Command, r.Table, r.Started.Truncate(time.Millisecond).UnixNano()}]
	})
	slices.SortStableFunc(runs, func(a, b Run) int {
		return cmp.Or(b.Started.Compare(a.Started), strings.Compare(a.Path, b.Path))
	})
	return runs, nil
}

// Recent returns the runs that have something left to do, and of the others the newest; hidden is
// the number of those that it leaves out.
func Recent(runs []Run, complete int) (shown []Run, hidden int) {
	for _, r := range runs {
		switch {
		case r.State != RunComplete:
		case complete == 0:
			hidden++
			continue
		default:
			complete--
		}
		shown = append(shown, r)
	}
	return shown, hidden
}

func isFolder(path string, e fs.DirEntry) bool {
	if e.Type()&fs.ModeSymlink == 0 {
		return e.IsDir()
	}
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// appendRuns adds the run of a folder, and those of the tries in it, where there is one.
func appendRuns(runs []Run, path string) []Run {
	if !IsRun(path) {
		if name := filepath.Join(path, manifest.FolderName); !isRunName(filepath.Base(path)) {
			return appendDone(runs, name)
		}
	}
	status, err := ReadStatus(path)
	if _, gone := os.Lstat(path); errors.Is(gone, fs.ErrNotExist) {
		return runs // it ended well meanwhile
	}
	if err != nil {
		return append(runs, damaged(path, err))
	}
	runs = append(runs, runOf(status))
	for _, try := range tries(path) {
		from := len(runs)
		runs = appendRuns(runs, try)
		if status.Load != nil && slices.Contains(status.Load.Later, try) {
			for i := range runs[from:] {
				runs[from+i].settle()
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

// damaged is a run that cannot be read.
func damaged(path string, err error) Run {
	r := Run{Path: path, State: RunDamaged, Err: err}
	if errors.Is(err, fs.ErrPermission) {
		r.State, r.Err = RunUnreadable, unreadable(path, err)
	}
	if info, err := os.Lstat(path); err == nil {
		r.Started, r.Seen = info.ModTime(), info.ModTime()
	}
	return r
}

// runOf is a run as its run directory tells of it.
func runOf(s StatusReport) Run {
	r := Run{
		Path:          s.RunDir,
		Command:       s.Command,
		Table:         s.Table,
		Target:        s.Target,
		Started:       s.Started,
		Seen:          s.Seen,
		State:         RunStopped,
		Share:         s.Share(),
		RowsPerSecond: s.Pace.RowsPerSecond,
		Left:          s.Pace.Left,
		Next:          s.Next(),
	}
	if l := s.Load; l != nil {
		r.Rows, r.Failed = l.Tally.Written+l.Tally.Existing, l.failed()
	}
	if s.Scan != nil {
		r.Rows = s.Scan.Rows
	}
	if s.End != nil {
		r.Failed += int64(len(s.End.Failed))
		if s.End.Refused {
			r.Err = errors.New(s.End.Error)
		}
	}
	switch {
	case s.Live:
		r.State = RunRunning
		if now := s.Pace.Now; now != nil { // which is further than the journal
			r.Rows, r.Failed = now.Rows, now.Rejected+now.Failed
		}
	case s.End == nil || s.End.Outcome == run.Interrupted || s.End.Outcome == run.Failed:
	case s.Load != nil && len(s.Load.Retried) > 0 && s.Load.Tries > 0:
		r.State, r.Failed = RunRetried, 0 // the tries have it
	case len(r.Next) > 0 || s.Load != nil && len(s.Load.Lost) > 0:
		r.State = RunPartly
	default:
		r.State, r.Failed = RunComplete, 0
	}
	return r
}

// settle makes a run complete whose rows another one has loaded.
func (r *Run) settle() {
	if r.State == RunPartly || r.State == RunRetried {
		r.State, r.Failed, r.Next = RunComplete, 0, nil
	}
}

// failed is the number of rows that are rejected or in doubt and that no retry took over. What a
// retry could not load is counted by the retry's own run directory.
func (s *LoadStatus) failed() int64 {
	left := func(all int64, inDoubt bool) int64 {
		ofKind := func(name string) bool { return reject.InDoubt(name) == inDoubt }
		if slices.ContainsFunc(s.Retried, ofKind) && !slices.ContainsFunc(s.Lost, ofKind) {
			return 0
		}
		return all
	}
	return left(s.Rejected, false) + left(s.Tally.InDoubt, true)
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
		State:   RunComplete,
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
		r.State, share = RunPartly, float64(
			m.Ranges.Done,
		)/float64(
			max(m.Ranges.Done+m.Ranges.Failed, 1),
		)
	}
	r.Share = &share
	return append(runs, r)
}

// Newest is the newest run of a folder that can be gone on with by a command; with status the
// newest one there is. doubt says that rows in doubt are to be written again as well.
func Newest(folder, command string, doubt bool) (string, error) {
	runs, err := Runs(folder)
	if err != nil {
		return "", err
	}
	suits := func(r Run) bool {
		return command == run.CommandStatus && r.State != RunDamaged && r.State != RunUnreadable &&
			IsRun(r.Path) ||
			slices.ContainsFunc(r.Next, func(n advice.Step) bool {
				return n.Command == command && n.RunDir == r.Path && (doubt || !n.RepeatInDoubt)
			})
	}
	if i := slices.IndexFunc(runs, suits); i >= 0 {
		path := runs[i].Path
		if other := RunOwner(path); other != "" {
			return "", fmt.Errorf("the newest run is %s, which belongs to user %s: name it if you "+
				"trust it, or name one of your own: cqlbulk status shows them", path, other)
		}
		return path, nil
	}
	wanted := map[string]string{
		run.CommandResume: "was stopped and can go on", run.CommandRetry: "has something that failed",
	}[command]
	if len(runs) == 0 {
		return "", noRuns(folder)
	}
	if command == run.CommandStatus {
		return "", fmt.Errorf(
			"the %s in %s %s no run directory any more: cqlbulk status lists them",
			human.Of(len(runs), "run"),
			folderName(folder),
			human.Verb(len(runs), "has", "have"),
		)
	}
	return "", fmt.Errorf(
		"of the %s in %s none %s: cqlbulk status shows them",
		human.Of(len(runs), "run"),
		folderName(folder),
		wanted,
	)
}

// otherOwner is [owner.Other]. Tests replace it.
var otherOwner = owner.Other

// RunOwner returns the name of another user to whom a run directory belongs: hosts, files and
// settings of the run are what that user wrote there. It is empty for those of this user and
// of root.
func RunOwner(dir string) string {
	return otherOwner(dir, filepath.Join(dir, journal.ManifestFile))
}

// noRuns says that a folder has no run.
func noRuns(folder string) error {
	return fmt.Errorf(
		"there is no run in %s: scans and loads are listed in the folder where they were started, or where --run-dir says",
		folderName(folder),
	)
}

// folderName is a folder as a message names it.
func folderName(folder string) string {
	if folder == "." {
		return "this folder"
	}
	return folder
}

// ListRuns is Runs of a folder that has some.
func ListRuns(folder string) ([]Run, error) {
	runs, err := Runs(folder)
	switch {
	case errors.Is(err, fs.ErrPermission):
		err = unreadable(folder, err)
	case err == nil && len(runs) == 0:
		err = noRuns(folder)
	}
	return runs, err
}

// unreadable says who can read a folder that this user may not read.
func unreadable(path string, err error) error {
	if other := RunOwner(path); other != "" {
		return fmt.Errorf(
			"%s belongs to user %s: only that user and root can read it; whether a run in it is under way is not known",
			path,
			other,
		)
	}
	return fmt.Errorf(
		"%s cannot be read: %w; whether a run in it is under way is not known",
		path,
		fs.ErrPermission,
	)
}

// pastRun is a load of which only the history of a folder tells.
func pastRun(folder string, load history.Load) Run {
	whole := 1.0
	return Run{
		Path:          nameOfInputs(folder, load.Inputs),
		Command:       run.CommandLoad,
		Table:         load.Table,
		Target:        recorded.Target{Cluster: load.Cluster, Hosts: load.Hosts},
		State:         RunComplete,
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
