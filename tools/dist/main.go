// Command dist makes what deploy/dist cannot make with ordinary programs. That is the container
// image, the list of a binary's parts (CycloneDX), and their licenses. What it writes depends only
// on its arguments, so that the same release has the same bytes whenever it is made.
//
// It is a module of its own, so that the product's go.mod has none of its libraries. Its go.mod
// also pins nfpm, which makes the packages.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"time"
)

const usage = `usage: dist image    --version V --commit C --epoch T --licenses FILE -o FILE amd64=BINARY arm64=BINARY ...
       dist sbom     --version V --epoch T --vendored PACKAGE@VERSION=FOLDER -o FILE BINARY
       dist licenses --vendored PACKAGE@VERSION=FOLDER -o FILE BINARY ...
       dist unpack   -o FOLDER IMAGE PROCESSOR

T is in seconds since 1970. A vendored package is one of npm that the binary embeds. licenses is run in the folder of the product's go.mod.`

var errUsage = errors.New("wrong usage")

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "dist:", err)
		if errors.Is(err, errUsage) {
			fmt.Fprintln(os.Stderr, usage)
		}
		os.Exit(1)
	}
}

// release is what is said of a release beside its binaries.
type release struct {
	version, commit string
	made            time.Time
	licenses        string // a file
	// PACKAGE@VERSION=FOLDER of a package of npm that the binary embeds; empty: none
	vendored string
	output   string // a file
}

func run(args []string) error {
	if len(args) == 0 {
		return errUsage
	}
	var r release
	var epoch int64
	flags := flag.NewFlagSet(args[0], flag.ContinueOnError)
	flags.Usage = func() { fmt.Fprintln(os.Stderr, usage) }
	flags.StringVar(&r.version, "version", "", "")
	flags.StringVar(&r.commit, "commit", "", "")
	flags.Int64Var(&epoch, "epoch", 0, "")
	flags.StringVar(&r.licenses, "licenses", "", "")
	flags.StringVar(&r.vendored, "vendored", "", "")
	flags.StringVar(&r.output, "o", "", "")
	if err := flags.Parse(args[1:]); err != nil {
		return err
	}
	if r.output == "" || flags.NArg() == 0 {
		return errUsage
	}
	r.made = time.Unix(epoch, 0).UTC()
	switch args[0] {
	case "image":
		return writeImage(r, flags.Args())
	case "sbom":
		return writeSBOM(r, flags.Arg(0))
	case "licenses":
		return writeLicenses(r, flags.Args())
	case "unpack":
		if flags.NArg() != 2 {
			return errUsage
		}
		return unpackImage(r.output, flags.Arg(0), flags.Arg(1))
	default:
		return errUsage
	}
}
