package cli

import (
	"bytes"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/operation"
	"github.com/cqlbulk/cqlbulk/internal/write/stream"
)

func TestWhatWasStreamedIsTold(t *testing.T) {
	node := func(name string, took time.Duration, sizes ...int64) stream.NodeStats {
		return stream.NodeStats{Node: name, Time: took, Sizes: sizes}
	}
	compactions := func(told, nodes, active, pending int) *operation.Compaction {
		return &operation.Compaction{Told: told, Nodes: nodes, Active: active, Pending: pending}
	}
	for _, tc := range []struct {
		name  string
		stats operation.StreamStats
		c     *operation.Compaction
		want  string
	}{
		{"one of all", operation.StreamStats{Whole: true, Slices: 1, Nodes: []stream.NodeStats{node("a", time.Second, 5)}}, compactions(1, 1, 1, 0),
			"cqlbulk: 1 SSTable landed on 1 node: 5 B by median, 5 B in all\ncqlbulk: compaction on 1 node, of all tables: 1 task under way, 0 waiting\n"},
		{"several", operation.StreamStats{Whole: true, Slices: 2, Nodes: []stream.NodeStats{node("a", time.Second, 5, 7), node("b", 2*time.Second, 5)}}, compactions(2, 3, 2, 1),
			"cqlbulk: 3 SSTables landed on 2 nodes: 5 B by median, 17 B in all, in 2 slices; b took longest, 2.0s\n" +
				"cqlbulk: compaction on 2 of 3 nodes, of all tables: 2 tasks under way, 1 waiting\n"},
		{"a file of rows", operation.StreamStats{Slices: 1, Nodes: []stream.NodeStats{node("a", time.Second, 5)}}, compactions(1, 1, 0, 0),
			"cqlbulk: 1 file of rows landed, an SSTable or more each, on 1 node: 5 B by median, 5 B in all\ncqlbulk: compaction on 1 node: nothing under way or waiting\n"},
	} {
		var out bytes.Buffer
		newStreams(nil, nil, &out).printStreamed(tc.stats, tc.c)
		require.Equal(t, tc.want, out.String(), tc.name)
	}
}
