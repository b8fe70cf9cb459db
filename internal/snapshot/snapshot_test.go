package snapshot

import (
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Ids of tables: as folders have them, and as schemas do.
const (
	id1, uuid1 = "11111111111111111111111111111111", "11111111-1111-1111-1111-111111111111"
	id2, uuid2 = "22222222222222222222222222222222", "22222222-2222-2222-2222-222222222222"
)

// tree makes files: a name, and behind a blank what is in it. Relative paths begin at the folder
// that it gives.
func tree(t *testing.T, files ...string) string {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	for _, f := range files {
		name, text, _ := strings.Cut(f, " ")
		path := filepath.Join(root, name)
		if strings.HasSuffix(name, "/") {
			require.NoError(t, os.MkdirAll(path, 0o755))
			continue
		}
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(
			t,
			os.WriteFile(path, []byte(strings.ReplaceAll(text, "ROOT", root)), 0o644),
		)
	}
	return root
}

// makes is a schema with the table.
func makes(id string) string {
	return " CREATE TABLE ks.users (k int PRIMARY KEY, v int) WITH ID = " + id + ";"
}

// record is a line of a transaction's log.
func record(kind, path string, updated int64, files int32) string {
	sum := crc32.NewIEEE()
	_, _ = sum.Write([]byte(path + kind))
	for _, n := range []int32{int32(updated), int32(updated >> 32), files} {
		_, _ = sum.Write([]byte{byte(n >> 24), byte(n >> 16), byte(n >> 8), byte(n)})
	}
	return fmt.Sprintf("%s:[%s,%d,%d][%d]\n", kind, path, updated, files, sum.Sum32())
}

func TestFind(t *testing.T) {
	const live, gone = "n1/data/ks/users-" + id1 + "/", "n1/data/ks/users-" + id2 + "/"
	manifest := ` {"files": ["nb-1-big-Data.db", ".idx/nb-1-big-Data.db"]}`
	data := func(names ...string) (all []string) {
		for _, n := range names {
			all = append(all, n+"-big-Data.db")
		}
		return all
	}
	section := func(table string, paths ...string) string {
		objects := ""
		for i, p := range paths {
			if i > 0 {
				objects += ","
			}
			objects += fmt.Sprintf(`{"path": "%s", "MD5": "x", "size": 1}`, p)
		}
		return fmt.Sprintf(
			` [{"keyspace": "ks", "columnfamily": "other-%s", "objects": []}, {"keyspace": "ks", "columnfamily": "%s", "objects": [%s]}]`,
			id2,
			table,
			objects,
		)
	}
	differential := []string{
		"m/n1/data/ks/users-" + id1 + "/nb-1-big-Data.db",
		"m/n1/data/ks/users-" + id1 + "/nb-2-big-Data.db",
		"m/n1/data/ks/users-" + id1 + "/nb-3-big-Data.db",
		"m/n1/mon/meta/manifest.json" + section(
			"users-"+id1,
			"m/n1/data/ks/users-"+id1+"/nb-1-big-Data.db",
			"m/n1/data/ks/users-"+id1+"/nb-2-big-Data.db",
			"m/n1/data/ks/users-"+id1+"/.idx/nb-3-big-Data.db",
		),
		"m/n1/mon/meta/schema.cql CREATE TABLE ks.users (k int PRIMARY KEY); CREATE TABLE ks.b (k int PRIMARY KEY);",
		"m/n1/tue/meta/manifest.json" + section(
			"users-"+id1,
			"m/n1/data/ks/users-"+id1+"/nb-2-big-Data.db",
			"m/n1/data/ks/users-"+id1+"/nb-3-big-Data.db",
		),
	}
	for name, c := range map[string]struct {
		files   []string
		request Request
		paths   []string
		want    []string // paths
		nodes   []string
		tags    []string
		id      string
		schema  string // its path
		skipped []string
		err     string
	}{
		"live data": {
			files: []string{
				live + "nb-1-big-Data.db", live + "nb-1-big-SAI+aa+Meta.db", live + ".idx/nb-9-big-Data.db", live + "backups/nb-1-big-Data.db",
				live + "snapshots/mon/nb-1-big-Data.db", live + "snapshots/mon/schema.cql" + makes(uuid1), live + "nb-2-big-Data.db.tmp",
				"n1/data/ks/user-" + id2 + "/nb-1-big-Data.db", "n1/data/other/users-" + id2 + "/nb-1-big-Data.db",
			},
			paths: []string{"n1/data"}, want: []string{live + "nb-1-big-Data.db"}, nodes: []string{"n1/data"}, id: id1,
			skipped: []string{
				live + "backups: incremental backups are no part of live data, nor of a snapshot",
				live + `snapshots/mon: snapshot "mon" is left out, since there are live data`,
				"n1/data/other/users-" + id2 + `: by its path it is of keyspace "other"`,
			},
		},
		"the table's folder": {
			files: []string{live + "nb-1-big-Data.db"}, paths: []string{"n1/data/ks/users-" + id1}, want: []string{live + "nb-1-big-Data.db"}, nodes: []string{"n1/data"}, id: id1,
		},
		"a snapshot that the path names": {
			files: []string{live + "nb-2-big-Data.db", live + "snapshots/mon/nb-1-big-Data.db", live + "snapshots/mon/manifest.json" + manifest,
				live + "snapshots/tue/nb-3-big-Data.db", live + "snapshots/mon/schema.cql" + makes(uuid1), live + "snapshots/mon/.idx/nb-1-big-Data.db"},
			paths: []string{live + "snapshots/mon"}, want: []string{live + "snapshots/mon/nb-1-big-Data.db"}, nodes: []string{"n1/data"}, tags: []string{"mon"}, id: id1,
			schema: live + "snapshots/mon/schema.cql",
		},
		"a snapshot that the tag names": {
			files: []string{live + "nb-2-big-Data.db", live + "snapshots/mon/nb-1-big-Data.db", live + "snapshots/tue/nb-3-big-Data.db",
				"n2/data/ks/users-" + id1 + "/nb-1-big-Data.db"},
			request: Request{Tag: "tue"}, paths: []string{""}, want: []string{live + "snapshots/tue/nb-3-big-Data.db"}, nodes: []string{"n1/data"}, tags: []string{"tue"}, id: id1,
			skipped: []string{
				strings.TrimSuffix(live, "/") + `: live data are left out, since snapshot "tue" was chosen`,
				live + `snapshots/mon: snapshot "mon" is left out, since "tue" was chosen`,
				`n2/data: it has no snapshot "tue"`,
				"n2/data/ks/users-" + id1 + `: live data are left out, since snapshot "tue" was chosen`,
			},
		},
		"no such snapshot": {
			files: []string{live + "snapshots/monday/nb-1-big-Data.db"}, request: Request{Tag: "mondy"}, paths: []string{""},
			err: `ks.users has no snapshot "mondy", but monday; did you mean "monday"?`,
		},
		"no snapshot": {files: []string{live + "nb-1-big-Data.db"}, request: Request{Tag: "mon"}, paths: []string{""}, err: `ks.users has no snapshot "mon", nor any other`},
		"the only snapshot of several nodes": {
			files: []string{live + "snapshots/mon/nb-1-big-Data.db", "deep/down/n2/ks/users-" + id1 + "/snapshots/mon/nb-1-big-Data.db"},
			paths: []string{""}, want: []string{"deep/down/n2/ks/users-" + id1 + "/snapshots/mon/nb-1-big-Data.db", live + "snapshots/mon/nb-1-big-Data.db"},
			nodes: []string{"deep/down/n2", "n1/data"}, tags: []string{"mon"}, id: id1,
		},
		"several snapshots": {
			files: []string{live + "snapshots/tue/nb-1-big-Data.db", live + "snapshots/mon/nb-1-big-Data.db"}, paths: []string{"n1"},
			err: "ks.users has several snapshots: mon, tue; choose one by its name, or by its folder",
		},
		"two snapshots of a node, both named": {
			files: []string{live + "snapshots/tue/nb-1-big-Data.db", live + "snapshots/mon/nb-1-big-Data.db"}, paths: []string{live + "snapshots/tue", live + "snapshots/mon"},
			err: "ks.users has several snapshots: mon, tue; they are of one node, ROOT/n1/data: name one of them",
		},
		"snapshots of two nodes with tags of their own, named": {
			files: []string{live + "snapshots/170/nb-1-big-Data.db", "n2/data/ks/users-" + id1 + "/snapshots/171/nb-1-big-Data.db"},
			paths: []string{live + "snapshots/170", "n2/data/ks/users-" + id1 + "/snapshots/171"},
			want:  []string{live + "snapshots/170/nb-1-big-Data.db", "n2/data/ks/users-" + id1 + "/snapshots/171/nb-1-big-Data.db"},
			nodes: []string{"n1/data", "n2/data"}, tags: []string{"170", "171"}, id: id1,
		},
		"a snapshot that the server took": {
			files: []string{live + "snapshots/truncated-1-users/nb-1-big-Data.db", live + "backups/"}, paths: []string{"n1"},
			err: "ks.users has no live SSTables, and one snapshot, truncated-1-users, which the server took when it removed them. To read it, give its name or its folder",
		},
		"a manifest's file is missing": {
			files: []string{live + "snapshots/mon/nb-2-big-Data.db", live + "snapshots/mon/manifest.json" + manifest}, paths: []string{"n1"},
			err: "ROOT/" + live + "snapshots/mon/nb-1-big-Data.db is not there, but ROOT/" + live + "snapshots/mon/manifest.json names it",
		},
		"all of a manifest's files are missing": {
			files: []string{live + "snapshots/mon/manifest.json" + manifest}, paths: []string{"n1"},
			err: "ROOT/" + live + "snapshots/mon/nb-1-big-Data.db is not there, but ROOT/" + live + "snapshots/mon/manifest.json names it",
		},
		"a manifest for two data directories": {
			files: []string{"n1/d1/ks/users-" + id1 + "/snapshots/mon/nb-2-big-Data.db", "n1/d1/ks/users-" + id1 + "/snapshots/mon/manifest.json" + manifest,
				"n1/d2/ks/users-" + id1 + "/snapshots/mon/nb-1-big-Data.db"},
			paths: []string{"n1"}, want: []string{"n1/d1/ks/users-" + id1 + "/snapshots/mon/nb-2-big-Data.db", "n1/d2/ks/users-" + id1 + "/snapshots/mon/nb-1-big-Data.db"},
			nodes: []string{"n1/d1", "n1/d2"}, tags: []string{"mon"}, id: id1,
		},
		"a manifest of ScyllaDB": {
			files: []string{live + "snapshots/mon/me-1-big-Data.db", live + `snapshots/mon/manifest.json {"manifest": {"version": "1.0"}, "sstables": [{"id": "1", "toc_name": "me-7-big-TOC.txt"}]}`},
			paths: []string{"n1"}, err: "ROOT/" + live + "snapshots/mon/me-7-big-Data.db is not there, but ROOT/" + live + "snapshots/mon/manifest.json names it",
		},
		"a manifest that is none": {
			files: []string{live + "snapshots/mon/me-1-big-Data.db", live + "snapshots/mon/manifest.json [1"}, paths: []string{"n1"},
			err: "ROOT/" + live + "snapshots/mon/manifest.json: unexpected end of JSON input",
		},
		"made again, without a schema": {
			files: []string{live + "nb-1-big-Data.db", gone + "nb-1-big-Data.db"}, paths: []string{"n1"},
			err: "ks.users has several table ids: " + id1 + ", " + id2 + "; it was dropped and created again, and no schema.cql has its present id. Name its folder, or give a schema that has its id",
		},
		"made again, the id given": {
			files: []string{live + "nb-1-big-Data.db", gone + "nb-1-big-Data.db"}, request: Request{ID: strings.ToUpper(uuid2)}, paths: []string{"n1"},
			want: []string{gone + "nb-1-big-Data.db"}, nodes: []string{"n1/data"}, id: id2,
			skipped: []string{strings.TrimSuffix(live, "/") + ": it is of a table of the same name with the id " + id1 + ", not " + id2},
		},
		"made again, with a schema": {
			files: []string{live + "snapshots/mon/nb-1-big-Data.db", gone + "snapshots/mon/nb-1-big-Data.db", gone + "snapshots/mon/schema.cql" + makes(uuid2)}, paths: []string{"n1"},
			want: []string{gone + "snapshots/mon/nb-1-big-Data.db"}, nodes: []string{"n1/data"}, tags: []string{"mon"}, id: id2, schema: gone + "snapshots/mon/schema.cql",
			skipped: []string{live + "snapshots/mon: it is of a table of the same name with the id " + id1 + ", not " + id2},
		},
		"made again, nothing in the old folder": {
			files: []string{live + "nb-1-big-Data.db", gone + "snapshots/dropped-1-users/nb-1-big-Data.db"}, paths: []string{"n1"},
			want: []string{live + "nb-1-big-Data.db"}, nodes: []string{"n1/data"}, id: id1,
			skipped: []string{gone + `snapshots/dropped-1-users: snapshot "dropped-1-users" is left out, since there are live data`},
		},
		"an id that is none": {request: Request{ID: "7"}, paths: []string{""}, err: `table id "7": must be a UUID`},
		"SSTables alone": {
			files: []string{"some/nb-1-big-Data.db", "some/3/nb-1-big-Data.db"}, paths: []string{"some"}, want: []string{"some/nb-1-big-Data.db"}, nodes: []string{"some"},
		},
		"SSTables alone, of several nodes, with schemas": {
			files: []string{"some/n1/nb-1-big-Data.db", "some/n1/schema.cql" + makes(uuid1), "some/n2/nb-1-big-Data.db", "some/n2/schema.cql" + makes(uuid1), "some/n3/nb-1-big-Data.db",
				"some/n3/schema.cql CREATE TABLE ks.users2 (k int PRIMARY KEY);"},
			paths: []string{"some"}, want: []string{"some/n1/nb-1-big-Data.db", "some/n2/nb-1-big-Data.db"}, nodes: []string{"some/n1", "some/n2"}, id: id1, schema: "some/n1/schema.cql",
			skipped: []string{"some/n3: schema.cql beside does not make ks.users"},
		},
		"SSTables of who knows which table": {
			files: []string{"some/n1/nb-1-big-Data.db"}, paths: []string{"some"},
			err: "no SSTables of ks.users in some: there are SSTables, but neither names of folders nor a schema.cql say which table they belong to: name their folder",
		},
		"folders without ids": {
			files: []string{"out/ks/users/nb-1-big-Data.db", "out/ks/b/nb-1-big-Data.db"}, paths: []string{"out"}, want: []string{"out/ks/users/nb-1-big-Data.db"}, nodes: []string{"out"},
		},
		"folders without keyspaces, named": {
			files: []string{"out/n1/users-" + id1 + "/nb-1-big-Data.db", "out/n2/users-" + id1 + "/nb-1-big-Data.db"}, paths: []string{"out/n1/users-" + id1, "out/n2/users-" + id1},
			want: []string{"out/n1/users-" + id1 + "/nb-1-big-Data.db", "out/n2/users-" + id1 + "/nb-1-big-Data.db"}, nodes: []string{"out/n1", "out/n2"}, id: id1,
		},
		"a folder of another keyspace, named": {
			files: []string{"n1/data/other/users-" + id1 + "/nb-1-big-Data.db", "n1/data/system_schema/"}, paths: []string{"n1/data/other/users-" + id1},
			err: "no SSTables of ks.users in n1/data/other/users-" + id1 + `: a table of that name is in what looks like keyspace "other"`,
		},
		"a name that is near": {
			files: []string{"n1/data/ks/user-" + id1 + "/nb-1-big-Data.db", "n1/data/ks/b-" + id1 + "/"}, paths: []string{"n1"}, err: `no SSTables of ks.users in n1; did you mean "user"?`,
		},
		"other names": {
			files: []string{"n1/data/ks/a-" + id1 + "/nb-1-big-Data.db", "n1/data/ks/b-" + id1 + "/"}, paths: []string{"n1"}, err: `no SSTables of ks.users in n1: the keyspace has a, b`,
		},
		"other keyspaces": {
			files: []string{"n1/data/kss/a-" + id1 + "/nb-1-big-Data.db", "n1/data/x/b-" + id1 + "/"}, paths: []string{"n1"}, err: `no SSTables of ks.users in n1: there are tables of kss, x; did you mean "kss"?`,
		},
		"an empty folder":   {files: []string{live}, paths: []string{"n1"}, err: "no SSTables of ks.users in n1: its folder is there, and none are in it; has the node flushed it?"},
		"nothing at all":    {files: []string{"n1/"}, paths: []string{"n1"}, err: "no SSTables of ks.users in n1, nor of any other table"},
		"no folder":         {paths: []string{"gone"}, err: "stat ROOT/gone: no such file or directory"},
		"a file":            {files: []string{"f"}, paths: []string{"f"}, err: "f is a file: a folder is wanted"},
		"a version too old": {files: []string{live + "ks-users-ka-1-Data.db"}, paths: []string{""}, err: `ROOT/` + live + `ks-users-ka-1-Data.db: "ks-users-ka-1-Data.db": version "ka" of an SSTable is not known: it must be one of mc, md, me, na, nb, oa, da, ms, mt`},
		"what is not finished": {
			files: []string{live + "me-1-big-Data.db", live + "me-2-big-Data.db", live + "me-2-big-TOC.txt.tmp", live + "ks-users-tmp-ka-1-Data.db"}, paths: []string{""},
			want: []string{live + "me-1-big-Data.db"}, nodes: []string{"n1/data"}, id: id1,
			skipped: []string{live + "ks-users-tmp-ka-1-Data.db: it is not finished", live + "me-2-big-Data.db: it is not finished, or is being removed"},
		},
		"a component is missing": {
			files: []string{live + "nb-1-big-Data.db", live + "nb-1-big-Statistics.db", live + "nb-1-big-TOC.txt Data.db\nStatistics.db\nCompressionInfo.db\n"}, paths: []string{""},
			err: "ROOT/" + live + "nb-1-big-CompressionInfo.db is not there, but ROOT/" + live + "nb-1-big-TOC.txt names it",
		},
		"an SSTable without its data": {
			files: []string{live + "nb-1-big-Data.db", live + "nb-2-big-TOC.txt Data.db\n", live + "nb-2-big-Index.db"}, paths: []string{""},
			err: "ROOT/" + live + "nb-2-big-Data.db is not there, but ROOT/" + live + "nb-2-big-TOC.txt names it",
		},
		"what is left of an SSTable that a compaction has replaced": {
			files: []string{live + "nb-1-big-TOC.txt Data.db\n", live + "nb-2-big-Data.db",
				live + "nb_txn_compaction_a_b.log " + record("ADD", "/x/nb-2-big", 0, 8) + record("REMOVE", "/x/nb-1-big", 1700000000123, 8) + record("COMMIT", "", 0, 0)},
			paths: []string{""}, want: []string{live + "nb-2-big-Data.db"}, nodes: []string{"n1/data"}, id: id1,
		},
		"a compaction under way": {
			files: []string{live + "nb-1-big-Data.db", live + "nb-10-big-Data.db", live + "nb-2-big-Data.db",
				live + "nb_txn_compaction_a_b.log " + record("ADD", "/x/nb-2-big-", 0, 8) + record("REMOVE", "/x/nb-1-big-", 1700000000123, 1)},
			paths: []string{""}, want: []string{live + "nb-1-big-Data.db", live + "nb-10-big-Data.db"}, nodes: []string{"n1/data"}, id: id1,
			skipped: []string{live + "nb-2-big-Data.db: a compaction that is not done is making it (nb_txn_compaction_a_b.log)"},
		},
		"a compaction that is committed": {
			files: []string{live + "nb-1-big-Data.db", live + "nb-2-big-Data.db",
				live + "nb_txn_compaction_a_b.log " + record("ADD", "/x/nb-2-big", 0, 8) + record("REMOVE", "/x/nb-1-big", 1700000000123, 8) + "COMMIT:[,0,0][2613697770]\n"}, // as Cassandra 5.0.6 writes it
			paths: []string{""}, want: []string{live + "nb-2-big-Data.db"}, nodes: []string{"n1/data"}, id: id1,
			skipped: []string{live + "nb-1-big-Data.db: a compaction has replaced it (nb_txn_compaction_a_b.log)"},
		},
		"a compaction whose commit was cut off": {
			files: []string{live + "nb-1-big-Data.db", live + "nb-2-big-Data.db",
				live + "nb_txn_compaction_a_b.log " + record("ADD", "/x/nb-2-big", 0, 8) + record("REMOVE", "/x/nb-1-big", 1, 1) + "COMMIT:[,0,0][12"},
			paths: []string{""}, want: []string{live + "nb-1-big-Data.db"}, nodes: []string{"n1/data"}, id: id1,
			skipped: []string{live + "nb-2-big-Data.db: a compaction that is not done is making it (nb_txn_compaction_a_b.log)"},
		},
		"a log that is broken": {
			files: []string{live + "nb-1-big-Data.db", live + "nb_txn_compaction_a_b.log REMOVE:[/x/nb-1-big,0,8][7]\n" + record("COMMIT", "", 0, 0)}, paths: []string{""},
			err: "ROOT/" + live + `nb_txn_compaction_a_b.log, line 1: "REMOVE:[/x/nb-1-big,0,8][7]" has the checksum 7, not 2102808063`,
		},
		"a log that files do not fit": {
			files: []string{live + "nb-2-big-Data.db", live + "nb_txn_compaction_a_b.log " + record("ADD", "/x/nb-2-big", 0, 8) + record("REMOVE", "/x/nb-1-big", 1, 8)}, paths: []string{""},
			err: "ROOT/" + live + "nb_txn_compaction_a_b.log: the transaction is not completed, but files that it would remove are gone: the folder is not as a server leaves it",
		},
		"a log for two data directories": {
			files: []string{live + "nb-2-big-Data.db", live + "nb_txn_compaction_a_b.log " + record("ADD", "/x/nb-2-big", 0, 8) + record("REMOVE", "/y/nb-1-big", 1, 8)}, paths: []string{""},
			err: "no SSTables of ks.users in : ROOT/" + live + "nb-2-big-Data.db: a compaction that is not done is making it (nb_txn_compaction_a_b.log)",
		},
		"Medusa, a full backup": {
			files: []string{"m/n1/mon/data/ks/users-" + id1 + "/nb-1-big-Data.db", "m/n1/mon/data/ks/users-" + id1 + "/nb-2-big-Data.db",
				"m/n1/mon/meta/manifest.json" + section("users-"+id1, "m/n1/mon/data/ks/users-"+id1+"/nb-1-big-Data.db"),
				"m/n1/mon/meta/schema.cql CREATE TABLE ks.users (k int PRIMARY KEY);"},
			paths: []string{"m"}, want: []string{"m/n1/mon/data/ks/users-" + id1 + "/nb-1-big-Data.db"}, nodes: []string{"m/n1"}, tags: []string{"mon"}, id: id1, schema: "m/n1/mon/meta/schema.cql",
			skipped: []string{"m/n1/mon/data/ks/users-" + id1 + ": 1 SSTable is left out, since ROOT/m/n1/mon/meta/manifest.json does not name it"},
		},
		"Medusa, a full backup with a file missing": {
			files: []string{"m/n1/mon/data/ks/users-" + id1 + "/nb-2-big-Data.db", "m/n1/mon/meta/manifest.json" + section("users-"+id1, "m/n1/mon/data/ks/users-"+id1+"/nb-1-big-Data.db")},
			paths: []string{"m"}, err: "ROOT/m/n1/mon/data/ks/users-" + id1 + "/nb-1-big-Data.db is not there, but ROOT/m/n1/mon/meta/manifest.json names it",
		},
		"Medusa, differential backups": {files: differential, paths: []string{"m"}, err: "ks.users has several snapshots: mon, tue; choose one by its name, or by its folder"},
		"Medusa, a differential backup by its name": {
			files: differential, request: Request{Tag: "tue"}, paths: []string{"m/n1/data"}, want: prefixed("m/n1/data/ks/users-"+id1+"/", data("nb-2", "nb-3")), nodes: []string{"m/n1"}, tags: []string{"tue"}, id: id1,
			skipped: []string{"m/n1/data/ks/users-" + id1 + ": 1 SSTable is left out, since ROOT/m/n1/tue/meta/manifest.json does not name it",
				"m/n1/data/ks/users-" + id1 + `: snapshot "mon" is left out, since "tue" was chosen`},
		},
		"Medusa, a differential backup by its folder": {
			files: differential, paths: []string{"m/n1/mon"}, want: prefixed("m/n1/data/ks/users-"+id1+"/", data("nb-1", "nb-2")), nodes: []string{"m/n1"}, tags: []string{"mon"}, id: id1, schema: "m/n1/mon/meta/schema.cql",
			skipped: []string{"m/n1/data/ks/users-" + id1 + ": 1 SSTable is left out, since ROOT/m/n1/mon/meta/manifest.json does not name it"},
		},
		"Medusa, a name that leads elsewhere": {
			files: []string{"m/n1/mon/meta/manifest.json" + section("../../users")}, paths: []string{"m"}, err: `ROOT/m/n1/mon/meta/manifest.json: "ks", "../../users" is no keyspace and table`,
		},
		"a folder and one inside": {
			files: []string{live + "nb-1-big-Data.db"}, paths: []string{"n1", live, "n1/data/ks"}, want: []string{live + "nb-1-big-Data.db"}, nodes: []string{"n1/data"}, id: id1,
		},
		"two schemas": {
			files: []string{live + "snapshots/mon/nb-1-big-Data.db", live + "snapshots/mon/schema.cql" + makes(uuid1), "n2/data/ks/users-" + id1 + "/snapshots/mon/nb-1-big-Data.db", "n2/data/ks/users-" + id1 + "/snapshots/mon/schema.cql" + makes(uuid1) + " -- other"},
			paths: []string{"n1", "n2"}, want: []string{live + "snapshots/mon/nb-1-big-Data.db", "n2/data/ks/users-" + id1 + "/snapshots/mon/nb-1-big-Data.db"},
			nodes: []string{"n1/data", "n2/data"}, tags: []string{"mon"}, id: id1, schema: live + "snapshots/mon/schema.cql",
			skipped: []string{"n2/data/ks/users-" + id1 + "/snapshots/mon/schema.cql: it is another than ROOT/" + live + "snapshots/mon/schema.cql"},
		},
		"a schema that is none": {
			files: []string{live + "snapshots/mon/nb-1-big-Data.db", live + "snapshots/mon/schema.cql CREATE TABLE view"}, paths: []string{"n1"}, want: []string{live + "snapshots/mon/nb-1-big-Data.db"},
			nodes: []string{"n1/data"}, tags: []string{"mon"}, id: id1,
			skipped: []string{live + "snapshots/mon/schema.cql: line 1, column 18: expected (, found the end"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			root := tree(t, c.files...)
			t.Chdir(root)
			c.request.Keyspace, c.request.Table = "ks", "users"
			c.request.Paths = c.paths
			found, err := Find(c.request)
			if c.err != "" {
				require.EqualError(t, err, strings.ReplaceAll(c.err, "ROOT", root))
				return
			}
			require.NoError(t, err)
			relative := func(path string) string { return strings.ReplaceAll(strings.TrimPrefix(path, root+"/"), root, "ROOT") }
			var paths, nodes, skipped []string
			for _, s := range found.SSTables {
				paths = append(paths, relative(s.Path("Data.db")))
				require.Contains(t, found.Nodes, s.Node)
				if s.Tag != "" {
					require.Contains(t, found.Tags, s.Tag)
				}
			}
			for _, n := range found.Nodes {
				nodes = append(nodes, relative(n))
			}
			for _, s := range found.Skipped {
				skipped = append(skipped, relative(s.String()))
			}
			require.Equal(t, c.want, paths)
			require.Equal(t, c.nodes, nodes)
			require.Equal(t, c.tags, found.Tags)
			require.Equal(t, c.id, found.ID)
			require.Equal(t, c.schema, relative(found.SchemaPath))
			require.Equal(t, c.skipped, skipped)
			if c.schema != "" {
				text, err := os.ReadFile(c.schema)
				require.NoError(t, err)
				require.Equal(t, string(text), found.Schema)
			}
		})
	}
}

func prefixed(prefix string, names []string) (all []string) {
	for _, n := range names {
		all = append(all, prefix+n)
	}
	return all
}

// Copies that share their bytes on the disk are one, and so are those that a link leads to.
func TestLinks(t *testing.T) {
	const folder = "/data/ks/users-" + id1
	root := tree(t, "n1"+folder+"/nb-1-big-Data.db", "n2"+folder+"/nb-2-big-Data.db")
	require.NoError(
		t,
		os.Link(
			filepath.Join(root, "n1"+folder+"/nb-1-big-Data.db"),
			filepath.Join(root, "n2"+folder+"/nb-1-big-Data.db"),
		),
	)
	require.NoError(t, os.Symlink(filepath.Join(root, "n2"), filepath.Join(root, "n3")))
	require.NoError(t, os.Symlink(root, filepath.Join(root, "n1/again")))
	found, err := Find(
		Request{
			Keyspace: "ks",
			Table:    "users",
			Paths: []string{
				filepath.Join(root, "n1"),
				filepath.Join(root, "n2"),
				filepath.Join(root, "n3"),
			},
		},
	)
	require.NoError(t, err)
	require.Len(t, found.SSTables, 2)
	require.NotEmpty(t, found.Skipped)
	for _, s := range found.Skipped {
		require.Contains(t, s.Reason, "it is the same as "+root)
	}
}
