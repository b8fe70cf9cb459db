// Command cqlbulk gets whole tables out of Apache Cassandra and ScyllaDB, and
// files into them.
package main

import (
	"context"
	"os"

	"github.com/cqlbulk/cqlbulk/internal/cli"
)

// profiled runs the program; one that is built with the tag "profile" has its processor time
// sampled meanwhile.
var profiled = func(run func() int) int { return run() }

func main() {
	abortOnPanic()
	os.Exit(
		profiled(
			func() int {
				return cli.Run(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
			},
		),
	)
}
