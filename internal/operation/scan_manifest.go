package operation

import (
	"time"

	"github.com/cqlbulk/cqlbulk/internal/manifest"
	"github.com/cqlbulk/cqlbulk/internal/memory"
	"github.com/cqlbulk/cqlbulk/internal/run"
	"github.com/cqlbulk/cqlbulk/internal/run/recorded"
	"github.com/cqlbulk/cqlbulk/internal/scan"
	"github.com/cqlbulk/cqlbulk/internal/sink"
	"github.com/cqlbulk/cqlbulk/internal/version"
	"github.com/cqlbulk/cqlbulk/pkg/rowsum"
)

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
		Columns:  manifest.ColumnsOf(selection),
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
	memory.CollectOften(len(r.Files))
	for _, f := range r.Failed {
		lost := manifest.Range{Error: f.Err.Error()}
		if f.Tokens != nil {
			lost.Start, lost.End = f.Tokens.Start, f.Tokens.End
		}
		m.Ranges.Lost = append(m.Ranges.Lost, lost)
	}
	r.Manifest = o.ManifestPath()
	return manifest.WriteEach(r.Manifest, m, sink.InManifest(r.Files), o.Mode.File())
}

// reading returns how the rows were read.
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

// begunAt returns the time at which the first run began.
func (s *Scan) begunAt(this time.Time) time.Time {
	if s.journal != nil {
		return s.journal.Manifest().Started
	}
	return this
}

// beside is the place of the manifest.
func (s *Scan) beside() sink.Beside {
	return sink.Beside{Path: s.spec.ManifestPath(), Dir: s.spec.Dir, Force: s.spec.Force}
}

// isOwn reports whether a manifest is of this run.
func (s *Scan) isOwn(m manifest.Manifest) bool {
	return s.journal != nil && m.Seed == s.begunWith.Seed &&
		m.PlanHash == s.begunWith.PlanHash && m.Started.Equal(s.begunAt(time.Time{}))
}
