package snapshot

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// join is filepath.Join: paths that were given relative stay so.
func join(parts ...string) string { return filepath.Join(parts...) }

// tableFolder is the name of a table's folder in a data directory (Directories): the table, and its
// id without dashes.
var tableFolder = regexp.MustCompile(`^(\w+)-([0-9a-f]{32})$`)

// Names of folders inside that of a table.
const (
	snapshotsFolder = "snapshots"
	schemaFile      = "schema.cql"
	manifestFile    = "manifest.json"
)

// besides are folders inside that of a table whose SSTables do not count, and why. The last three
// are ScyllaDB's.
var besides = map[string]string{
	"backups":    "incremental backups are no part of live data, nor of a snapshot",
	"staging":    "SSTables that wait for views to be made are left out",
	"upload":     "SSTables that wait to be loaded are left out",
	"quarantine": "SSTables that the server found broken are left out",
}

// place is what a path says about a folder.
type place struct {
	folder          string
	keyspace, table string // empty: not known
	id              string // 32 digits; empty: not known
	node            string
	tag             string // empty: live
	backup          string // Medusa's folder of the backup; empty: none
	within          string // where there is a name behind that of the table that is no snapshot's
	explicit        bool   // the path that was given leads into the snapshot
	given           bool   // it leads to the table's folder, or into it
}

// placeOf parses a folder's path. given is the part that the operator named. Both are absolute.
func placeOf(folder, given string) place {
	p := place{folder: folder, node: folder, given: folder == given}
	parts := strings.Split(filepath.ToSlash(folder), "/")
	at := -1
	for i := len(parts) - 1; i > 0 && at < 0; i-- {
		if m := tableFolder.FindStringSubmatch(parts[i]); m != nil {
			at, p.table, p.id = i, m[1], m[2]
		}
	}
	if at < 0 {
		// Without an id: <keyspace>/<table>, as sstableloader wants it and as servers had it once.
		if at = len(parts) - 1; at > 2 && parts[at-1] == snapshotsFolder {
			at -= 2
		}
		p.table = parts[at]
	}
	path := func(n int) string { return filepath.FromSlash(join("/", strings.Join(parts[:n], "/"))) }
	if at > 1 {
		p.keyspace, p.node = parts[at-1], path(at-1)
	}
	inside := parts[at+1:]
	switch {
	case len(inside) == 2 && inside[0] == snapshotsFolder:
		p.tag = inside[1]
		p.explicit = given == folder
	case len(inside) > 0:
		p.within = inside[0]
	}
	p.given = p.given || given == path(at+1) ||
		strings.HasPrefix(given, path(at+1)+string(filepath.Separator))
	p.medusa(given)
	return p
}

// medusa looks whether the data are of a full backup of Medusa:
// <node>/<backup>/data/<keyspace>/<table>, with <backup>/meta beside (NodeBackup).
func (p *place) medusa(given string) {
	if filepath.Base(p.node) != "data" || p.tag != "" {
		return
	}
	backup := filepath.Dir(p.node)
	if !isMedusa(backup) {
		return
	}
	p.backup, p.tag, p.node = backup, filepath.Base(backup), filepath.Dir(backup)
	p.explicit = given == backup || strings.HasPrefix(given, backup+string(filepath.Separator))
}

// isMedusa says whether a folder is a backup of Medusa.
func isMedusa(folder string) bool {
	_, err := os.Stat(join(folder, "meta", manifestFile))
	return err == nil
}

// isDataDirectory says whether a folder is one that a server has its keyspaces in.
func isDataDirectory(folder string) bool {
	for _, name := range []string{"system_schema", "system"} {
		if s, err := os.Stat(join(folder, name)); err == nil && s.IsDir() {
			return true
		}
	}
	return false
}
