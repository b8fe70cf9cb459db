// Command simulated runs a simulated cluster (internal/test/simcluster) with a table ks.t. So a
// program can be measured against more nodes than a machine can run. It prints its contact point
// when all nodes listen. For each line that it reads it prints the number of requests for the
// table's rows since the line before. It ends with its input.
//
//	simulated -nodes 1000 -vnodes 256 -rows 10
package main

import (
	"bufio"
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/cqlbulk/cqlbulk/internal/test/simcluster"
)

func main() {
	var o simcluster.Options
	flag.StringVar(
		&o.Base,
		"base",
		"127.8.0.1",
		"address of the first node; the others count up from it",
	)
	flag.IntVar(&o.Nodes, "nodes", 100, "number of nodes")
	flag.IntVar(&o.Tokens, "vnodes", 16, "tokens of each node")
	flag.IntVar(&o.Cores, "cores", 4, "cores that each node reports")
	flag.IntVar(&o.Rows, "rows", 10, "rows of the table")
	flag.Parse()
	o.Factor = 3
	if err := run(o, os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "simulated:", err)
		os.Exit(1)
	}
}

func run(o simcluster.Options, lines io.Reader, out io.Writer) error {
	cluster, err := simcluster.Start(o)
	if err != nil {
		return err
	}
	defer cluster.Close()
	if _, err := fmt.Fprintf(out, "%s:%d\n", cluster.Hosts()[0], cluster.Port()); err != nil {
		return err
	}
	before := 0
	for scanner := bufio.NewScanner(lines); scanner.Scan(); {
		requests := reads(cluster)
		if _, err := fmt.Fprintln(out, requests-before); err != nil {
			return err
		}
		before = requests
	}
	return nil
}

// reads returns the number of requests for rows of the table.
func reads(cluster *simcluster.Cluster) int {
	n := 0
	for _, r := range cluster.Requests() {
		if r.Table == "ks.t" {
			n++
		}
	}
	return n
}
