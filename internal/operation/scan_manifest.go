package operation

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/manifest"
	"github.com/cqlbulk/cqlbulk/internal/memory"
	"github.com/cqlbulk/cqlbulk/internal/run"
	"github.com/cqlbulk/cqlbulk/internal/run/recorded"
	"github.com/cqlbulk/cqlbulk/internal/scan"
	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/internal/sink"
	"github.com/cqlbulk/cqlbulk/internal/version"
	"github.com/cqlbulk/cqlbulk/pkg/rowsum"
)

// kindNames are the names of the kinds of columns in a manifest.
var kindNames = map[schema.Kind]string{
	schema.PartitionKey: "partition_key",
	schema.Clustering:   "clustering",
	schema.Static:       "static",
	schema.Regular:      "regular",
}

// writeManifest writes the account of a scan beside its output.
func (s *Scan) writeManifest(r *ScanReport, result scan.Result) error {
	if s.ToStdout() || s.spec.NoManifest {
		return nil
	}
	o, t := &s.spec, s.t
	selection, err := t.Schema.Selectors(o.Columns)
	if err != nil {
		return err
	}
	m := manifest.Manifest{
		Tool:        version.Tool,
		ToolVersion: s.env.Build.Version,
		Build:       s.env.Build,
		Command:     run.CommandScan,
		Cluster:     t.Cluster.Name,
		Partitioner: t.Cluster.Partitioner,
		Keyspace:    t.Schema.Keyspace,
		Table:       t.Schema.Name,
		Options: map[string]any{
			"format":      o.Format,
			"compression": o.Compression,
			"header":      o.Header,
			"delimiter":   o.Delimiter,
			"quote":       o.Quote,
			"null-string": o.Null,
			"where":       o.Where,
			"limit":       max(o.Limit, 0),
			"begintoken":  o.BeginToken,
			"endtoken":    o.EndToken,
			"consistency": t.Consistency,
			"dc":          t.Cluster.LocalDC,
			"smudge":      o.Smudge,
		},
		Seed:     s.begunWith.Seed,
		PlanHash: s.begunWith.PlanHash,
		Shard:    o.Shard,
		Reading:  s.reading(),
		Ranges: manifest.Ranges{
			Splits: s.begunWith.Splits,
			Done:   s.done(result),
			Failed: len(result.Failed),
		},
		Rows:     result.Rows,
		Limited:  result.Limited,
		Checksum: &manifest.Checksum{Definition: rowsum.Version, Value: result.Sum.String()},
		Started:  s.begunAt(r.Started).UTC(),
		Finished: time.Now().UTC(),
		Pace: &manifest.Pace{
			Seconds:        r.Duration.Seconds(),
			EarlierSeconds: r.TookBefore.Seconds(),
			RowsPerSecond:  r.RowsPerSecond(),
			BytesPerSecond: r.BytesPerSecond(),
		},
	}
	if t.Connected() {
		m.Options[manifest.HostsOption] = recorded.Contacts(o.Connection.Hosts, o.Connection.Port)
	}
	for _, c := range selection {
		m.Columns = append(
			m.Columns,
			manifest.Column{Name: c.Name, Kind: kindNames[c.Column.Kind], Type: c.Type.String()},
		)
	}
	memory.CollectOften(len(r.Files))
	for _, f := range r.Failed {
		lost := manifest.Range{Error: f.Err.Error()}
		if f.Tokens != nil {
			lost.Start, lost.End = f.Tokens.Start, f.Tokens.End
		}
		m.Ranges.Lost = append(m.Ranges.Lost, lost)
	}
	r.Manifest = o.ManifestPath()
	return manifest.WriteEach(r.Manifest, m, func(yield func(manifest.File) bool) {
		for _, f := range r.Files {
			if !yield(
				manifest.File{
					Name:      f.Name,
					Rows:      f.Rows,
					TextBytes: f.TextBytes,
					Bytes:     f.Bytes,
					Sum:       f.Sum,
				},
			) {
				return
			}
		}
	}, o.Mode.File())
}

// reading is the way that the rows were read.
func (s *Scan) reading() *manifest.Reading {
	r := &manifest.Reading{Via: s.spec.Via, Replicas: s.t.Consistency}
	if s.t.Files == nil {
		return r
	}
	r.Now = &s.begunWith.Now
	if found := s.t.Files.Found; found != nil {
		if s.spec.Ring != "" {
			r.Replicas = s.spec.Consistency
		}
		r.SSTables = &manifest.SSTables{
			Snapshots: found.Tags,
			Number:    len(found.SSTables),
			Sum:       s.t.Files.Sum(),
			Unflushed: s.t.Files.Unflushed,
		}
		if s.begunWith.Files != r.SSTables.Sum {
			r.SSTables.Before = s.begunWith.Files
		}
	}
	return r
}

// begunAt is when the first run began.
func (s *Scan) begunAt(this time.Time) time.Time {
	if s.journal != nil {
		return s.journal.Manifest().Started
	}
	return this
}

// freeManifest refuses an output beside a manifest, which would be written over, or be
// untrue.
func (s *Scan) freeManifest() error {
	path := s.spec.ManifestPath()
	if path == "" || s.spec.Force {
		return nil
	}
	if _, err := os.Lstat(path); err == nil {
		if s.spec.Dir != "" {
			return fmt.Errorf(
				"output folder %s has the manifest of another output: name another folder, or write over it with --force",
				s.spec.Dir,
			)
		}
		return sink.ExistsError(path)
	}
	return nil
}

// earlierFiles reports which files in the output folder are of an earlier scan: those that the
// manifest there names. Without a manifest these are all that are named so, since a scan that was
// killed at its end leaves none.
func (s *Scan) earlierFiles() func(name string) bool {
	m, err := manifest.Read(manifest.Path(s.spec.Place(), true))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return func(string) bool { return true }
	case err != nil || m.Tool != version.Tool || m.Command != run.CommandScan:
		return func(string) bool { return false }
	}
	return func(name string) bool {
		return slices.ContainsFunc(m.Files, func(f manifest.File) bool { return f.Name == name })
	}
}

// removeManifest removes an earlier manifest, which must not stand beside files that
// it does not describe.
func (s *Scan) removeManifest() error {
	path := s.spec.ManifestPath()
	if path == "" {
		return nil
	}
	if err := s.refuseManifest(); err != nil {
		return err
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
