package files

import (
	"encoding/hex"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/cqlbulk/cqlbulk/internal/snapshot"
	"github.com/cqlbulk/cqlbulk/internal/spec"
	"github.com/cqlbulk/cqlbulk/internal/sstables"
	"github.com/cqlbulk/cqlbulk/pkg/sstable/component"
)

// checkCommitLogs refuses data directories whose commit log has rows of the table that are in no
// SSTable. If they are to be ignored, it names the commit logs.
func (t *Source) checkCommitLogs(env spec.Environment, ignore bool) error {
	b, err := hex.DecodeString(t.Files.Found.ID)
	var id [16]byte
	if copy(id[:], b) != len(id) || err != nil {
		return nil // in a folder without an id in its name there is no data directory of a server
	}
	looked := make(map[string]bool)
	var unflushed []string
	for _, node := range t.Files.Found.Live {
		if looked[filepath.Dir(node)] {
			continue // another data directory of it
		}
		looked[filepath.Dir(node)] = true
		segments, err := snapshot.CommitLogs(node)
		if err != nil {
			return err
		}
		flushed := t.Files.flushedOf(env, node, id)
		for _, s := range segments {
			places, opaque, err := s.Mutations(id)
			if err != nil {
				return err
			}
			if opaque {
				unflushed = append(
					unflushed,
					s.Path+" (compressed or encrypted, which is not read)",
				)
			} else if last, behind := flushed.behind(s.ID, places); behind {
				unflushed = append(unflushed, fmt.Sprintf("%s (at byte %d)", s.Path, last))
			}
		}
	}
	if len(unflushed) == 0 {
		return nil
	}
	files := strings.Join(unflushed[:min(len(unflushed), missingShown)], ", ")
	if more := len(unflushed) - missingShown; more > 0 {
		files += fmt.Sprintf(", and %d more", more)
	}
	if ignore {
		t.Files.Unflushed = unflushed
		env.Warn(
			"rows may be missing: the commit log has some of %s that are in no SSTable: %s",
			t.Schema,
			files,
		)
		return nil
	}
	return fmt.Errorf(
		"the commit log has rows of %s that may be in no SSTable, and would be missing: %s: "+
			"flush them with nodetool drain before the node is stopped (if it died, start it again first), or read a snapshot; "+
			"--%s reads what the SSTables have; that is all if those rows were deleted by TRUNCATE, "+
			"which is not known where the folder of system.local is missing",
		t.Schema,
		files,
		spec.IgnoreCommitLogFlag,
	)
}

// flushed is the parts of commit logs whose rows SSTables have.
type flushed [][2]component.CommitLogPosition

// flushedOf is what live SSTables have that may be of a node: those in data directories that have
// no commit log beside them may be of any. What the node has truncated counts as well.
func (f *Files) flushedOf(env spec.Environment, node string, table [16]byte) flushed {
	own := make(map[string]bool) // by node: it has no other commit log
	var stats []*component.Stats
	for i, t := range f.Found.SSTables {
		if t.Tag != "" {
			continue
		}
		if _, known := own[t.Node]; !known {
			others, err := snapshot.CommitLogs(t.Node)
			own[t.Node] = filepath.Dir(t.Node) == filepath.Dir(node) ||
				err == nil && len(others) == 0
		}
		if file, ok := f.opened[i].(*sstables.Table); ok && own[t.Node] {
			stats = append(stats, file.Statistics().Stats)
		}
	}
	var directories []string
	for _, other := range f.Found.Live {
		if filepath.Dir(other) == filepath.Dir(node) {
			directories = append(directories, other)
		}
	}
	record, err := readNodeRecord(directories, table)
	if err != nil {
		env.Warn(
			"whether the table was truncated is not known, since system.local cannot be read: %v",
			err,
		)
	}
	return record.flushed(stats)
}

// behind finds the last of some places in a segment that is in none of the parts.
func (f flushed) behind(segment int64, places []int64) (last int64, found bool) {
	for _, at := range places {
		has := false
		for _, part := range f {
			from, to := part[0], part[1]
			has = has ||
				(from.Segment < segment || from.Segment == segment && int64(from.Position) <= at) &&
					(segment < to.Segment || segment == to.Segment && at <= int64(to.Position))
		}
		if !has {
			last, found = at, true
		}
	}
	return last, found
}
