package operation

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/run"
	"github.com/cqlbulk/cqlbulk/internal/run/journal"
	"github.com/cqlbulk/cqlbulk/internal/run/records"
	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/internal/spec"
	"github.com/cqlbulk/cqlbulk/internal/spec/setting"
	"github.com/cqlbulk/cqlbulk/internal/version"
)

// recorded is a spec as a run directory keeps it: as the command line that it is.
type recorded struct {
	Flags setting.Values `json:"flags"`           // those that are not as they are by default, and the consistency level
	Args  []string       `json:"args"`            // the table and the inputs, but for those in a file of their own
	Named []string       `json:"named,omitempty"` // of a load of many inputs: the folders, patterns and files that they were found by
}

// recordedIn reads the spec of a run.
func recordedIn(m journal.Manifest) (recorded, error) {
	var r recorded
	if err := json.Unmarshal(m.Options, &r); err != nil {
		return r, fmt.Errorf("run.json: %w", err)
	}
	if _, ok := r.Flags[spec.ConsistencyFlag]; !ok {
		if r.Flags == nil {
			r.Flags = make(setting.Values)
		}
		r.Flags[spec.ConsistencyFlag] = []string{spec.UnrecordedConsistency}
	}
	return r, nil
}

// addInputs adds the inputs that are in a file of their own.
func (r *recorded) addInputs(dir string, m journal.Manifest) error {
	extra, err := records.ExtraOf(m)
	if err != nil || extra.Listed == nil {
		return err
	}
	inputs, err := records.InputsOf(dir, extra)
	if err != nil {
		return err
	}
	r.Args = append(r.Args, inputs.Paths()...)
	return nil
}

// apply sets settings as they were, but for those that a change replaces.
func (r recorded) apply(to setting.List, given setting.Given, changes setting.Changes) error {
	if err := to.Apply(r.Flags, given); err != nil {
		return fmt.Errorf("run.json: %w", err)
	}
	return to.Change(r.Flags, given, changes)
}

// table is the table that the run is of.
func (r recorded) table() (spec.TableName, error) {
	if len(r.Args) == 0 {
		return spec.TableName{}, errors.New("run.json: no table is named")
	}
	parts, err := schema.SplitName(r.Args[0])
	if err != nil || len(parts) != 2 {
		return spec.TableName{}, fmt.Errorf("run.json: %q is no name of a table", r.Args[0])
	}
	return spec.TableName{Keyspace: parts[0], Table: parts[1]}, nil
}

// newManifest describes a run.
func newManifest(
	env spec.Environment,
	command string,
	t *schema.Table,
	options recorded,
	extra any,
) (journal.Manifest, error) {
	m := journal.Manifest{
		Tool:              version.Tool + " " + env.Build.Version,
		Build:             env.Build,
		Command:           command,
		Table:             t.String(),
		TableID:           t.ID,
		Started:           time.Now(),
		SchemaFingerprint: t.Fingerprint(),
	}
	var err error
	if m.Options, err = json.Marshal(options); err != nil {
		return m, err
	}
	m.Extra, err = json.Marshal(extra)
	return m, err
}

// runName is what a run directory is called.
func runName(command string, t *schema.Table) string {
	// The process tells apart runs on one table that start in the same second.
	return fmt.Sprintf(
		"%s-%s-%s.%s-%s-%d",
		version.Tool,
		command,
		t.Keyspace,
		t.Name,
		time.Now().UTC().Format("20060102T150405Z"),
		os.Getpid(),
	)
}

// runDirectory is the run directory of a scan or a load. The zero value is that of a run
// that keeps none.
type runDirectory struct {
	path      string
	journal   runJournal          // nil: none is kept
	continued bool                // the run goes on with an earlier one
	known     bool                // that of another run names it
	reread    map[string][]string // of resume.End
	edit      []string            // so
	anew      map[string][]string // so
}

// runJournal is what the journals of scans and loads have in common.
type runJournal interface {
	Manifest() journal.Manifest
	Close(records.End) error
	Abandon() error
}

// continuedIn is the run directory of an earlier run.
func continuedIn(path string, journal runJournal) runDirectory {
	return runDirectory{path: path, journal: journal, continued: true}
}

// isIdle reports whether a run that did nothing can be started again as well as resumed. A resumed
// run keeps its directory, which the user has named.
func (d *runDirectory) isIdle(
	nothingDone bool,
) bool {
	return nothingDone && !d.continued && !d.known
}

// end notes how the run ended, and removes the directory where it has nothing to tell.
func (d *runDirectory) end(
	outcome run.Outcome,
	runErr error,
	failed []records.Range,
	remove bool,
) error {
	if d.journal == nil {
		return nil
	}
	end := records.End{
		Outcome: outcomes[outcome],
		Failed:  failed,
		Reread:  d.reread,
		Edit:    d.edit,
		Anew:    d.anew,
	}
	if outcome == run.Failed {
		end.Error, end.Refused = runErr.Error(), errors.As(runErr, new(*run.RefusedError))
	}
	err := d.journal.Close(end)
	if remove {
		err = errors.Join(err, records.Discard(d.path))
	}
	return err
}

// outcomes are how a journal calls them.
var outcomes = map[run.Outcome]string{
	run.Done:        records.Done,
	run.Partly:      records.Partly,
	run.Interrupted: records.Interrupted,
	run.Failed:      records.Failed,
}

// discard removes the directory of a run that did nothing.
func (d *runDirectory) discard() error {
	if d.journal == nil {
		return nil
	}
	return errors.Join(d.journal.Abandon(), records.Discard(d.path))
}

// abandon lets go of the directory, without a word about the run. It does nothing after
// end.
func (d *runDirectory) abandon() {
	if d.journal != nil {
		_ = d.journal.Abandon()
	}
}
