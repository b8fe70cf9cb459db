package operation

import (
	"context"
	"errors"
	"fmt"

	"github.com/cqlbulk/cqlbulk/internal/run"
	"github.com/cqlbulk/cqlbulk/internal/run/journal"
	"github.com/cqlbulk/cqlbulk/internal/run/recorded"
	"github.com/cqlbulk/cqlbulk/internal/run/records"
	"github.com/cqlbulk/cqlbulk/internal/spec"
)

// Resumed is a resumed run: a scan or a load.
type Resumed struct {
	Scan *Scan // nil of a load
	Load *Load // nil of a scan
}

// PrepareResume reads a run directory and prepares the run that resumes it.
func PrepareResume(
	ctx context.Context,
	env spec.Environment,
	settings spec.Resume,
) (Resumed, error) {
	m, err := journal.ReadManifest(settings.RunDir)
	if err != nil {
		return Resumed{}, refusedRun(settings.RunDir, err)
	}
	options, err := recorded.Read(m)
	if err != nil {
		return Resumed{}, err
	}
	switch m.Command {
	case run.CommandLoad:
		l, err := resumeLoad(ctx, env, settings, options)
		return Resumed{Load: l}, err
	case run.CommandScan:
		s, err := resumeScan(ctx, env, settings, m, options)
		return Resumed{Scan: s}, err
	default:
		return Resumed{}, fmt.Errorf("run.json: a run of %q is none that can be resumed", m.Command)
	}
}

func resumeLoad(
	ctx context.Context,
	env spec.Environment,
	r spec.Resume,
	options recorded.Spec,
) (*Load, error) {
	earlier, err := records.OpenLoad(r.RunDir)
	if err != nil {
		return nil, run.Refused(err)
	}
	if err := options.AddInputs(r.RunDir, earlier.Manifest()); err != nil {
		return nil, errors.Join(run.Refused(err), earlier.Abandon())
	}
	settings, readings, err := options.Reread(earlier.Loaded().Readings, r.Changes)
	if err != nil {
		return nil, errors.Join(err, earlier.Abandon())
	}
	if err := refuseEnded(r.RunDir, settings.Inputs, earlier.Loaded().End); err != nil {
		return nil, errors.Join(err, earlier.Abandon())
	}
	settings.RunDir, readings.KeepLoaded = r.RunDir, r.KeepLoaded
	return prepareLoad(ctx, env, settings, earlierRuns{readings, earlier, nil})
}

func resumeScan(
	ctx context.Context,
	env spec.Environment,
	r spec.Resume,
	m journal.Manifest,
	options recorded.Spec,
) (*Scan, error) {
	if err := recorded.RefuseReading(r.Changes.Typed); err != nil {
		return nil, err
	}
	for _, name := range recorded.TextSettings { // of a file or the environment
		delete(r.Changes.Values, name)
	}
	settings, err := options.Scan(r.Changes)
	if err != nil {
		return nil, err
	}
	settings.RunDir = r.RunDir
	earlier, err := records.OpenScan(r.RunDir, m)
	if err != nil {
		return nil, run.Refused(err)
	}
	return prepareScan(ctx, env, settings, earlier)
}

// CommandOf is the command of the run in a directory; empty when it is not to be known.
func CommandOf(runDir string) string {
	m, err := journal.ReadManifest(runDir)
	if err != nil {
		return ""
	}
	return m.Command
}
