package chaos

import (
	"regexp"

	"github.com/stretchr/testify/require"
)

var statusRows = regexp.MustCompile(`(?m)^rows +([0-9,]+)`)

// lookAt has a run that was stopped shown, now and then, and counts those that have
// come some way.
func (s *schedule) lookAt(dir string) {
	if !chance(s.signals, 2) {
		return
	}
	e := s.run(stop{}, nil, "status", dir)
	require.Equal(s, exitOK, e.code, e.output)
	m := statusRows.FindStringSubmatch(e.output)
	require.NotNil(s, m, e.output)
	totals.shown.Add(1)
	if number(m[1]) > 0 {
		totals.midway.Add(1)
	}
}
