package driver

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
)

func TestServerWarnings(t *testing.T) {
	var shown []string
	w := &serverWarnings{show: func(format string, args ...any) {
		shown = append(shown, fmt.Sprintf(format, args...))
	}}
	s := &Session{warnings: w}
	assert.Empty(t, s.ServerWarnings())

	w.add("10.0.0.1", []string{
		"Batch for [ks.t] is of size 6.1KiB, exceeding specified threshold of 5KiB by 1.1KiB.",
		"Read 12 live rows and 1001 tombstone cells for query SELECT * FROM ks.t WHERE p = 'it''s' LIMIT 100",
	})
	w.add("10.0.0.2", []string{
		"Read 7 live rows and 2345 tombstone cells for query SELECT * FROM ks.t WHERE p = 'x' LIMIT 100",
	})
	assert.Equal(t, []string{
		"node 10.0.0.1 warns: Batch for [ks.t] is of size 6.1KiB, exceeding specified threshold of 5KiB by 1.1KiB.",
		"node 10.0.0.1 warns: Read 12 live rows and 1001 tombstone cells for query SELECT * FROM ks.t WHERE p = 'it''s' LIMIT 100",
	}, shown, "each kind is shown once")
	list := s.ServerWarnings()
	assert.Len(t, list, 2)
	assert.EqualValues(t, 2, list[0].Times, "the most frequent is first")
	assert.Contains(t, list[0].Text, "Read 12 live rows")
	assert.EqualValues(t, 1, list[1].Times)
}

func TestServerWarningsAreBounded(t *testing.T) {
	shown := 0
	w := &serverWarnings{show: func(string, ...any) { shown++ }}
	long := strings.Repeat("é", longestWarning)
	for i := range 3 * mostWarningKinds {
		w.add("n", []string{strings.Repeat("x", i) + " " + long})
	}
	list := (&Session{warnings: w}).ServerWarnings()
	assert.Len(t, list, mostWarningKinds+1)
	assert.Equal(t, mostWarningKinds+1, shown)
	assert.Equal(t, ServerWarning{otherWarnings, 2 * mostWarningKinds}, list[0])
	for _, one := range list {
		assert.LessOrEqual(t, len(one.Text), longestWarning+len("..."))
		assert.True(t, utf8.ValidString(one.Text))
	}
}
