package ingest

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestNear(t *testing.T) {
	for _, c := range []struct {
		field, column string
		want          bool
	}{
		{"custmer", "customer", true}, {"Items", "item", true}, {"piece", "pieces", true}, {"cutsomer", "customer", true}, {"day", "days", true},
		{"colour", "item", false}, {"address1", "address2", false}, {"q1", "q2", false}, {"id", "ip", false}, {"qty", "stock", false}, {"order_no", "order_id", false},
	} {
		require.Equal(t, c.want, near(c.field, c.column), c)
	}
}

// Two fields, or two columns, that are alike are nothing to guess by.
func TestMatching(t *testing.T) {
	require.Equal(t, []renaming{{field: "b", column: "B"}},
		matching([]string{"a", "A", "b", "c"}, []string{"aa", "B", "C", "cc"}, func(field, column string) bool { return folded(field)[0] == folded(column)[0] }))
}
