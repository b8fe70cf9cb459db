//go:build integration

package integration

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"io/fs"
	"math/big"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/driver"
)

// adminSession connects to the node that asks for passwords.
func adminSession(t *testing.T) *driver.Session {
	t.Helper()
	admin, err := driver.Connect(t.Context(), driver.Config{
		Hosts: []string{authHost()}, User: "cassandra", Password: "cassandra", Timeout: time.Minute,
	})
	require.NoError(t, err)
	return admin
}

// asAdmin runs statements there.
func asAdmin(t *testing.T, stmts ...string) {
	t.Helper()
	admin := adminSession(t)
	defer admin.Close()
	for _, stmt := range stmts {
		require.NoError(t, admin.Exec(t.Context(), stmt), stmt)
	}
}

const guarded = "CREATE KEYSPACE IF NOT EXISTS guarded WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}"

// stranger makes a certificate that no authority signed, and its key.
func stranger(t *testing.T) (cert, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), IsCA: true, BasicConstraintsValid: true,
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private)
	require.NoError(t, err)
	keyDER, err := x509.MarshalPKCS8PrivateKey(private)
	require.NoError(t, err)
	encode := func(kind string, der []byte) string {
		return string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}))
	}
	return file(
			t,
			"cert.pem",
			encode("CERTIFICATE", der),
		), file(
			t,
			"key.pem",
			encode("PRIVATE KEY", keyDER),
		)
}

func TestTLS(t *testing.T) {
	asAdmin(
		t,
		guarded,
		"CREATE TABLE IF NOT EXISTS guarded.secured (k int PRIMARY KEY, v text)",
		"TRUNCATE guarded.secured",
	)
	t.Setenv("CQLBULK_USER", "cassandra")
	t.Setenv("CQLBULK_PASSWORD", "cassandra")
	ca := []string{"--cacert", tlsFile(t, "ca.pem")}
	client := []string{"--cert", tlsFile(t, "client.pem"), "--key", tlsFile(t, "client-key.pem")}
	run := func(args ...string) result { return cqlbulkOn(t, authHost(), args...) }
	secured := slices.Concat([]string{"--port", tlsPort, "--ssl"}, ca, client)

	const rows = "k,v\n1,one\n2,two\n3,three\n"
	// The nodes of a cluster are called after it, and so is its folder.
	name := "node1." + filepath.Base(filepath.Dir(filepath.Dir(ca[1])))
	for _, flags := range [][]string{secured, slices.Concat(secured, []string{"--ssl-server-name", name})} {
		r := run(
			append([]string{"load", "guarded.secured", file(t, "rows.csv", rows)}, flags...)...)
		require.Zero(t, r.code, r.report)
		r = run(append([]string{"scan", "guarded.secured"}, flags...)...)
		require.Zero(t, r.code, r.report)
		require.ElementsMatch(t, strings.Split(rows, "\n"), strings.Split(r.out, "\n"))
		require.NotContains(t, r.report, "WARNING")
	}
	r := run(
		append(
			[]string{
				"count",
				"guarded.secured",
				"--port",
				tlsPort,
				"--ssl",
				"--ssl-insecure-skip-verify",
			},
			client...)...)
	require.Equal(t, "3\n", r.out, r.report)
	require.Equal(t, 1, strings.Count(r.report, "WARNING"))

	strangeCert, strangeKey := stranger(t)
	for _, tc := range []struct {
		name  string
		code  int
		want  string
		flags []string
	}{
		{"no trust", 4, "is of an authority that is not trusted", slices.Concat([]string{"--ssl", "--cacert", strangeCert}, client)},
		{"the system's authorities", 4, "is of an authority that is not trusted", append([]string{"--ssl"}, client...)},
		{"another name", 4, "is not for that node", slices.Concat(secured[2:], []string{"--ssl-server-name", "db.example"})},
		{"no certificate of the client", 4, "wants a certificate of the client: give --cert and --key", append([]string{"--ssl"}, ca...)},
		{"a stranger's certificate", 4, "refused the client's certificate", append([]string{"--ssl", "--cert", strangeCert, "--key", strangeKey}, ca...)},
		{"no TLS", 4, "wants connections secured by TLS: give --ssl", nil},
		{"files alone", 1, "--cacert without --ssl", ca},
		{"half a pair", 1, "the private key to it is missing", slices.Concat([]string{"--ssl"}, ca, client[:2])},
		{"another's key", 1, "does not belong to the certificate of --cert", slices.Concat([]string{"--ssl"}, ca, client[:2], []string{"--key", strangeKey})},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := run(
				append([]string{"count", "guarded.secured", "--port", tlsPort}, tc.flags...)...)
			require.Equal(t, tc.code, r.code, r.report)
			require.Contains(t, r.report, tc.want)
			require.Equal(t, 1, strings.Count(r.report, "\n"), r.report)
		})
	}
	t.Run("a port without TLS", func(t *testing.T) {
		r := run(append([]string{"count", "guarded.secured", "--ssl"}, ca...)...)
		require.Equal(t, 4, r.code, r.report)
		require.Contains(t, r.report, "does not speak TLS: leave --ssl out")
	})
}

// The rights that docs/security.md names are enough. For a role without them, the error names the
// one that it lacks.
func TestLeastRights(t *testing.T) {
	const rows = "k,v\n1,one\n2,two\n"
	asAdmin(
		t,
		guarded,
		"CREATE TABLE IF NOT EXISTS guarded.least (k int PRIMARY KEY, v text)",
		"TRUNCATE guarded.least",
		"CREATE TABLE IF NOT EXISTS guarded.tally (k int PRIMARY KEY, n counter)",
		"TRUNCATE guarded.tally",
		"CREATE ROLE IF NOT EXISTS scanner WITH PASSWORD = 'scanner' AND LOGIN = true",
		"GRANT SELECT ON TABLE guarded.least TO scanner",
		"GRANT SELECT ON TABLE system_views.thread_pools TO scanner",
		"CREATE ROLE IF NOT EXISTS loader WITH PASSWORD = 'loader' AND LOGIN = true",
		"GRANT MODIFY ON TABLE guarded.least TO loader",
		"GRANT MODIFY ON TABLE guarded.tally TO loader",
		"GRANT SELECT ON TABLE system_views.settings TO loader",
		"CREATE ROLE IF NOT EXISTS bare_scanner WITH PASSWORD = 'bare_scanner' AND LOGIN = true",
		"GRANT SELECT ON TABLE guarded.least TO bare_scanner",
		"CREATE ROLE IF NOT EXISTS bare_loader WITH PASSWORD = 'bare_loader' AND LOGIN = true",
		"GRANT MODIFY ON TABLE guarded.least TO bare_loader",
	)
	dir := t.TempDir()
	input := file(t, "rows.csv", rows)
	as := func(role string, args ...string) result {
		t.Setenv("CQLBULK_PASSWORD", role)
		return cqlbulkOn(t, authHost(), append(args, "--user", role)...)
	}
	allowed := func(role string, args ...string) result {
		r := as(role, args...)
		require.Zero(t, r.code, "%s: %v\n%s", role, args, r.report)
		return r
	}
	for _, role := range []string{"loader", "bare_loader"} {
		allowed(role, "load", "guarded.least", input)
		allowed(role, "plan", "guarded.least")
	}
	allowed("loader", "load", "guarded.tally", file(t, "tally.csv", "k,n\n1,2\n"))
	for _, role := range []string{"scanner", "bare_scanner"} {
		require.Equal(t, "2\n", allowed(role, "count", "guarded.least").out)
		out := filepath.Join(dir, role+".csv")
		allowed(role, "scan", "guarded.least", "-o", out, "--target-p99", "10s")
		require.ElementsMatch(t, strings.Split(rows, "\n"), strings.Split(read(t, out), "\n"))
		require.Contains(t, allowed(role, "plan", "guarded.least").out, "guarded.least")
	}
	// What a scan left is verified without the database.
	ok := cqlbulkOffline(
		t,
		"verify",
		filepath.Join(dir, "scanner.csv"),
		filepath.Join(dir, "bare_scanner.csv"),
	)
	require.Zero(t, ok.code, ok.report)

	for _, tc := range []struct {
		role, right string
		args        []string
	}{
		{"loader", "SELECT", []string{"count", "guarded.least"}},
		{"loader", "SELECT", []string{"scan", "guarded.least"}},
		{"loader", "SELECT", []string{"load", "guarded.least", input, "--if-not-exists", "--run-dir", filepath.Join(dir, "run")}},
		{"scanner", "MODIFY", []string{"load", "guarded.least", input, "--run-dir", filepath.Join(dir, "run")}},
		{"scanner", "MODIFY", []string{"load", "guarded.tally", file(t, "tally.csv", "k,n\n1,2\n"), "--run-dir", filepath.Join(dir, "run")}},
	} {
		r := as(tc.role, append(tc.args, "--quiet")...)
		require.Equal(t, 4, r.code, r.report)
		require.Contains(
			t,
			r.report,
			"User "+tc.role+" has no "+tc.right+" permission on <table "+tc.args[1]+">",
		)
		require.Equal(t, 1, strings.Count(r.report, "permission"), "printed once: %s", r.report)
		require.NoDirExists(t, filepath.Join(dir, "run"), "the rows are not to blame")
	}
}

// TestPasswordIsNowhere looks for a password in all that the commands say and leave.
func TestPasswordIsNowhere(t *testing.T) {
	const password = "Xyzzy-4711-plugh"
	asAdmin(
		t,
		guarded,
		"CREATE TABLE IF NOT EXISTS guarded.quiet (k int PRIMARY KEY, v text)",
		"TRUNCATE guarded.quiet",
		"CREATE ROLE IF NOT EXISTS discreet WITH PASSWORD = '"+password+"' AND LOGIN = true",
		"GRANT SELECT ON TABLE guarded.quiet TO discreet",
		"GRANT MODIFY ON TABLE guarded.quiet TO discreet",
	)
	t.Chdir(t.TempDir())
	input := file(t, "rows.csv", "k,v\n1,one\nbad,two\n")
	settings := file(t, "cqlbulk.yaml", "user: discreet\npassword: "+password+"\n")
	secret := file(t, "password", password+"\n")
	ways := [][]string{
		{"--config", settings},
		{"--user", "discreet", "--password-file", secret},
		{"--user", "discreet", "--password", password},
	}
	said := func(code int, args ...string) {
		t.Helper()
		for i, from := range ways {
			if args[0] == "load" {
				from = append(from, "--run-dir", fmt.Sprint("run", i))
			}
			r := cqlbulkOn(t, authHost(), slices.Concat(args, from, []string{"--verbose"})...)
			require.Equal(t, code, r.code, r.report)
			require.NotContains(t, r.out+r.report, password)
		}
	}
	said(2, "load", "guarded.quiet", input)
	said(0, "scan", "guarded.quiet", "-o", "out.csv", "--force")
	said(4, "plan", "guarded.quiet", "--ssl")
	ways = either(ways[2:], ways)
	said(0, "scan", "guarded.quiet", "-d", "out", "--force")
	said(0, "count", "guarded.quiet", "--by", "range")
	said(0, "plan", "guarded.quiet")
	said(1, "scan", "guarded.none")
	said(4, "count", "system_auth.roles")
	said(4, "plan", "guarded.quiet", "--port", tlsPort)
	said(1, "plan", "guarded.quiet", "--dc", "dc9")
	said(1, "plan", "guarded.quiet", "--prot", "1")
	left := 0
	require.NoError(t, filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		left++
		require.NotContains(t, read(t, path), password, path)
		require.NotContains(t, path, password)
		return nil
	}))
	require.Greater(t, left, 6, "outputs, manifests, rejected rows")
}

// TestFilesAreTheOwners: no other user can read what the program makes, not even with an empty
// umask.
func TestFilesAreTheOwners(t *testing.T) {
	table(t, "it2.private", "(k int PRIMARY KEY, v text)")
	dir := t.TempDir()
	t.Chdir(dir)
	input := file(t, "in.csv", "k,v\n1,one\nbad,two\n")
	before := syscall.Umask(0)
	defer syscall.Umask(before)
	require.Equal(t, 2, cqlbulk(t, "load", "it2.private", input).code)
	require.Equal(t, 2, cqlbulk(t, "load", "it2.private", input, "--run-dir", "runs/one").code)
	ok(t, "scan", "it2.private", "-o", "out.csv")
	ok(t, "scan", "it2.private", "-o", "out.csv.gz")
	ok(t, "scan", "it2.private", "-d", "parts/today", "--format", "json")
	seen := make(map[fs.FileMode]int)
	require.NoError(t, filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || path == "." {
			return err
		}
		info, err := d.Info()
		require.NoError(t, err)
		want := fs.FileMode(0o600)
		if d.IsDir() {
			want = 0o700
		}
		require.Equal(t, want, info.Mode().Perm(), path)
		seen[want]++
		return nil
	}))
	require.Equal(
		t,
		5,
		seen[0o700],
		"two run directories, one of them in a folder, and an output in a folder",
	)
	require.GreaterOrEqual(t, seen[0o600], 10, "outputs, manifests, rejected rows and reasons")
}
