package records

import (
	"encoding/json"
	"fmt"

	"github.com/cqlbulk/cqlbulk/internal/run/journal"
	"github.com/cqlbulk/cqlbulk/internal/schema"
)

// CheckTable refuses a table that is not the one that a run began with. Such a table is on a
// cluster with another name, or was created since.
func CheckTable(m journal.Manifest, cluster string, t *schema.Table) error {
	var begun struct {
		Cluster string `json:"cluster"`
	}
	if err := json.Unmarshal(m.Extra, &begun); err != nil {
		return fmt.Errorf("run.json: %w", err)
	}
	if begun.Cluster != cluster {
		return fmt.Errorf(
			"the run began on cluster %q, and this is %q: it cannot be resumed",
			begun.Cluster,
			cluster,
		)
	}
	if m.TableID != t.ID {
		return fmt.Errorf(
			"table %s is not the one that the run began with, but was created since: it cannot be resumed",
			t,
		)
	}
	return nil
}

// CheckColumns refuses what CheckTable refuses, and a table with other columns than when the run
// began.
func CheckColumns(m journal.Manifest, cluster string, t *schema.Table) error {
	if err := CheckTable(m, cluster, t); err != nil {
		return err
	}
	if m.SchemaFingerprint != t.Fingerprint() {
		return fmt.Errorf(
			"table %s has other columns than when the run began: it cannot be resumed",
			t,
		)
	}
	return nil
}
