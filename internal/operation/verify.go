package operation

import (
	"context"
	"errors"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/operation/setting"
	"github.com/cqlbulk/cqlbulk/internal/verify"
)

// VerifySpec says which outputs of scans are checked, and how.
type VerifySpec struct {
	Paths  []string // manifests, output folders or output files
	NoHash bool     // look at the sizes of files alone
}

// Settings names the fields.
func (s *VerifySpec) Settings() setting.List {
	return setting.List{{Name: "no-hash", Field: &s.NoHash}}
}

// Verification is a check of the output of scans, ready to run. It knows no cluster.
type Verification struct{ spec VerifySpec }

// PrepareVerify checks that there is something to check.
func PrepareVerify(spec VerifySpec) (*Verification, error) {
	if len(spec.Paths) == 0 {
		return nil, errors.New("no manifest given: name manifests, output folders or output files")
	}
	return &Verification{spec}, nil
}

// VerifyReport is what was found.
type VerifyReport struct {
	verify.Report
	Outcome  Outcome
	NoHash   bool // of the files, sizes were looked at alone
	Started  time.Time
	Duration time.Duration
}

// Run checks. Nothing was checked when it gives a [*UsageError].
func (v *Verification) Run(ctx context.Context) (VerifyReport, error) {
	r := VerifyReport{NoHash: v.spec.NoHash, Started: time.Now()}
	var err error
	r.Report, err = verify.Check(ctx, verify.Options{Paths: v.spec.Paths, NoHash: v.spec.NoHash})
	r.Duration = time.Since(r.Started)
	r.Outcome = outcomeOf(ctx, err, len(r.Findings) > 0)
	if err != nil {
		return r, &UsageError{err}
	}
	return r, nil
}
