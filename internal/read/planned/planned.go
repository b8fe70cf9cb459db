// Package planned describes the plan to read a table: the requests, the token ranges, and the part
// of each node.
package planned

import (
	"context"

	"github.com/cqlbulk/cqlbulk/internal/driver"
	"github.com/cqlbulk/cqlbulk/internal/plan"
	"github.com/cqlbulk/cqlbulk/internal/read/streamed"
	"github.com/cqlbulk/cqlbulk/internal/spec"
	"github.com/cqlbulk/cqlbulk/internal/table"
)

// Report is what a scan would do.
type Report struct {
	Table       string
	Statement   string // of each request
	Cluster     string
	Partitioner string // its class
	DC          string // that is read from
	DCs         []string
	Replication map[string]string
	Serial      string // why the table is read as one range; empty when it is not

	Parallel   int   // limit of requests in flight
	Asked      bool  // the user set Parallel
	Cores      []int // of the nodes of the data center
	Smudge     int   // requests for each of them
	Splits     int   // token ranges
	Finest     int   // that they are cut into if the table is large; 0: they are not cut
	Vnodes     int   // that they are cut from
	Seed       uint64
	Partitions int64 // in the table, as the nodes estimate
	Bytes      int64 // of them
	Nodes      []Node
	Expected   streamed.Expected
	SavedRing  string // file that the cluster was written to; empty: none
}

// Node is a node and its part in a scan.
type Node struct {
	Address, DC, Rack, Version string
	Up                         bool
	Cores                      int // that it reports; 0: unknown
	Tokens                     int
	Holds, Reads               float64 // shares of the ring and of the requests, 0 to 1
	Bytes                      int64   // that it estimates
}

// Describe describes the plan of a table that was planned by the settings. It reads no rows.
func Describe(ctx context.Context, t *table.Table, o *spec.Planning) (Report, error) {
	all, err := t.Schema.Selectors(nil)
	if err != nil {
		return Report{}, err
	}
	sum := t.Estimate()
	r := Report{
		Table: t.Schema.String(),
		Statement: t.Session.Reader(t.Schema, driver.Columns(all), t.Plan.Partitioner()).
			Statement(),
		Cluster:     t.Cluster.Name,
		Partitioner: t.Cluster.Partitioner,
		DC:          t.Cluster.LocalDC,
		DCs:         t.Cluster.DCs(),
		Replication: t.Replication,
		Serial:      t.Plan.Serial,
		Parallel:    t.Plan.Parallel,
		Asked:       o.Parallel > 0,
		Smudge:      o.Smudge,
		Splits:      len(t.Plan.Splits),
		Vnodes:      t.Plan.Ranges(),
		Seed:        t.Plan.Seed,
		Partitions:  sum.Partitions,
		Bytes:       sum.Bytes,
	}
	if t.Plan.MaxPieces > r.Splits {
		r.Finest = t.Plan.MaxPieces
	}
	cores, shares := plan.Cores(t.Cluster, plan.Options{Cores: o.Cores}), t.Plan.Shares()
	r.Expected = streamed.ExpectedOf(ctx, t, sum, o.Cores)
	for i, n := range t.Cluster.Nodes {
		if n.DC == t.Cluster.LocalDC {
			r.Cores = append(r.Cores, cores[i])
		}
		r.Nodes = append(r.Nodes, Node{
			Address: n.Address,
			DC:      n.DC,
			Rack:    n.Rack,
			Version: n.Version,
			Up:      n.Up,
			Cores:   n.Cores,
			Tokens:  len(n.Tokens),
			Holds:   shares[i].Holds,
			Reads:   shares[i].Reads,
			Bytes:   t.Estimates[i].Bytes,
		})
	}
	return r, nil
}
