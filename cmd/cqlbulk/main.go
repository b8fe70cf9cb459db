// Command cqlbulk gets whole tables out of Apache Cassandra and ScyllaDB, and
// files into them.
package main

import (
	"context"
	"os"

	"github.com/cqlbulk/cqlbulk/internal/cli"
)

func main() {
	os.Exit(cli.Run(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
