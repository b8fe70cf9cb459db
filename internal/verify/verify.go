// Package verify checks the output of scans by the manifests beside it. The files must be there as
// they were written, the numbers must agree, and nothing may be lost. Package verify adds up the
// shards of one scan, and compares scans by their rows and checksums. It needs no database.
//
// Start with [Check]. Package manifest has the form of a manifest, and pkg/rowsum the checksum.
// Files are only read, each once and as a stream, so memory does not depend on their size. Nothing
// here is shared: calls may run at the same time.
//
// A manifest is not trusted. A name in it that leads out of its folder is never opened, and its
// texts are shown without control characters.
package verify

import (
	"context"
	"runtime"

	"github.com/cqlbulk/cqlbulk/internal/store/stores"
	"github.com/cqlbulk/cqlbulk/pkg/rowsum"
)

// Options say what to check, and how.
type Options struct {
	// Paths are manifests, folders that hold a manifest.json, or output files with their manifest
	// beside them, on the disk or in object storage. One that is named twice counts once.
	Paths    []string
	NoHash   bool // look at the sizes of files alone, and do not read them
	Parallel int  // at most, in files read at the same time; 0: one for each core

	Stores *stores.Stores // of the files; nil: the disk alone
}

// Report is what came out.
type Report struct {
	// Findings are what is not as it should be, a line each, without control characters. First are
	// those of each manifest in the order of the paths, then those of shards and comparisons.
	Findings []string
	// Notes are what is worth knowing and no fault, of the same form.
	Notes []string

	Sets    []Set   // at least one: manifests of whole scans, and the shards as one
	Verdict Verdict // how the sets compare

	Files int   // in all manifests
	Bytes int64 // read of them
}

// Set is one scan: a manifest without a shard, or all that are shards.
type Set struct {
	Name   string     // the manifest, or the shards and their table
	Rows   int64      // in all, as the manifests state
	Sum    rowsum.Sum // in all, when Summed
	Summed bool       // every manifest states a checksum of a definition known here
	Given  int        // shards that belong together; 0: no shards
	Shards int        // shards that there have to be

	columns string // that a comparison needs, in an order of their own
	sound   bool   // nothing was found about it
}

// Verdict is the result of comparing scans.
type Verdict uint8

const (
	// Alone is the verdict over one set: there is nothing to compare.
	Alone Verdict = iota
	// Same means that rows and checksums are equal, and nothing was found.
	Same
	// Different means that rows or checksums are not equal.
	Different
	// Unknown means that they cannot be compared, or that they are equal but
	// something was found about the output.
	Unknown
)

// String is the verdict in words, empty for Alone.
func (v Verdict) String() string {
	switch v {
	case Same:
		return "the same rows"
	case Different:
		return "different rows"
	case Unknown:
		return "not compared"
	default:
		return ""
	}
}

// Check checks the outputs that the paths name, and reports what is wrong with them. If a path has
// no manifest, or one that cannot be read, Check checks nothing, and returns an error with all such
// paths. It also returns the error of ctx.
func Check(ctx context.Context, o Options) (Report, error) {
	in := files{o.Stores}
	accounts, err := in.find(ctx, o.Paths)
	if err != nil {
		return Report{}, err
	}
	if o.Parallel <= 0 {
		o.Parallel = runtime.GOMAXPROCS(0)
	}
	var r Report
	var all []*file
	for _, a := range accounts {
		a.check()
		a.files = listed(a)
		all = append(all, a.files...)
	}
	if r.Bytes, err = in.examine(ctx, all, !o.NoHash, o.Parallel); err != nil {
		return Report{}, err
	}
	for _, a := range accounts {
		for _, f := range a.files {
			a.findings = append(a.findings, f.findings...)
		}
		a.strays(ctx, in)
		r.Findings = append(r.Findings, a.findings...)
		r.Notes = append(r.Notes, a.notes...)
		r.Files += len(a.m.Files)
	}
	r.compareSets(accounts)
	return r, nil
}
