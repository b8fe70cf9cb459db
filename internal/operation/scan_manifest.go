package operation

import (
	"time"

	"github.com/cqlbulk/cqlbulk/internal/manifest"
	"github.com/cqlbulk/cqlbulk/internal/memory"
	"github.com/cqlbulk/cqlbulk/internal/scan"
	"github.com/cqlbulk/cqlbulk/internal/scan/account"
)

// writeManifest writes the account of a scan beside its output.
func (s *Scan) writeManifest(r *ScanReport, result scan.Result) error {
	if s.ToStdout() || s.spec.NoManifest {
		return nil
	}
	m := account.Scan{
		Build:   s.env.Build,
		Spec:    &s.spec,
		Source:  s.t,
		Begun:   s.begunWith,
		Started: s.begunAt(r.Started),
		Result:  result,
		Done:    s.done(result),
		Failed:  r.Failed,
		Columns: s.selection,
	}.Manifest()
	m.Pace = &manifest.Pace{
		Seconds:        r.Duration.Seconds(),
		EarlierSeconds: r.TookBefore.Seconds(),
		RowsPerSecond:  r.RowsPerSecond(),
		BytesPerSecond: r.BytesPerSecond(),
	}
	memory.CollectOften(len(r.Files))
	r.Manifest = s.spec.ManifestPath()
	return s.beside().Write(m, r.Files, s.spec.Mode.File())
}

// begunAt returns the time at which the first run began.
func (s *Scan) begunAt(this time.Time) time.Time {
	if s.journal != nil {
		return s.journal.Manifest().Started
	}
	return this
}

// beside is the place of the manifest.
func (s *Scan) beside() account.Beside {
	return account.Beside{
		In:    s.env.Stores,
		Path:  s.spec.ManifestPath(),
		Dir:   s.spec.Dir,
		Force: s.spec.Force,
	}
}

// isOwn reports whether a manifest is of this run.
func (s *Scan) isOwn(m manifest.Manifest) bool {
	return s.journal != nil && m.Seed == s.begunWith.Seed &&
		m.PlanHash == s.begunWith.PlanHash && m.Started.Equal(s.begunAt(time.Time{}))
}
