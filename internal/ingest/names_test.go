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
		both := spellings([]string{c.field, c.column})
		require.Equal(t, c.want, both[0].near(both[1]), c)
	}
}

// Two fields, or two columns, that are alike are nothing to guess by.
func TestMatching(t *testing.T) {
	require.Equal(
		t,
		[]renaming{{field: "b", column: "B"}},
		matching(
			spellings([]string{"a", "A", "b", "c"}),
			spellings([]string{"aa", "B", "C", "cc"}),
			func(field, column spelling) bool { return field.folded[0] == column.folded[0] },
		),
	)
}
