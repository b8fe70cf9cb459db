// Package account makes the manifest of a scan: what was read, how, and what is in the output. It
// keeps the manifests of other scans from standing beside the output.
package account

import (
	"time"

	"github.com/cqlbulk/cqlbulk/internal/manifest"
	"github.com/cqlbulk/cqlbulk/internal/read"
	"github.com/cqlbulk/cqlbulk/internal/read/files"
	"github.com/cqlbulk/cqlbulk/internal/run"
	"github.com/cqlbulk/cqlbulk/internal/run/recorded"
	"github.com/cqlbulk/cqlbulk/internal/run/records"
	"github.com/cqlbulk/cqlbulk/internal/scan"
	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/internal/spec"
	"github.com/cqlbulk/cqlbulk/internal/version"
	"github.com/cqlbulk/cqlbulk/pkg/rowsum"
)

// Scan is a scan whose output is complete.
type Scan struct {
	Build   version.Info
	Spec    *spec.Scan
	Source  *files.Source
	Begun   records.ScanExtra // what the first run planned
	Started time.Time         // when the first run began
	Result  scan.Result       // of all runs
	Done    int               // token ranges of all runs
	Failed  []read.FailedRange
	Columns []schema.Selector // of the output
}

// Manifest returns the manifest, without its files and the pace.
func (s Scan) Manifest() manifest.Manifest {
	o, t := s.Spec, s.Source
	m := manifest.Manifest{
		Tool:        version.Tool,
		ToolVersion: s.Build.Version,
		Build:       s.Build,
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
			"dialect":     o.Dialect,
			"escape":      o.Escape,
			"null-string": o.Null,
			"query":       o.Query,
			"where":       o.Where,
			"keys":        o.Keys,

			"escape-in-quotes": o.EscapeInQuotes,
			"newline-escapes":  o.NewlineEscapes,

			"written-since": o.WrittenSince,
			"written-until": o.WrittenUntil,
			"limit":         max(o.Limit, 0),
			"begintoken":    o.BeginToken,
			"endtoken":      o.EndToken,
			"consistency":   t.Consistency,
			"dc":            t.Cluster.LocalDC,
			"smudge":        o.Smudge,
		},
		Columns:  manifest.ColumnsOf(s.Columns),
		Seed:     s.Begun.Seed,
		PlanHash: s.Begun.PlanHash,
		Shard:    o.Shard,
		Reading:  s.reading(),
		Ranges: manifest.Ranges{
			Splits: s.Begun.Splits,
			Done:   s.Done,
			Failed: len(s.Result.Failed),
		},
		Rows:     s.Result.Rows,
		Limited:  s.Result.Limited,
		Checksum: &manifest.Checksum{Definition: rowsum.Version, Value: s.Result.Sum.String()},
		Started:  s.Started.UTC(),
		Finished: time.Now().UTC(),
	}
	if t.Connected() {
		m.Options[manifest.HostsOption] = recorded.Contacts(o.Connection.Hosts, o.Connection.Port)
	}
	for _, f := range s.Failed {
		lost := manifest.Range{Error: f.Err.Error()}
		if f.Tokens != nil {
			lost.Start, lost.End = f.Tokens.Start, f.Tokens.End
		}
		m.Ranges.Lost = append(m.Ranges.Lost, lost)
	}
	return m
}

// reading returns how the rows were read.
func (s Scan) reading() *manifest.Reading {
	r := &manifest.Reading{Via: s.Spec.Via, Replicas: s.Source.Consistency}
	if s.Source.Files == nil {
		return r
	}
	r.Now = &s.Begun.Now
	if found := s.Source.Files.Found; found != nil {
		if s.Spec.Ring != "" {
			r.Replicas = s.Spec.Consistency
		}
		r.SSTables = &manifest.SSTables{
			Snapshots: found.Tags,
			Number:    len(found.SSTables),
			Sum:       s.Source.Files.Sum(),
			Unflushed: s.Source.Files.Unflushed,
		}
		if s.Begun.Files != r.SSTables.Sum {
			r.SSTables.Before = s.Begun.Files
		}
	}
	return r
}
