package progress

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestReasons(t *testing.T) {
	var c Counters
	var told []string
	c.Requests.SetNames(func(node string) string { return "node " + node })
	c.Reasons.OnNew(func(node, text string) { told = append(told, node+": "+text) })
	require.Empty(t, c.Reasons.List())
	late, full := errors.New("too late"), errors.New("overloaded")
	c.Retried("a", late)
	c.Retried("b", full)
	c.Retried("b", full)
	c.Retried("", late)
	require.EqualValues(t, 4, c.Retries.Load())
	require.Equal(t, []string{"node a: too late", "node b: overloaded", ": too late"}, told)
	require.Equal(
		t,
		[]Reason{{"node b", "overloaded", 2}, {"", "too late", 1}, {"node a", "too late", 1}},
		c.Reasons.List(),
	)
	for i := range 2 * mostReasons {
		c.Retried("a", fmt.Errorf("request %d failed", i))
	}
	require.Len(t, c.Reasons.List(), mostReasons+1)
	require.Equal(t, Reason{"", otherReasons, mostReasons + 3}, c.Reasons.List()[0])
}
