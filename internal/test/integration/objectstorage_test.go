//go:build integration

package integration

import (
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/store"
	"github.com/cqlbulk/cqlbulk/internal/store/s3"
	"github.com/cqlbulk/cqlbulk/internal/store/stores"
	"github.com/cqlbulk/cqlbulk/internal/test/s3test"
)

// bucket starts object storage, which the environment describes until the test ends, and returns
// the name of an empty bucket in it.
func bucket(t *testing.T) (in store.Store, name string) {
	t.Helper()
	server := s3test.Start(t)
	t.Setenv("AWS_ENDPOINT_URL", server.URL)
	t.Setenv("AWS_REGION", s3test.Region)
	t.Setenv("AWS_ACCESS_KEY_ID", s3test.AccessKey)
	t.Setenv("AWS_SECRET_ACCESS_KEY", s3test.SecretKey)
	name = s3.Scheme + server.Bucket(t)
	in, err := stores.New().Of(name)
	require.NoError(t, err)
	return in, name
}

// objects returns the last parts of the names in a folder of object storage.
func objects(t *testing.T, in store.Store, folder string) (names []string) {
	t.Helper()
	all, err := in.List(t.Context(), folder)
	require.NoError(t, err)
	for _, one := range all {
		names = append(names, one.Base())
	}
	return names
}

// putObject writes an object.
func putObject(t *testing.T, in store.Store, name, text string) {
	t.Helper()
	w, err := in.Create(t.Context(), name, store.CreateOptions{Over: true})
	require.NoError(t, err)
	_, err = w.Write([]byte(text))
	require.NoError(t, err)
	require.NoError(t, w.Commit(t.Context()))
}

// getObject reads an object.
func getObject(t *testing.T, in store.Store, name string) string {
	t.Helper()
	r, err := in.Open(t.Context(), name)
	require.NoError(t, err)
	defer func() { require.NoError(t, r.Close()) }()
	text, err := io.ReadAll(r)
	require.NoError(t, err)
	return string(text)
}

// wideRows returns rows of two columns, k and v, of about 200 bytes each.
func wideRows(rows int) string {
	var b strings.Builder
	b.WriteString("k,v\n")
	for k := range rows {
		word := strconv.Itoa(k * 7919)
		fmt.Fprintf(&b, "%d,%s\n", k, strings.Repeat(word, 200/len(word)))
	}
	return b.String()
}

// TestObjectStorage scans a table into a bucket, as one object and as many, and loads it back.
func TestObjectStorage(t *testing.T) {
	in, at := bucket(t)
	const rows = 20_000
	table(t, "it1.stored", "(k int PRIMARY KEY, v text)")
	table(t, "it1.stored_again", "(k int PRIMARY KEY, v text)")
	want := checksum(t, ok(t, "load", "it1.stored", file(t, "in.csv", wideRows(rows))))

	r := ok(t, "scan", "it1.stored", "-o", at+"/one/all rows.csv.gz")
	require.Equal(t, want, checksum(t, r))
	require.Equal(t, []string{"all rows.csv.gz", "all rows.csv.gz.manifest.json"}, objects(t, in, at+"/one"))
	r = ok(t, "scan", "it1.stored", "-d", at+"/many", "--max-file-bytes", "1MiB")
	require.Equal(t, want, checksum(t, r))
	many := objects(t, in, at+"/many")
	require.Contains(t, many, "manifest.json")
	require.Greater(t, len(many), 4)
	for _, taken := range [][]string{{"-o", at + "/one/all rows.csv.gz"}, {"-d", at + "/many"}} {
		r := cqlbulk(t, append([]string{"scan", "it1.stored"}, taken...)...)
		require.Equal(t, 1, r.code, r.report)
		require.Contains(t, r.report, "write over it with --force")
	}
	require.Equal(t, want, checksum(t, ok(t, "scan", "it1.stored", "-d", at+"/many", "--force")))

	r = cqlbulkOffline(t, "verify", at+"/many", at+"/one/all rows.csv.gz")
	require.Zero(t, r.code, r.report)
	require.Contains(t, r.report, "the same in 1 other")
	part := objects(t, in, at+"/many")[1] // the first is the manifest
	putObject(t, in, at+"/damaged/manifest.json", getObject(t, in, at+"/many/manifest.json"))
	putObject(t, in, at+"/damaged/"+part, strings.Replace(getObject(t, in, at+"/many/"+part), "7", "8", 1))
	r = cqlbulkOffline(t, "verify", at+"/damaged")
	require.Equal(t, 2, r.code, r.report)
	require.Contains(t, r.report, "/damaged/"+part+": file has XXH64")
	require.Contains(t, r.report, "file is missing")

	putObject(t, in, at+"/many/_SUCCESS", "nothing to load")
	putObject(t, in, at+"/list.txt", at+"/one/all rows.csv.gz\n")
	for _, word := range []string{
		at + "/one/all rows.csv.gz", at + "/many", at + "/many/", at + "/man*/part-*.csv", "@" + at + "/list.txt",
	} {
		exec(t, "TRUNCATE it1.stored_again")
		require.Equal(t, want, checksum(t, ok(t, "load", "it1.stored_again", word)), word)
	}
	putObject(t, in, at+"/keys.csv", "5\n7\n")
	r = ok(t, "scan", "it1.stored", "--keys", at+"/keys.csv", "--columns", "k", "--header=false")
	require.ElementsMatch(t, []string{"5", "7"}, strings.Fields(r.out))

	putObject(t, in, at+"/bad.csv", "k,v\n1,a\nx,b\n")
	dir := t.TempDir() + "/run"
	r = cqlbulk(t, "load", "it1.stored_again", at+"/bad.csv", "--run-dir", dir)
	require.Equal(t, 2, r.code, r.report)
	require.Contains(t, r.report, at+"/bad.csv:3")
	for _, refused := range [][]string{
		{"-o", at + "/a//b.csv"}, {"-o", at + "/a/"}, {"-d", at + "//a"},
	} {
		r := cqlbulk(t, append([]string{"scan", "it1.stored"}, refused...)...)
		require.Equal(t, 1, r.code, r.report)
		require.Contains(t, r.report, "a name between two slashes is empty")
	}
	ok(t, "scan", "it1.stored", "-d", at+"/slash/", "--max-file-bytes", "1MiB")
	r = cqlbulk(t, "scan", "it1.stored", "-d", at+"/slash/")
	require.Equal(t, 1, r.code, r.report)
	for name, says := range map[string]string{
		at + "/none.csv":          "none.csv: file does not exist",
		"s3://of-no-one/none.csv": "there is no such bucket",
		at + "/nothing/*.csv":     "no file matches",
		"ftp://example.org/x.csv": "only local files, s3://, http:// and https:// can be read",
	} {
		r := cqlbulk(t, "load", "it1.stored_again", name)
		require.Equal(t, 1, r.code, r.report)
		require.Contains(t, r.report, says)
	}
}

// TestObjectStorageKilled kills a scan into a bucket, and a load from there, and resumes them.
func TestObjectStorageKilled(t *testing.T) {
	in, at := bucket(t)
	const rows = 60_000
	table(t, "it1.stored_slowly", "(k int PRIMARY KEY, v text)")
	table(t, "it1.loaded_slowly", "(k int PRIMARY KEY, v text)")
	want := checksum(t, ok(t, "load", "it1.stored_slowly", file(t, "in.csv", wideRows(rows))))
	dir := t.TempDir() + "/run"
	folder := at + "/many"
	args := quorum("scan", "it1.stored_slowly", "-d", folder, "--max-file-bytes", "1MiB",
		"--max-bytes-per-sec", "2MiB", "--run-dir", dir)
	run := spawn(t, nil, args...)
	unsent := func() []string {
		files, err := filepath.Glob(filepath.Dir(dir) + "/*unsent*/*")
		require.NoError(t, err)
		return files
	}
	run.until(t, "a file was begun", func() bool { return len(unsent()) > 0 })
	run.kill(t)
	args = []string{"resume", dir}
	for kill := range 2 {
		run := spawn(t, nil, args...)
		sent := len(objects(t, in, folder))
		run.until(t, "objects were sent", func() bool { return len(objects(t, in, folder)) > sent+2 })
		run.kill(t)
		require.NotContains(t, objects(t, in, folder), "manifest.json", "kill %d", kill)
	}
	r := spawn(t, nil, "resume", dir, "--max-bytes-per-sec", "0").end(t)
	require.Zero(t, r.code, r.report)
	require.Equal(t, want, checksum(t, r))
	require.Contains(t, objects(t, in, folder), "manifest.json")
	require.Empty(t, unsent())

	r = killed(t, 2, rows, t.TempDir()+"/load", "load", "it1.loaded_slowly", folder)
	require.Zero(t, r.code, r.report)
	require.Equal(t, want, checksum(t, ok(t, "scan", "it1.loaded_slowly", "-o", t.TempDir()+"/x.csv")))

	// An object that is replaced while it is not read yet ends the load.
	loaded := t.TempDir() + "/replaced"
	child := spawn(t, nil,
		quorum("load", "it1.loaded_slowly", folder, "--run-dir", loaded, "--ingestrate", "5000")...)
	child.until(t, "rows were loaded", func() bool { return recordedRows(loaded) > 0 })
	child.kill(t)
	names := objects(t, in, folder)
	putObject(t, in, folder+"/"+names[1], "k,v\n1,other\n") // the first is the manifest
	r = spawn(t, nil, "resume", loaded).end(t)
	require.NotZero(t, r.code, r.report)
	require.Contains(t, r.report, "was changed since the run began")
}
