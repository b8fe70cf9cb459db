// Command manpages writes the manual pages of cqlbulk, of the text that its help has:
//
//	manpages -version 0.1.0 -date 2026-11-23 bin/man
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"github.com/cpuguy83/go-md2man/v2/md2man"

	"github.com/cqlbulk/cqlbulk/internal/cli"
	"github.com/cqlbulk/cqlbulk/internal/cli/help"
)

func main() {
	version := flag.String("version", "", "version at the foot of the pages")
	date := flag.String("date", "", "date there")
	flag.Parse()
	if flag.NArg() != 1 {
		fmt.Fprintln(os.Stderr, "usage: manpages [-version V] [-date D] FOLDER")
		os.Exit(1)
	}
	_ = os.Unsetenv("XDG_CONFIG_HOME") // the pages name the folder that most have
	if err := write(flag.Arg(0), cli.ManPages(*version, *date)); err != nil {
		fmt.Fprintln(os.Stderr, "manpages:", err)
		os.Exit(1)
	}
}

// write writes the pages into a folder.
func write(folder string, pages []help.Page) error {
	for _, p := range pages {
		path := filepath.Join(folder, p.Name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, md2man.Render([]byte(p.Markdown)), 0o644); err != nil {
			return err
		}
	}
	return nil
}
