// Command cql runs the statements of CQL files on a cluster: it makes the tables
// of the demonstration where no cqlsh is installed. Statements end with a
// semicolon at the end of a line; lines that begin with -- are comments.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"strings"

	"github.com/cqlbulk/cqlbulk/internal/driver"
)

func main() {
	hosts := flag.String("hosts", "127.0.0.1", "contact points, separated by commas")
	flag.Parse()
	if err := run(context.Background(), strings.Split(*hosts, ","), flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "cql:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, hosts, files []string) error {
	session, err := driver.Connect(ctx, driver.Config{Hosts: hosts})
	if err != nil {
		return err
	}
	defer session.Close()
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		for _, stmt := range statements(string(text)) {
			if err := session.Exec(ctx, stmt); err != nil {
				return fmt.Errorf("%s: %w", file, err)
			}
		}
	}
	return nil
}

// statements cuts a file's text.
func statements(text string) []string {
	var stmts []string
	var b strings.Builder
	for line := range strings.Lines(text) {
		if strings.HasPrefix(strings.TrimSpace(line), "--") {
			continue
		}
		b.WriteString(line)
		if strings.HasSuffix(strings.TrimSpace(line), ";") {
			stmts = append(stmts, strings.TrimSpace(b.String()))
			b.Reset()
		}
	}
	return stmts
}
