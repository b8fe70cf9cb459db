package spec

import (
	"fmt"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/pace"
	"github.com/cqlbulk/cqlbulk/internal/spec/setting"
)

// Pacing says how much a sweep may ask of the cluster and of this machine.
type Pacing struct {
	Memory         setting.Size  // at most, in bytes
	Rate           float64       // at most, in rows a second; 0: no limit
	MaxBytesPerSec setting.Size  // at most, in bytes read a second; 0: no limit
	TargetP99      time.Duration // of small reads on the nodes, to slow down for; 0: none
	MaxAttempts    int           // for a page before what is left of its range is given up
	Patience       time.Duration // with a cluster that answers nothing
	PageSize       int           // rows of a page; 0: chosen by the size of rows
}

// NewPacing has the defaults.
func NewPacing() Pacing {
	return Pacing{
		Memory:      defaultMemory,
		MaxAttempts: pace.DefaultAttempts,
		Patience:    pace.DefaultPatience,
	}
}

// defaultMemory is the default limit of an operation's memory, in bytes.
const defaultMemory = 256 << 20

func (o *Pacing) settings() setting.List {
	return setting.List{
		{Name: "memory", Field: &o.Memory},
		{Name: "rate", Field: &o.Rate},
		{Name: "max-bytes-per-sec", Field: &o.MaxBytesPerSec},
		{Name: "target-p99", Field: &o.TargetP99},
		{Name: "pagesize", Field: &o.PageSize},
		{Name: "maxattempts", Field: &o.MaxAttempts},
		{Name: "patience", Field: &o.Patience},
	}
}

func (o *Pacing) check() error {
	switch {
	case o.Memory < 32<<20:
		return fmt.Errorf("--memory %s: must be at least 32MiB", o.Memory.String())
	case o.Rate < 0:
		return fmt.Errorf("--rate %g: must not be negative", o.Rate)
	case o.TargetP99 < 0:
		return fmt.Errorf("--target-p99 %s: must not be negative", o.TargetP99)
	case o.PageSize < 0:
		return fmt.Errorf("--pagesize %d: must not be negative", o.PageSize)
	}
	return checkAttempts(o.MaxAttempts, o.Patience)
}

// checkAttempts validates how long a request is tried again.
func checkAttempts(most int, patience time.Duration) error {
	if most < 1 {
		return fmt.Errorf("--maxattempts %d: must be at least 1", most)
	}
	if patience <= 0 {
		return fmt.Errorf("--patience %s: must be more than 0", patience)
	}
	return nil
}
