package manifest

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPartNames(t *testing.T) {
	for _, c := range []struct {
		worker, number int
		ending, want   string
	}{
		{0, 1, ".csv.gz", "ks.t-0000-0001.csv.gz"},
		{12345, 9999, "", "ks.t-12345-9999"},
	} {
		name := PartName("ks.t", c.worker, c.number, c.ending)
		require.Equal(t, c.want, name)
		base, ok := PartBase(name)
		require.True(t, ok)
		require.Equal(t, "ks.t", base)
	}
	for _, other := range []string{"ks.t.csv", "ks.t-1-0001.csv", "-0000-0001.csv", "ks.t-0000-0001csv", ".ks.t-0000"} {
		_, ok := PartBase(other)
		require.False(t, ok, other)
	}
}
