package token_test

import (
	"fmt"
	"log"

	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// threeNodes returns the placement of a keyspace with two replicas on a ring of three nodes. The
// values are those of system.local, system.peers and system_schema.keyspaces.
func threeNodes() *token.Placement {
	partitioner, err := token.ByClass("org.apache.cassandra.dht.Murmur3Partitioner")
	if err != nil {
		log.Fatal(err)
	}
	var nodes []token.Node
	for i, text := range []string{
		"-3074457345618258603", "3074457345618258602", "9223372036854775807",
	} {
		t, err := partitioner.Parse(text)
		if err != nil {
			log.Fatal(err)
		}
		id := fmt.Sprint("node", i)
		nodes = append(nodes, token.Node{
			ID: id, DC: "dc1", Rack: "r1", Tokens: []token.Token{t},
		})
	}
	ring, err := token.NewRing(partitioner, nodes)
	if err != nil {
		log.Fatal(err)
	}
	strategy, err := token.ParseStrategy(map[string]string{
		"class": "NetworkTopologyStrategy", "dc1": "2",
	})
	if err != nil {
		log.Fatal(err)
	}
	return ring.Place(strategy)
}

// This example computes the token of a partition key and the nodes that hold it.
func Example() {
	placement := threeNodes()
	key := token.AppendKey(nil, []byte("hello"))
	t := token.Murmur3.Hash(key)
	fmt.Printf("token %s\n", token.Murmur3.Append(nil, t))
	fmt.Println("replicas", placement.Replicas(placement.Find(t)))
	// Output:
	// token -3758069500696749310
	// replicas [0 1]
}

// A partition key of several columns has a length before each component.
func ExampleAppendKey() {
	text, number := []byte("EWR"), []byte{0, 0, 0, 7}
	fmt.Printf("%x\n", token.AppendKey(nil, text))
	fmt.Printf("%x\n", token.AppendKey(nil, text, number))
	// Output:
	// 455752
	// 00034557520000040000000700
}

// This example cuts the ring into the splits of a scan.
func ExamplePlacement_Plan() {
	placement := threeNodes()
	p := token.Murmur3
	for _, s := range placement.Plan(4, 1) {
		fmt.Printf("%s on %v\n", token.AppendRange(nil, p, s.Range), placement.Replicas(s.Set))
	}
	// Output:
	// (-9223372036854775808, -3074457345618258603] on [0 1]
	// (-3074457345618258603, 3074457345618258602] on [1 2]
	// (3074457345618258602, 6148914691236517205] on [2 0]
	// (6148914691236517205, 9223372036854775807] on [2 0]
}

// Subtract returns the ranges that a stopped scan still has to read.
func ExampleSubtract() {
	p := token.Murmur3
	done, err := token.ParseRange(p, "(-9223372036854775808, 0]")
	if err != nil {
		log.Fatal(err)
	}
	for _, r := range token.Subtract([]token.Range{token.Whole(p)}, []token.Range{done}) {
		fmt.Printf("%s\n", token.AppendRange(nil, p, r))
	}
	fmt.Println(token.Cover(p, token.Whole(p), []token.Range{done}))
	// Output:
	// (0, 9223372036854775807]
	// token ranges: gap: (0, 9223372036854775807]
}
