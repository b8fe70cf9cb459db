package delivery

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/topology"
	"github.com/cqlbulk/cqlbulk/pkg/sstable/component"
)

// The oldest node decides what SSTables are made like, and which versions may be asked for.
func TestVersionIsThatOfAllNodes(t *testing.T) {
	for _, c := range []struct {
		releases []string
		scylla   bool
		want     fileForm
		allowed  []component.Version
	}{
		{[]string{"5.0.6", "4.0.0"}, false, fileForm{component.NB, byImport}, []component.Version{component.MD, component.NB}},
		{[]string{"5.0.6", "5.0-beta1-SNAPSHOT"}, false, fileForm{component.NB, byImport}, []component.Version{component.MD, component.NB, component.OA}},
		{[]string{"4.1.10", "3.11.4"}, false, fileForm{component.MD, byRefresh}, []component.Version{component.MD}},
		{[]string{"3.0.8"}, true, fileForm{component.MD, byUpload}, []component.Version{component.MD}},
	} {
		var nodes []topology.Node
		for _, r := range c.releases {
			nodes = append(nodes, topology.Node{Address: "n", Version: r})
		}
		f, err := formFor(nodes, c.scylla)
		require.NoError(t, err)
		require.Equal(t, c.want, f)
		var allowed []component.Version
		for v := component.MC; v <= component.OA; v++ {
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
