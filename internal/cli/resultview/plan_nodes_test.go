package resultview

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/operation"
)

// manyNodes returns the report of a plan of that number of nodes, in dcs data centers of three
// racks each.
func manyNodes(nodes, dcs int) operation.PlanReport {
	r := operation.PlanReport{
		Table:       "ks.t",
		Partitioner: "org.apache.cassandra.dht.Murmur3Partitioner",
		Replication: map[string]string{"class": "SimpleStrategy"},
		Parallel:    12 * nodes,
		Smudge:      3,
		Splits:      256,
		Finest:      1200 * nodes,
		Vnodes:      256 * nodes,
	}
	for i := range nodes {
		r.Cores = append(r.Cores, 4)
		r.Nodes = append(r.Nodes, operation.PlanNode{
			Address: fmt.Sprintf(
				"10.0.%d.%d:9042",
				i/250,
				i%250,
			),
			DC:      fmt.Sprintf("dc%d", i%dcs),
			Rack:    fmt.Sprintf("r%d", i%3),
			Version: "5.0.6",
			Up:      i%100 != 7,
			Cores:   4,
			Tokens:  256,
			Holds:   3 / float64(nodes),
			Reads:   1 / float64(nodes),
			Bytes:   1 << 20,
		})
	}
	return r
}

// The plan of a large cluster fits a screen: nodes of a rack stand together.
func TestPlanOfManyNodes(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, WritePlan(&out, manyNodes(1000, 1)))
	text := out.String()
	require.Less(t, strings.Count(text, "\n"), 24)
	require.Contains(t, text, "12000 = (1,000 x 4 cores) x smudge 3")
	require.Contains(t, text, "256 of 256,000 vnode ranges, up to 1,200,000 if the table is large")
	require.Regexp(
		t,
		`(?m)^dc0 +r0 +5\.0\.6 +334 +331 +1336 +85504 +100\.2% +33\.4% +334\.0 MiB$`,
		text,
	)
	require.Contains(
		t,
		text,
		"down: 10.0.0.7:9042, 10.0.0.107:9042, 10.0.0.207:9042, 10.0.1.57:9042, 10.0.1.157:9042 and 5 others",
	)

	for _, dcs := range []int{7, 50} {
		out.Reset()
		require.NoError(t, WritePlan(&out, manyNodes(1000, dcs)))
		require.Less(t, strings.Count(out.String(), "\n"), 40)
	}
	require.Contains(t, out.String(), "\nand 30 other data centers; --json has each node\n")
}

// A few nodes have a line each.
func TestPlanOfFewNodes(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, WritePlan(&out, manyNodes(20, 1)))
	require.Contains(t, out.String(), "10.0.0.19:9042")
	require.Contains(t, out.String(), "4 + 4 + 4")
}

// Different numbers of cores are listed, unless there are too many.
func TestSumOfCores(t *testing.T) {
	require.Equal(t, "2 + 4 cores", sumOfCores([]int{2, 4}))
	require.Equal(t, "1 core", sumOfCores([]int{1}))
	var cores []int
	for i := range 30 {
		cores = append(cores, 4+4*(i%2))
	}
	require.Equal(t, "15 x 4 + 15 x 8 cores", sumOfCores(cores))
	for i := range cores {
		cores[i] = 1 + i%10
	}
	require.Equal(t, "165 cores of 30 nodes", sumOfCores(cores))
}
