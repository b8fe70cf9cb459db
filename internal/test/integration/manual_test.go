//go:build integration

package integration

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net"
	"os"
	command "os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/cqlbulk/cqlbulk/internal/test/doctest"
	"github.com/cqlbulk/cqlbulk/internal/test/s3test"
)

// update has TestManual put what is printed in place of what the pages show, where they do not
// agree.
var update = flag.Bool("update", false, "make the pages of the manual show what is printed")

// securityPage is about clusters that ask for passwords and certificates, and is run on one.
const securityPage = "docs/security.md"

// wholeSample are the pages that load all of the sample data. The others have the first rows of it,
// as most of their commands read or write the whole table.
var wholeSample = []string{"docs/resume.md", "README.md"}

// TestManual runs every command of README.md and docs, in their order, page by page in a folder of
// its own. It compares what is printed with what the page shows. A command must succeed unless the
// next one asks for its exit status. The pages have a cluster of three nodes, 10.0.0.1 to 10.0.0.3,
// and a keyspace demo with the sample data. The address 10.1.0.1 stands for another cluster, here
// the same one. testdata/manual has what a page needs besides: a script that runs first, and files.
// Commands that are not run are listed in internal/test/doctest.
func TestManual(t *testing.T) {
	t.Parallel()
	m := newManual(t)
	pages, err := doctest.Pages("../../..")
	require.NoError(t, err)
	for _, name := range wholeSample { // these come last
		pages = append(slices.DeleteFunc(pages, func(p string) bool { return p == name }), name)
	}
	for _, name := range pages {
		t.Run(filepath.Base(name), func(t *testing.T) { m.run(t, name) })
	}
	require.Contains(
		t,
		[]string{"6000\n", "60000\n"},
		ok(t, "count", "demo.flights").out,
		"a page has changed the sample data",
	)
}

// manual is what all pages share.
type manual struct {
	environment []string
	// from what pages say to what is so here, and back; a page's own folder is shown as /data
	here, there *strings.Replacer
}

// newManual fills the table of the sample data, takes a snapshot of it, and lays out what pages may
// use:
//
//	$SAMPLE  the sample data, a CSV file
//	$FIRST   its first 6,000 rows, which the table has
//	$NODES   a folder with those of the nodes, node1 to node3, that have their data
//	$TLS     the folder with certificates for clients
//	s3://exports, an empty bucket
//	ssh, rsync, nodetool, which take the nodes' addresses and stay on this host
func newManual(t *testing.T) *manual {
	t.Helper()
	built, err := program()
	require.NoError(t, err)
	repository, err := filepath.Abs("../../..")
	require.NoError(t, err)
	top := t.TempDir()
	bin := filepath.Join(top, "bin")
	nodes := filepath.Join(top, "nodes")
	hosts := filepath.Join(top, "hosts")
	for _, folder := range []string{bin, nodes, hosts} {
		require.NoError(t, os.Mkdir(folder, 0o700))
	}
	require.NoError(t, os.Symlink(built, filepath.Join(bin, "cqlbulk")))
	tools, err := filepath.Glob("testdata/manual/bin/*")
	require.NoError(t, err)
	for _, tool := range tools {
		require.NoError(
			t,
			os.WriteFile(filepath.Join(bin, filepath.Base(tool)), []byte(read(t, tool)), 0o700),
		)
	}
	sample := filepath.Join(top, "flights.csv")
	out, err := command.CommandContext(t.Context(), "gzip", "-dc", "../../../testdata/flights-sample.csv.gz").
		Output()
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(sample, out, 0o600))
	first := file(
		t,
		"first.csv",
		strings.Join(strings.SplitAfterN(string(out), "\n", 6002)[:6001], ""),
	)

	for _, keyspace := range []string{"demo", "new"} {
		exec(t, "DROP KEYSPACE IF EXISTS "+keyspace)
		left, err := filepath.Glob(
			filepath.Join(clusterFolder(), "node*/data/data", keyspace),
		) // snapshots of an earlier run
		require.NoError(t, err)
		for _, folder := range left {
			require.NoError(t, os.RemoveAll(folder))
		}
	}
	exec(t, statements(t, "demo.cql")...)
	exec(t, statements(t, "flights.cql")...)
	exec(
		t,
		"CREATE TABLE demo.visits (day date, page text, visitors int, seen timestamp, PRIMARY KEY (day, page))",
		"CREATE TABLE demo.accounts (id int PRIMARY KEY, owner text, cents bigint)",
		strings.Replace(statements(t, "demo.cql")[0], "demo", "new", 1),
		strings.Replace(statements(t, "flights.cql")[0], "demo.", "new.", 1),
	)
	ok(t, "load", "demo.flights", first, "--null-string", "NA", "--via", "stream")
	var snapshots errgroup.Group
	var pairs []string
	addresses := strings.Split(testHosts(), ",")
	for i, address := range addresses {
		node := fmt.Sprint(i + 1)
		require.NoError(
			t,
			os.Symlink(
				filepath.Join(clusterFolder(), "node"+node),
				filepath.Join(nodes, "node"+node),
			),
		)
		require.NoError(t, os.Mkdir(filepath.Join(hosts, address), 0o700))
		pairs = append(pairs, "10.0.0."+node, address)
		snapshots.Go(func() error { return takeSnapshot(node, "nightly", "demo.flights") })
	}
	require.NoError(t, snapshots.Wait())
	port, err := freePort(t.Context())
	require.NoError(t, err)
	pairs = append(pairs, ":9464", port,
		"/var/lib/cassandra/data", filepath.Join(clusterFolder(), "node1/data/data"),
		"/usr/lib/cqlbulk/export", filepath.Join(repository, "deploy/systemd/export"))
	m := &manual{
		there: reversed(pairs),
		here: strings.NewReplacer(append(pairs, "10.1.0.1", addresses[0],
			// On a machine that is busy with other tests, reads take that long without any scan. A
			// scan with this limit would then make no progress.
			"--target-p99 10ms", "--target-p99 10s")...),
	}

	objects := s3test.Start(t)
	objects.Make(t, "exports")
	for _, setting := range os.Environ() {
		if !strings.HasPrefix(setting, "CQLBULK_") && !strings.HasPrefix(setting, "PATH=") {
			m.environment = append(m.environment, setting)
		}
	}
	m.environment = append(
		m.environment,
		"PATH="+bin+":"+os.Getenv("PATH"),
		"LC_ALL=C.UTF-8",
		"TERM=dumb",
		"SAMPLE="+sample,
		"FIRST="+first,
		"NODES="+nodes,
		"HOSTS="+hosts,
		"TLS="+filepath.Dir(tlsFile(t, "ca.pem")),
		"AWS_ENDPOINT_URL="+objects.URL,
		"AWS_REGION="+s3test.Region,
		"AWS_ACCESS_KEY_ID="+s3test.AccessKey,
		"AWS_SECRET_ACCESS_KEY="+s3test.SecretKey,
		"AUTH_HOST="+authHost(),
		"TLS_PORT="+tlsPort,
		"REPOSITORY="+repository,
		"CLUSTER="+clusterFolder(),
		"CQLBULK_HOSTS="+testHosts(),
		"CQLBULK_TIMEOUT=60s",
		"CQLBULK_PROGRESS=0",
	)
	return m
}

// statements are those of a file of testdata.
func statements(t *testing.T, name string) (all []string) {
	t.Helper()
	remark := regexp.MustCompile(`(?m)^--.*\n`)
	for text := range strings.SplitSeq(remark.ReplaceAllString(read(t, "../../../testdata/"+name), ""), ";\n") {
		if text = strings.TrimSpace(text); text != "" {
			all = append(all, text)
		}
	}
	return all
}

// freePort returns a free port of this host, as ":PORT".
func freePort(ctx context.Context) (string, error) {
	var config net.ListenConfig
	l, err := config.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	port := fmt.Sprintf(":%d", l.Addr().(*net.TCPAddr).Port)
	return port, l.Close()
}

// reversed replaces each second text by the one before it.
func reversed(pairs []string) *strings.Replacer {
	back := make([]string, len(pairs))
	for i := 0; i < len(pairs); i += 2 {
		back[i], back[i+1] = pairs[i+1], pairs[i]
	}
	return strings.NewReplacer(back...)
}

// run runs the commands of a page.
func (m *manual) run(t *testing.T, name string) {
	page, err := doctest.ReadPage("../../..", name)
	require.NoError(t, err)
	folder := filepath.Join(t.TempDir(), "data")
	require.NoError(t, os.Mkdir(folder, 0o700))
	// so that a command that hangs is named
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	shell, err := doctest.NewShell(
		ctx,
		folder,
		m.environment,
		filepath.Join(t.TempDir(), "printed"),
	)
	require.NoError(t, err)
	defer shell.Close()
	m.prepare(t, page, folder, shell)

	changed := false
	for i, c := range page.Commands {
		if _, listed := doctest.NotRun(c); listed {
			continue
		}
		if c.Kind == "cql" {
			if name == securityPage {
				asAdmin(t, c.Text)
			} else {
				exec(t, c.Text)
			}
			continue
		}
		printed, status, err := shell.Run(m.here.Replace(c.Text))
		require.NoError(t, err, "%s: %s\n%s", c.At(), c.Text, printed)
		printed = m.there.Replace(strings.ReplaceAll(printed, folder, "/data"))
		if asked := i+1 < len(page.Commands) && page.Commands[i+1].Text == "echo $?"; !asked {
			require.Zero(t, status, "%s: %s\n%s", c.At(), c.Text, printed)
		}
		if c.Kind != "console" {
			continue
		}
		lines := doctest.Lines(printed)
		if err := doctest.Compare(c.Shown, lines); err != nil {
			if !*update {
				require.NoError(t, err, "%s: %s\n%s", c.At(), c.Text, printed)
			}
			page.Show(i, lines)
			changed = true
		}
	}
	if changed {
		require.NoError(
			t,
			os.WriteFile(
				filepath.Join("../../..", name),
				[]byte(strings.Join(page.Lines, "\n")),
				0o600,
			),
		)
	}
}

// prepare lays out what the page needs besides, where it needs anything.
func (m *manual) prepare(t *testing.T, page *doctest.Page, folder string, shell *doctest.Shell) {
	t.Helper()
	name := strings.TrimSuffix(filepath.Base(page.Name), ".md")
	archive, err := txtar.ParseFile("testdata/manual/" + name + ".txtar")
	if errors.Is(err, os.ErrNotExist) {
		return
	}
	require.NoError(t, err)
	for _, f := range archive.Files {
		path := filepath.Join(folder, filepath.FromSlash(f.Name))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(t, os.WriteFile(path, f.Data, 0o600))
	}
	if page.Name == securityPage {
		asAdmin(t, "DROP ROLE IF EXISTS scanner", "DROP ROLE IF EXISTS loader")
		asAdmin(t, statements(t, "demo.cql")...)
		asAdmin(t, statements(t, "flights.cql")...)
	}
	printed, status, err := shell.Run(
		"set -e\n" + m.here.Replace(string(archive.Comment)) + "\nset +e",
	)
	require.NoError(t, err, printed)
	require.Zero(t, status, printed)
}
