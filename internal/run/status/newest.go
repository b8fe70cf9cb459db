package status

import (
	"fmt"
	"slices"

	"github.com/cqlbulk/cqlbulk/internal/human"
	"github.com/cqlbulk/cqlbulk/internal/run"
	"github.com/cqlbulk/cqlbulk/internal/run/advice"
)

// Recent returns the runs that have something left to do, and the newest of the complete ones. It
// leaves out hidden runs.
func Recent(runs []Run, complete int) (shown []Run, hidden int) {
	for _, r := range runs {
		switch {
		case r.State != Complete:
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

// Newest returns the run directory of the newest run in a folder that a command (resume or retry)
// can be used for. For status it is the newest one of all. doubt: a retry writes rows in doubt as
// well.
func Newest(folder, command string, doubt bool) (string, error) {
	runs, err := Runs(folder)
	if err != nil {
		return "", err
	}
	suits := func(r Run) bool {
		return command == run.CommandStatus && r.State != Damaged && r.State != Unreadable &&
			IsRun(r.Path) ||
			slices.ContainsFunc(r.Next, func(n advice.Step) bool {
				return n.Command == command && n.RunDir == r.Path && (doubt || !n.RepeatInDoubt)
			})
	}
	if i := slices.IndexFunc(runs, suits); i >= 0 {
		path := runs[i].Path
		if other := Owner(path); other != "" {
			return "", fmt.Errorf("the newest run is %s, which belongs to user %s: name it if you "+
				"trust it, or name one of your own: cqlbulk status shows them", path, other)
		}
		return path, nil
	}
	wanted := map[string]string{
		run.CommandResume: "was stopped and can be resumed", run.CommandRetry: "has something that failed",
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
