package levenshtein

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestDistance(t *testing.T) {
	for _, tc := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"a", "", 1}, {"", "ab", 2}, {"", "abc", 3}, {"abc", "abc", 0}, {"kitten", "sitting", 3}, {"flights", "flight", 1}, {"ab", "ba", 2}} {
		require.Equal(t, tc.want, Distance(tc.a, tc.b), "%q, %q", tc.a, tc.b)
		require.Equal(t, tc.want, Distance(tc.b, tc.a), "%q, %q", tc.b, tc.a)
	}
}

func TestNearest(t *testing.T) {
	names := []string{"origin", "Day", "dest"}
	for name, want := range map[string]string{"orign": "origin", "DAY": "Day", "days": "Day", "destination": "", "xyz": "", "": ""} {
		require.Equal(t, want, Nearest(name, names), name)
	}
}
