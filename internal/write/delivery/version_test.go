package delivery

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/topology"
	"github.com/cqlbulk/cqlbulk/pkg/sstable"
)

// The oldest node decides what SSTables are made like, and which versions may be asked for.
func TestVersionIsThatOfAllNodes(t *testing.T) {
	for _, c := range []struct {
		releases []string
		scylla   bool
		want     fileForm
		allowed  []sstable.Version
	}{
		{[]string{"5.0.6", "4.0.0"}, false, fileForm{sstable.NB, byImport}, []sstable.Version{sstable.MD, sstable.NB}},
		{[]string{"5.0.6", "5.0-beta1-SNAPSHOT"}, false, fileForm{sstable.NB, byImport}, []sstable.Version{sstable.MD, sstable.NB, sstable.OA}},
		{[]string{"4.1.10", "3.11.4"}, false, fileForm{sstable.MD, byRefresh}, []sstable.Version{sstable.MD}},
		{[]string{"3.0.8"}, true, fileForm{sstable.MD, byUpload}, []sstable.Version{sstable.MD}},
	} {
		var nodes []topology.Node
		for _, r := range c.releases {
			nodes = append(nodes, topology.Node{Address: "n", Version: r})
		}
		f, err := formFor(nodes, c.scylla)
		require.NoError(t, err)
		require.Equal(t, c.want, f)
		var allowed []sstable.Version
		for v := sstable.MC; v <= sstable.OA; v++ {
			if refuseVersion(nodes, c.scylla, v) == nil {
				allowed = append(allowed, v)
			}
		}
		require.Equal(t, c.allowed, allowed, c.releases)
	}
	for _, release := range []string{"3.11.3", "3.0.30", "2.2.19", "6.0.0", ""} {
		_, err := formFor(
			[]topology.Node{{Address: "n", Version: "5.0.6"}, {Address: "old", Version: release}},
			false,
		)
		require.ErrorContains(t, err, "node old is of version "+release+"; ")
	}
}
