package token_test

import (
	"fmt"

	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// From what the system tables say to the pieces of a scan.
func Example() {
	partitioner, err := token.ByClass("org.apache.cassandra.dht.Murmur3Partitioner")
	if err != nil {
		fmt.Println(err)
		return
	}
	var nodes []token.Node
	for i, decimal := range []string{"-3074457345618258603", "3074457345618258602", "9223372036854775807"} {
		t, err := partitioner.Parse(decimal)
		if err != nil {
			fmt.Println(err)
			return
		}
		nodes = append(nodes, token.Node{ID: fmt.Sprint("node", i), DC: "dc1", Rack: "r1", Tokens: []token.Token{t}})
	}
	ring, err := token.NewRing(partitioner, nodes)
	if err != nil {
		fmt.Println(err)
		return
	}
	strategy, err := token.ParseStrategy(map[string]string{"class": "NetworkTopologyStrategy", "dc1": "2"})
	if err != nil {
		fmt.Println(err)
		return
	}
	placement := ring.Place(strategy)
	for _, s := range placement.Plan(6, 1) {
		fmt.Printf("token > %s AND token <= %s on %v\n",
			partitioner.Append(nil, s.Range.Start), partitioner.Append(nil, s.Range.End), placement.Replicas(s.Set))
	}
	key := token.AppendKey(nil, []byte("hello"))
	fmt.Println("hello is in range", placement.Find(partitioner.Hash(key)))
	// Output:
	// token > -9223372036854775808 AND token <= -6148914691236517205 on [0 1]
	// token > -6148914691236517205 AND token <= -3074457345618258603 on [0 1]
	// token > -3074457345618258603 AND token <= 0 on [1 2]
	// token > 3074457345618258602 AND token <= 6148914691236517205 on [2 0]
	// token > 0 AND token <= 3074457345618258602 on [1 2]
	// token > 6148914691236517205 AND token <= 9223372036854775807 on [2 0]
	// hello is in range 0
}
