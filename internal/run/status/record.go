package status

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/fsync"
	"github.com/cqlbulk/cqlbulk/internal/manifest"
	"github.com/cqlbulk/cqlbulk/internal/progress/board"
	"github.com/cqlbulk/cqlbulk/internal/run"
	"github.com/cqlbulk/cqlbulk/internal/run/journal"
	"github.com/cqlbulk/cqlbulk/internal/run/recorded"
	"github.com/cqlbulk/cqlbulk/internal/run/records"
	"github.com/cqlbulk/cqlbulk/internal/run/reject"
	"github.com/cqlbulk/cqlbulk/internal/spec/setting"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// Record is what is left of a run to make a report of: its run directory, or the manifest of its
// output.
type Record struct {
	Path     string
	Manifest *manifest.Manifest // nil of a run directory
	Status   *Report            // nil of a manifest
	Plan     *PlanRecord        // of a scan
	Settings setting.Values     // of a run directory: those that are not as they are by default
	Args     []string           // likewise: the table and the inputs
	Ring     []board.NodeRing   // of a scan, by parts of the ring; empty where it cannot be cut
	Rejects  []board.Cause      // of a load
	Page     *board.State       // what the page of the run showed last; nil: nothing is kept of one
}

// PlanRecord is how a scan was cut.
type PlanRecord struct {
	Cluster     string // its name
	Partitioner string
	Seed        uint64
	Hash        string
	Splits      int
	Began       time.Time
}

// ReadRecord reads a run directory or a manifest. Nothing is changed, and no cluster is asked.
func ReadRecord(path string) (*Record, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	r := &Record{Path: path}
	if !info.IsDir() {
		return r, r.readManifest()
	}
	if _, err := os.Stat(
		filepath.Join(path, manifest.FolderName),
	); err == nil &&
		!journal.HasManifest(path) {
		if _, err := ReadRecord(filepath.Join(path, manifest.FolderName)); err != nil {
			return nil, err
		}
		return nil, fmt.Errorf(
			"%s: is no run directory, but the output of a scan: name its manifest, %s",
			path,
			filepath.Join(path, manifest.FolderName),
		)
	}
	return r, r.readRun()
}

// readManifest reads the manifest of an output.
func (r *Record) readManifest() error {
	m, err := manifest.Read(r.Path)
	if err != nil && !strings.HasSuffix(r.Path, ".json") {
		return fmt.Errorf(
			"%s is neither a run directory nor the manifest of a scan's output%s",
			r.Path,
			manifestBeside(r.Path),
		)
	}
	if err != nil {
		return err
	}
	if m.Command != run.CommandScan {
		return fmt.Errorf(
			"manifest %s: it is of SSTables that a load made, and not of a run: name the load's run directory",
			r.Path,
		)
	}
	r.Manifest = &m
	r.Plan = &PlanRecord{m.Cluster, m.Partitioner, m.Seed, m.PlanHash, m.Ranges.Splits, m.Started}
	p, err := token.ByClass(m.Partitioner)
	if err != nil || m.Ranges.Splits < 2 {
		return nil // the table was read as one range
	}
	text := func(name string, otherwise token.Token) (token.Token, error) {
		if t, ok := m.Options[name].(string); ok && t != "" {
			return p.Parse(t)
		}
		return otherwise, nil
	}
	var read token.Range
	if read.Start, err = text("begintoken", p.Min()); err == nil {
		read.End, err = text("endtoken", p.Max())
	}
	var failed []token.Range
	for _, lost := range m.Ranges.Lost {
		var within token.Range
		if within.Start, err = p.Parse(lost.Start); err == nil {
			within.End, err = p.Parse(lost.End)
		}
		if err != nil {
			break
		}
		failed = append(failed, within)
	}
	if err != nil {
		return fmt.Errorf("manifest %s: %w", r.Path, err)
	}
	if m.Shard == "" { // the manifest of a shard does not have the ranges of the shard
		r.Ring = ringOf(p, []token.Range{read}, failed)
	}
	return nil
}

// manifestBeside is a hint at the manifest of an output; empty: there is none beside it.
func manifestBeside(output string) string {
	if _, err := os.Stat(output + manifest.Ending); err != nil {
		return ""
	}
	return ": that is " + output + manifest.Ending
}

// readRun reads a run directory.
func (r *Record) readRun() error {
	status, err := Read(r.Path)
	if err != nil {
		return err
	}
	r.Status = &status
	m, err := journal.ReadManifest(r.Path)
	if err != nil {
		return err
	}
	options, err := recorded.Read(m)
	if err != nil {
		return err
	}
	if m.Command == run.CommandLoad {
		if err := options.AddInputs(r.Path, m); err != nil {
			return err
		}
	}
	r.Settings, r.Args = options.Flags, options.Args
	if status.Load != nil {
		for _, change := range status.Load.Changed {
			r.Settings[change.Name] = change.Now
		}
	}
	if r.Page, err = readPage(r.Path); err != nil {
		return err
	}
	if m.Command == run.CommandLoad {
		return r.readRejects()
	}
	extra, err := records.ScanExtraOf(m)
	if err != nil {
		return err
	}
	r.Plan = &PlanRecord{
		extra.Cluster,
		extra.Partitioner,
		extra.Seed,
		extra.PlanHash,
		extra.Splits,
		m.Started,
	}
	_, scanned, err := records.ReadScan(r.Path, m)
	if err != nil {
		return err
	}
	p, err := token.ByClass(extra.Partitioner)
	if err != nil {
		return fmt.Errorf("run.json: %w", err)
	}
	var failed []token.Range
	if scanned.End != nil {
		for _, f := range scanned.End.Failed {
			within, err := token.ParseRange(p, f.Range)
			if err != nil {
				return fmt.Errorf("journal: %w", err)
			}
			failed = append(failed, within)
		}
	}
	r.Ring = ringOf(p, append(scanned.Done, failed...), failed)
	return nil
}

// readRejects reads why rows were rejected.
func (r *Record) readRejects() error {
	causes, err := reject.ReadCauses(r.Path)
	for _, c := range causes {
		r.Rejects = append(r.Rejects, CauseOf(c))
	}
	return err
}

// CauseOf is a cause of rejects as a page shows it.
func CauseOf(c reject.Cause) board.Cause {
	f := c.First
	return board.Cause{
		Rows:   c.Rows,
		Stage:  string(f.Stage),
		Reason: f.Reason,
		Column: f.Column,
		Value:  f.Value,
		File:   f.File,
		Line:   f.Line,
		Field:  f.Field,
	}
}

// ringLines is how many lines a ring is shown in whose nodes are not known, a power of 2.
const ringLines = 8

// ringOf shows which ranges were dealt with, and which of those failed.
func ringOf(p token.Partitioner, done, failed []token.Range) []board.NodeRing {
	parts := []token.Range{token.Whole(p)}
	for len(parts) < ringLines {
		var halves []token.Range
		for _, part := range parts {
			first, second, _ := token.Halve(part)
			halves = append(halves, first, second)
		}
		parts = halves
	}
	owned, members := make([]board.Owned, len(parts)), make([]board.Member, len(parts))
	for i, part := range parts {
		name := string(token.AppendRange(nil, p, part))
		owned[i] = board.Owned{
			Range: part,
			Node:  name,
		}
		members[i] = board.Member{
			ID:      name,
			Address: name,
		}
	}
	ring := board.NewRing(p, owned, false)
	for _, within := range done {
		ring.Done(within)
	}
	for _, within := range failed {
		ring.Failed(within)
	}
	return ring.State(members)
}

// KeepPage keeps what the page of a run showed last in its run directory.
func KeepPage(dir string, s board.State) error {
	text, err := json.MarshalIndent(s, "", "  ")
	if err == nil {
		err = fsync.Replace(filepath.Join(dir, records.PageFile), append(text, '\n'))
	}
	return err
}

// readPage reads what KeepPage kept; nil where there is nothing.
func readPage(dir string) (*board.State, error) {
	path := filepath.Join(dir, records.PageFile)
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	s := new(board.State)
	if err == nil {
		err = json.Unmarshal(text, s)
	}
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s: %w", path, err)
	case s.Version != board.StateVersion:
		return nil, fmt.Errorf(
			"%s: version %d is not known: this program reads version %d",
			path,
			s.Version,
			board.StateVersion,
		)
	}
	return s, nil
}
