package files

import (
	"fmt"
	"math"
	"strings"

	"github.com/cqlbulk/cqlbulk/internal/snapshot"
	"github.com/cqlbulk/cqlbulk/internal/spec"
	"github.com/cqlbulk/cqlbulk/internal/sstables"
)

// noSchema says why the schema of SSTables in folders is asked of the cluster.
func noSchema(found *snapshot.Found, of spec.TableName) string {
	if found.ViewPath != "" {
		return found.ViewPath + " makes a materialized view, without the types of its columns"
	}
	return fmt.Sprintf("no schema.cql beside the SSTables makes %s.%s", of.Keyspace, of.Table)
}

// refuseOther refuses SSTables that are not of the table that the cluster has by their name.
func (t *Source) refuseOther(found *snapshot.Found) error {
	has := strings.ReplaceAll(t.Schema.ID, "-", "")
	switch {
	case found.ID != "" && has != "" && found.ID != has:
		return fmt.Errorf(
			"%s, and the SSTables are of a table with the id %s, where %s in the cluster has the id %s: "+
				"it was dropped and made again, or they are of another cluster; "+
				"name the schema that they were written with, in a file, with --schema",
			noSchema(found, spec.TableName{Keyspace: t.Schema.Keyspace, Table: t.Schema.Name}),
			found.ID,
			t.Schema,
			has,
		)
	case found.ViewPath != "" && !t.KnownOptions.IsView:
		return t.notAView(found.ViewPath + " makes a materialized view")
	}
	return nil
}

// expiredTTL is a TTL that only rows of materialized views have, when they are over:
// LivenessInfo.EXPIRED_LIVENESS_TTL.
const expiredTTL = math.MaxInt32

// refuseViewed refuses an SSTable of a materialized view that is read as one of a table: rows that
// are over would be there again.
func (t *Source) refuseViewed(file *sstables.Table) error {
	if t.KnownOptions.IsView || file.Statistics().Stats.MaxTTL != expiredTTL {
		return nil
	}
	return t.notAView(file.Path() + " has rows that only a materialized view can have")
}

// notAView refuses what is of a materialized view, where the schema has a table.
func (t *Source) notAView(why string) error {
	return fmt.Errorf(
		"%s, and %s is taken for a table; name the schema of the view and of its base table, in a file, with --schema",
		why,
		t.Schema,
	)
}
