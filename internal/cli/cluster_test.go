package cli

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/cqlbulk/cqlbulk/internal/simcluster"
)

// simulated is the cluster of a script.
type simulated struct {
	*simcluster.Cluster
}

// clusterKey finds it among the values of a script.
type clusterKey struct{}

func clusterOf(ts *testscript.TestScript) *simulated {
	s := ts.Value(clusterKey{}).(*simulated)
	if s.Cluster == nil {
		ts.Fatalf("there is no cluster: begin with the command cluster")
	}
	return s
}

// startCluster is the command "cluster [replicas]". It starts a simulated cluster of three
// nodes, and points the program to it by its environment. The keyspace shop has a replica
// on so many of them, 2 if nothing is said, and a table that is empty:
//
//	CREATE TABLE shop.orders (customer text, number int, item text, pieces int,
//		PRIMARY KEY (customer, number))
func startCluster(ts *testscript.TestScript, neg bool, args []string) {
	factor := 2
	if len(args) == 1 {
		var err error
		factor, err = strconv.Atoi(args[0])
		ts.Check(err)
	}
	s := ts.Value(clusterKey{}).(*simulated)
	if neg || len(args) > 1 || s.Cluster != nil {
		ts.Fatalf("usage: cluster [replicas], once")
	}
	var err error
	s.Cluster, err = simcluster.Start(simcluster.Options{
		Base: simcluster.Anywhere, Keyspace: "shop", Factor: factor, Cores: 1,
		Tables: []simcluster.Table{{Name: "orders", Columns: []simcluster.Column{
			{Name: "customer", Kind: simcluster.PartitionKey, Type: "text"}, {Name: "number", Kind: simcluster.Clustering, Type: "int"},
			{Name: "item", Type: "text"}, {Name: "pieces", Type: "int"},
		}}},
	})
	ts.Check(err)
	ts.Defer(s.Close)
	ts.Setenv("CQLBULK_HOSTS", s.Hosts()[0])
	ts.Setenv("CQLBULK_PORT", fmt.Sprint(s.Port()))
}

// level is the command "level reads|writes LOCAL_ONE": of what was asked of the table since
// the last one, all reads or all writes had that consistency level, and there were some.
func level(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: level reads|writes level")
	}
	s := clusterOf(ts)
	levels := make(map[string]int)
	for _, r := range s.Requests() {
		if r.Table == "shop.orders" && !r.Prepare && (len(r.Keys) > 0) == (args[0] == "writes") {
			levels[strings.Fields(r.Consistency.String())[1]]++
		}
	}
	s.Forget()
	if len(levels) != 1 || levels[args[1]] == 0 {
		ts.Fatalf("%s: %v", args[0], levels)
	}
}
