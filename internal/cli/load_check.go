package cli

import (
	"errors"
	"fmt"
	"os"

	"github.com/cqlbulk/cqlbulk/internal/load"
)

// check validates what is not validated elsewhere.
func (o *LoadOptions) check() error {
	switch {
	case !(o.IngestRate >= 0):
		return fmt.Errorf("--ingestrate %g: must not be negative", o.IngestRate)
	case o.NullState != "unset" && o.NullState != "tombstone":
		return fmt.Errorf("--nulls %q: must be unset or tombstone", o.NullState)
	case o.TTL < 0 || o.TTL > load.MaxTTL:
		return fmt.Errorf("--ttl %d: must be from 0 to %d seconds", o.TTL, load.MaxTTL)
	case o.IfNotExists && o.Timestamp != "":
		return errors.New("--timestamp and --if-not-exists: a lightweight transaction has a timestamp of the cluster's")
	case o.Memory < 64<<20:
		return fmt.Errorf("--memory %s: must be at least 64MiB", o.Memory.String())
	case o.MinBatchSize < 1:
		return fmt.Errorf("--minbatchsize %d: must be at least 1", o.MinBatchSize)
	case o.SkipRows < 0:
		return fmt.Errorf("--skiprows %d: must not be negative", o.SkipRows)
	case o.MaxRows < -1 || o.MaxRows == 0:
		return fmt.Errorf("--maxrows %d: must be -1 or at least 1", o.MaxRows)
	case o.MaxBatchSize < 1:
		return fmt.Errorf("--maxbatchsize %d: must be at least 1", o.MaxBatchSize)
	case o.InFlight < 0:
		return fmt.Errorf("--inflight %d: must not be negative", o.InFlight)
	case o.MaxAttempts < 1:
		return fmt.Errorf("--maxattempts %d: must be at least 1", o.MaxAttempts)
	}
	if err := checkPatience(o.Patience); err != nil {
		return err
	}
	if err := o.checkOrder(); err != nil {
		return err
	}
	if o.RunDir == "" || o.resumed != nil {
		return nil
	}
	if entries, err := os.ReadDir(o.RunDir); err == nil && len(entries) > 0 {
		return fmt.Errorf("--run-dir %s: the folder is not empty: each run needs one of its own", o.RunDir)
	}
	return nil
}
