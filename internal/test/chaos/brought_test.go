package chaos

import (
	"fmt"
	"math/rand/v2"
)

// byStream has the scan ask the nodes for their SSTables.
func (sc *scanning) byStream(r *rand.Rand) {
	totals.brought.Add(1)
	sc.requests = stepsOfSessions
	sc.args = append(sc.args, "--via", "stream", "--listen", "127.0.0.1:0", "--patience", "2s")
	sc.args = append(sc.args, "--consistency", []string{"LOCAL_ONE", "QUORUM", "ALL"}[r.IntN(3)])
	if chance(r, 2) {
		sc.args = append(sc.args, "--slice", fmt.Sprint(1<<20))
	}
}
