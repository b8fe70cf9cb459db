package chaos

import (
	"regexp"

	"github.com/stretchr/testify/require"
)

var counted = regexp.MustCompile(`counted +([0-9,]+) rows? of ks\.t`)

// ringCount runs the schedule of a count by streaming, again until it says that it is done.
func (s *schedule) ringCount() {
	r := stream(s.seed, "ring count")
	s.openRing(true)
	s.start(drawTable(r))
	s.ports.open(s.cluster)
	s.Cleanup(s.ports.close) // before the cluster is
	s.newScript(s.cluster, s.ports, "ring")
	rows := len(s.cluster.Records(table))
	totals.rows.Add(int64(rows))
	args := []string{
		"count", table, "--via", "stream", "--listen", "127.0.0.1:0", "--patience", "2s",
		"--consistency", []string{"LOCAL_ONE", "QUORUM", "ALL"}[r.IntN(3)],
	}
	args = append(args, s.connection()...)
	for goes := 0; ; goes++ {
		require.Less(s, goes, 2*mostGoes, "the count does not come to an end")
		if goes == mostGoes {
			s.ports.calm()
		}
		switch e := s.run(stop{}, nil, args...); {
		case e.code == exitFatal || e.code == exitPartly:
		case e.code == exitOK:
			m := counted.FindStringSubmatch(e.output)
			require.NotNil(s, m, e.output)
			if n := number(m[1]); n < rows {
				totals.lost.Add(int64(rows - n))
			} else {
				totals.twice.Add(int64(n - rows))
			}
			require.Equal(s, rows, number(m[1]))
			return
		default:
			s.Fatalf("unexpected %v:\n%s", e, e.output)
		}
	}
}
