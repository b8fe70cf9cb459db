package operation

import (
	"context"
	"errors"
	"fmt"

	"github.com/cqlbulk/cqlbulk/internal/journal"
	"github.com/cqlbulk/cqlbulk/internal/operation/setting"
	"github.com/cqlbulk/cqlbulk/internal/resume"
)

// ResumeSpec says which run goes on, and with which settings of its own.
type ResumeSpec struct {
	RunDir  string
	Changes setting.Changes // all others are those of the earlier run
	// KeepLoaded has a load read only what is left as the changes say, though rows are loaded that
	// were read as before.
	KeepLoaded bool
}

// Resumed is a run that goes on: a scan or a load.
type Resumed struct {
	Scan *Scan // nil of a load
	Load *Load // nil of a scan
}

// PrepareResume reads a run directory, and prepares the run that goes on.
func PrepareResume(ctx context.Context, env Environment, spec ResumeSpec) (Resumed, error) {
	m, err := journal.ReadManifest(spec.RunDir)
	if err != nil {
		return Resumed{}, refusedRun(spec.RunDir, err)
	}
	options, err := recordedIn(m)
	if err != nil {
		return Resumed{}, err
	}
	switch m.Command {
	case commandLoad:
		l, err := resumeLoad(ctx, env, spec, options)
		return Resumed{Load: l}, err
	case commandScan:
		s, err := resumeScan(ctx, env, spec, m, options)
		return Resumed{Scan: s}, err
	default:
		return Resumed{}, fmt.Errorf("run.json: a run of %q is none that can go on", m.Command)
	}
}

func resumeLoad(ctx context.Context, env Environment, r ResumeSpec, options recorded) (*Load, error) {
	earlier, err := resume.OpenLoad(r.RunDir)
	if err != nil {
		return nil, refused(err)
	}
	if err := options.addInputs(r.RunDir, earlier.Manifest()); err != nil {
		return nil, errors.Join(refused(err), earlier.Abandon())
	}
	spec, again, err := options.reread(earlier.Loaded().Readings, r.Changes)
	if err != nil {
		return nil, errors.Join(err, earlier.Abandon())
	}
	if err := refuseEnded(r.RunDir, spec.Inputs, earlier.Loaded().End); err != nil {
		return nil, errors.Join(err, earlier.Abandon())
	}
	spec.RunDir, again.keepLoaded = r.RunDir, r.KeepLoaded
	return prepareLoad(ctx, env, spec, again, earlier, nil)
}

func resumeScan(ctx context.Context, env Environment, r ResumeSpec, m journal.Manifest, options recorded) (*Scan, error) {
	if err := refuseReread(r.Changes.Typed); err != nil {
		return nil, err
	}
	for _, name := range rereadable { // of a file or the environment
		delete(r.Changes.Values, name)
	}
	spec, err := options.scan(r.Changes)
	if err != nil {
		return nil, err
	}
	spec.RunDir = r.RunDir
	earlier, err := resume.OpenScan(r.RunDir, m)
	if err != nil {
		return nil, refused(err)
	}
	return prepareScan(ctx, env, spec, earlier)
}

// load is the spec of a load that was recorded, with changes.
func (r recorded) load(changes setting.Changes) (LoadSpec, error) {
	spec := NewLoadSpec()
	var err error
	if spec.TableName, err = r.table(); err != nil {
		return *spec, err
	}
	spec.Inputs, spec.Named = r.Args[1:], r.Named
	return *spec, r.apply(spec.Settings(), spec.Given, changes)
}

// scan is the spec of a scan that was recorded, with changes.
func (r recorded) scan(changes setting.Changes) (ScanSpec, error) {
	spec := NewScanSpec()
	var err error
	if spec.TableName, err = r.table(); err != nil {
		return *spec, err
	}
	spec.Inputs = r.Args[1:]
	return *spec, r.apply(spec.Settings(), spec.Given, changes)
}

// CommandOf is the command of the run in a directory; empty when it is not to be known.
func CommandOf(runDir string) string {
	m, err := journal.ReadManifest(runDir)
	if err != nil {
		return ""
	}
	return m.Command
}
