package cli

import (
	"errors"
	"io/fs"
	"os"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/manifest"
	"github.com/cqlbulk/cqlbulk/internal/scan"
	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/internal/sink"
	"github.com/cqlbulk/cqlbulk/internal/sweep"
	"github.com/cqlbulk/cqlbulk/pkg/rowsum"
)

// kindNames are the names of the kinds of columns in a manifest.
var kindNames = map[schema.Kind]string{
	schema.PartitionKey: "partition_key", schema.Clustering: "clustering", schema.Static: "static", schema.Regular: "regular",
}

// writeManifest writes the account of a scan beside its output.
func (o *ScanOptions) writeManifest(t *target, run *scanRun, r scan.Result, files []sink.File, begin time.Time) error {
	selection, err := t.table.Selectors(o.Columns)
	if err != nil {
		return err
	}
	m := manifest.Manifest{
		Tool:        "cqlbulk",
		ToolVersion: Version(),
		Command:     "scan",
		Cluster:     t.cluster.Name,
		Partitioner: t.cluster.Partitioner,
		Keyspace:    t.table.Keyspace,
		Table:       t.table.Name,
		Options: map[string]any{
			"format": o.Format, "compression": o.Compression, "header": o.Header, "delimiter": o.Delimiter, "quote": o.Quote,
			"null-string": o.Null, "where": o.Where, "limit": max(o.Limit, 0), "begintoken": o.BeginToken, "endtoken": o.EndToken,
			"consistency": o.Consistency, "dc": t.cluster.LocalDC, "smudge": o.Smudge,
		},
		Seed:     run.plan.Seed,
		PlanHash: run.plan.PlanHash,
		Shard:    o.Shard,
		Ranges:   manifest.Ranges{Splits: run.plan.Splits, Done: run.done(r), Failed: len(r.Failed)},
		Rows:     r.Rows,
		Checksum: &manifest.Checksum{Definition: rowsum.Version, Value: r.Sum.String()},
		Started:  run.begun(begin).UTC(),
		Finished: time.Now().UTC(),
	}
	for _, s := range selection {
		m.Columns = append(m.Columns, manifest.Column{Name: s.Name, Kind: kindNames[s.Column.Kind], Type: s.Type.String()})
	}
	for _, f := range files {
		m.Files = append(m.Files, manifest.File{Name: f.Name, Rows: f.Rows, TextBytes: f.TextBytes, Bytes: f.Bytes, SHA256: f.SHA256})
	}
	for _, f := range r.Failed {
		m.Ranges.Lost = append(m.Ranges.Lost, t.lost(f))
	}
	return manifest.Write(o.manifestPath(), m)
}

// lost is a range that could not be read, for a manifest.
func (t *target) lost(f sweep.Failure) manifest.Range {
	r := manifest.Range{Error: f.Err.Error()}
	if p := t.plan.Partitioner(); p != nil {
		r.Start, r.End = string(p.Append(nil, f.Range.Start)), string(p.Append(nil, f.Range.End))
	}
	return r
}

// manifestPath is where the manifest goes; empty for the standard output.
func (o *ScanOptions) manifestPath() string {
	if o.path() == "" {
		return ""
	}
	return manifest.Path(o.path(), o.Dir != "")
}

// freeManifest refuses an output beside a manifest, which would be written over, or be
// untrue.
func (o *ScanOptions) freeManifest() error {
	path := o.manifestPath()
	if path == "" || o.Force {
		return nil
	}
	if _, err := os.Lstat(path); err == nil {
		return sink.ExistsError(path)
	}
	return nil
}

// ownManifest refuses to go on beside a manifest that is not of this run.
func (o *ScanOptions) ownManifest(run *scanRun) error {
	path := o.manifestPath()
	if path == "" || o.Force {
		return nil
	}
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	m, err := manifest.Read(path)
	if err == nil && run.journal != nil && m.Seed == run.plan.Seed && m.PlanHash == run.plan.PlanHash && m.Started.Equal(run.begun(time.Time{})) {
		return nil
	}
	return sink.TakenError(path)
}

// removeManifest removes an earlier manifest, which must not stand beside files that
// it does not describe.
func (o *ScanOptions) removeManifest(run *scanRun) error {
	path := o.manifestPath()
	if path == "" {
		return nil
	}
	if err := o.ownManifest(run); err != nil {
		return err
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
