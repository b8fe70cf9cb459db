package operation

import (
	"context"
	"errors"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/run"
	"github.com/cqlbulk/cqlbulk/internal/spec"
	"github.com/cqlbulk/cqlbulk/internal/verify"
)

// Verification is a check of the output of scans, ready to run. It knows no cluster.
type Verification struct {
	env  spec.Environment
	spec spec.Verify
}

// PrepareVerify checks that there is something to check.
func PrepareVerify(env spec.Environment, settings spec.Verify) (*Verification, error) {
	if len(settings.Paths) == 0 {
		return nil, errors.New("no manifest given: name manifests, output folders or output files")
	}
	return &Verification{env, settings}, nil
}

// VerifyReport is what was found.
type VerifyReport struct {
	verify.Report
	Outcome  run.Outcome
	NoHash   bool // only the sizes of the files were checked
	Started  time.Time
	Duration time.Duration
}

// Run checks. Nothing was checked when it gives a [*spec.UsageError].
func (v *Verification) Run(ctx context.Context) (VerifyReport, error) {
	r := VerifyReport{NoHash: v.spec.NoHash, Started: time.Now()}
	var err error
	r.Report, err = verify.Check(ctx, verify.Options{
		Paths:  v.spec.Paths,
		NoHash: v.spec.NoHash,
		Stores: v.env.Stores,
	})
	r.Duration = time.Since(r.Started)
	r.Outcome = run.OutcomeOf(ctx, err, len(r.Findings) > 0)
	if err != nil {
		return r, &spec.UsageError{Err: err}
	}
	return r, nil
}
