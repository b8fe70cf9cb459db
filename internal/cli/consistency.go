package cli

import (
	"fmt"
	"strings"

	"github.com/cqlbulk/cqlbulk/internal/operation"
	"github.com/cqlbulk/cqlbulk/internal/progress/printer"
)

// What the consistency levels by default promise.
const (
	readLevelHelp  = "at LOCAL_ONE one replica of the data center is asked, and what it has missed is missed; LOCAL_QUORUM and QUORUM read whatever was written at that level"
	writeLevelHelp = "at LOCAL_QUORUM a row counts as loaded when most replicas of the data center have it; at LOCAL_ONE, when one has, which readers of the others may not see for a while"
)

// levelNote names the consistency level at the end of a summary, or the SSTables that were read instead; it is empty where
// there is one replica.
func levelNote(r operation.Report) string {
	switch {
	case r.SSTables > 0 && len(r.Snapshots) > 0:
		return fmt.Sprintf("; SSTables: %s of snapshot %s", printer.Count(int64(r.SSTables)), strings.Join(r.Snapshots, ", "))
	case r.SSTables > 0:
		return fmt.Sprintf("; SSTables: %s", printer.Count(int64(r.SSTables)))
	case !r.Replicated:
		return ""
	}
	return "; consistency " + r.Consistency
}
