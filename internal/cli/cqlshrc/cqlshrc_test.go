package cqlshrc

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/config"
	"github.com/cqlbulk/cqlbulk/internal/spec"
	"github.com/cqlbulk/cqlbulk/pkg/cqlparse/copystmt"
)

// home makes a home with a cqlshrc and other files, without cqlsh's variables. It returns the home.
func home(t *testing.T, cqlshrc string, others map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	t.Setenv("HOME", dir)
	for _, name := range []string{"CQLSH_HOST", "CQLSH_PORT", "SSL_CERTFILE", "SSL_VALIDATE"} {
		t.Setenv(name, "")
	}
	require.NoError(t, os.Mkdir(filepath.Join(dir, ".cassandra"), 0o700))
	write := func(name, text string) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	if cqlshrc != "" {
		write(".cassandra/cqlshrc", cqlshrc)
	}
	for name, text := range others {
		write(name, text)
	}
	return dir
}

// testdata returns the text of a file of testdata.
func testdata(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name))
	require.NoError(t, err)
	return string(text)
}

// connect returns how cqlsh connects by the files of the home, as one line. ~ stands for the home.
func connect(t *testing.T, chosen map[string]string) (string, Connection, error) {
	t.Helper()
	f, err := Find("")
	require.NoError(t, err)
	c, err := f.Connection(func(flag string) (string, bool) {
		value, ok := chosen[flag]
		return value, ok
	})
	var words []string
	for _, s := range c.Settings {
		words = append(words, s.Flag+"="+s.Value)
	}
	if c.Password != "" {
		words = append(words, "password="+c.Password)
	}
	return strings.ReplaceAll(strings.Join(words, " "), os.Getenv("HOME"), "~"), c, err
}

func TestConnection(t *testing.T) {
	const secured = "[connection]\nssl = yes\n"
	for _, tc := range []struct {
		name    string
		cqlshrc string
		others  map[string]string // by name, in the home
		env     map[string]string
		chosen  map[string]string
		want    string
	}{
		{name: "nothing", want: ""},
		{
			name:    "host and port",
			cqlshrc: "[connection]\nHostName: db%%1\nport = 9142\n",
			want:    "hosts=db%1 port=9142",
		},
		{
			name:    "empty values",
			cqlshrc: "[connection]\nhostname =\nport =\nssl =\n[authentication]\nusername =\n",
			want:    "",
		},
		{
			name:    "cqlsh's environment",
			cqlshrc: "[connection]\nhostname = a\nport = 1\n",
			env:     map[string]string{"CQLSH_HOST": "b", "CQLSH_PORT": " 2"},
			want:    "hosts=b port=2",
		},
		{
			name:    "flags win",
			cqlshrc: "[connection]\nhostname = a\nport = 1\nssl = true\n[authentication]\nusername = joe\npassword = secret\n",
			chosen:  map[string]string{"hosts": "b", "port": "2", "ssl": "false", "user": "joe"},
			want:    "password=secret",
		},
		{
			name:    "no certificates without ssl",
			cqlshrc: "[ssl]\ncertfile = ca\nvalidate = false\nusercert = c\nuserkey = k\n",
			want:    "",
		},
		{
			name:    "certificates",
			cqlshrc: secured + "[ssl]\ncertfile = ~/ca\nvalidate = TRUE\nusercert = ~/c\nuserkey = k\n",
			want:    "ssl=true cacert=~/ca cert=~/c key=k",
		},
		{
			name:    "ssl by a flag",
			cqlshrc: "[ssl]\ncertfile = ca\n",
			chosen:  map[string]string{"ssl": "true"},
			want:    "cacert=ca",
		},
		{
			name:    "no validation",
			cqlshrc: secured + "[ssl]\ncertfile = ca\nvalidate = False\n",
			want:    "ssl=true ssl-insecure-skip-verify=true",
		},
		{
			name:    "only false turns validation off",
			cqlshrc: secured + "[ssl]\nvalidate = no\n",
			want:    "ssl=true",
		},
		{
			name:    "a flag with authorities turns validation on",
			cqlshrc: secured + "[ssl]\nvalidate = false\n",
			chosen:  map[string]string{"cacert": "mine"},
			want:    "ssl=true",
		},
		{
			name:    "a flag turns validation off",
			cqlshrc: secured + "[ssl]\ncertfile = ca\n",
			chosen:  map[string]string{"ssl-insecure-skip-verify": "true"},
			want:    "ssl=true",
		},
		{
			name:    "a certificate by a flag has its own key",
			cqlshrc: secured + "[ssl]\nusercert = c\nuserkey = k\n",
			chosen:  map[string]string{"cert": "mine"},
			want:    "ssl=true",
		},
		{
			name:    "authorities of the host",
			cqlshrc: "[connection]\nhostname = Db1\nssl = on\n[ssl]\ncertfile = ca\n[certfiles]\ndb1 = one\n",
			want:    "hosts=Db1 ssl=true cacert=one",
		},
		{
			name:    "authorities of the host of a flag",
			cqlshrc: secured + "[certfiles]\ndb2 = two\n",
			chosen:  map[string]string{"hosts": "db2:9042"},
			want:    "ssl=true cacert=two",
		},
		{
			name:    "the environment of ssl",
			cqlshrc: secured + "[ssl]\nvalidate = false\n[certfiles]\n127.0.0.1 = one\n",
			env:     map[string]string{"SSL_VALIDATE": "true", "SSL_CERTFILE": "~/env"},
			want:    "ssl=true cacert=~/env",
		},
		{
			name:    "login",
			cqlshrc: "[authentication]\nusername = a%%b\npassword = c%%d %(e)s ; f\n",
			want:    "user=a%b password=c%%d %(e)s ; f",
		},
		{
			name:    "a password without a user",
			cqlshrc: "[authentication]\npassword = secret\n",
			want:    "",
		},
		{
			name:    "a password for the user of a flag",
			cqlshrc: "[authentication]\npassword = secret\n",
			chosen:  map[string]string{"user": "joe"},
			want:    "password=secret",
		},
		{
			name:    "no password of another user",
			cqlshrc: "[authentication]\nusername = joe\npassword = secret\n",
			chosen:  map[string]string{"user": "bob"},
			want:    "",
		},
		{
			name:    "a password by a flag",
			cqlshrc: "[authentication]\nusername = joe\npassword = secret\n",
			chosen:  map[string]string{"password-file": "f"},
			want:    "user=joe",
		},
		{
			name:   "credentials without a cqlshrc",
			others: map[string]string{".cassandra/credentials": "[plain_text_auth]\nusername = joe\npassword = 5%\n"},
			want:   "user=joe password=5%",
		},
		{
			name:    "credentials win",
			cqlshrc: "[authentication]\nusername = joe\npassword = old\ncredentials = ~/mine\n",
			others:  map[string]string{"mine": "[plain_text_auth]\npassword = new\n"},
			want:    "user=joe password=new",
		},
		{
			name:    "provider",
			cqlshrc: "[auth_provider]\nmodule = cassandra.auth\nclassname = PlainTextAuthProvider\nusername = joe\npassword = a%%b\n",
			want:    "user=joe password=a%b",
		},
		{
			name:    "credentials of the provider",
			cqlshrc: "[auth_provider]\nusername = joe\npassword = old\n",
			others:  map[string]string{".cassandra/credentials": "[PlainTextAuthProvider]\npassword = 5%\n"},
			want:    "user=joe password=5%",
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			home(t, tc.cqlshrc, tc.others)
			for name, text := range tc.env {
				t.Setenv(name, text)
			}
			got, c, err := connect(t, tc.chosen)
			require.NoError(t, err)
			require.Equal(t, tc.want, got)
			require.Empty(t, c.Notes)
		})
	}
}

func TestConnectionNotes(t *testing.T) {
	dir := home(t, testdata(t, "notes"), nil)
	got, c, err := connect(t, nil)
	require.NoError(t, err)
	require.Equal(t, "hosts=db1 ssl=true cacert=one user=joe", got)
	rc := dir + "/.cassandra/cqlshrc"
	require.Equal(t, config.Origin{From: config.FromFile, Path: rc, Line: 11}, c.Settings[2].Origin)
	require.Equal(t, []string{
		rc + ":4: [connection]: timeout = 10 is not done: connections have the time limit of --timeout",
		rc + ":5: [connection]: request_timeout = 20 is not done: requests of COPY have that of REQUESTTIMEOUT or PAGETIMEOUT",
		rc + ":7: [protocol]: version = 4 is not done: the highest version that the cluster has is used",
		rc + ":12: [certfiles]: db2 = two is not done: --cacert has the authorities of all nodes",
		rc + ":9: [ssl]: version = TLSv1 is not done: it is negotiated, as with cqlsh",
		rc + ":15: [authentication]: credentials: gone does not exist",
		rc + ":18: [auth_provider]: classname = Kerberos is not done: cqlbulk logs in with a user and a password",
	}, c.Notes)
	require.Equal(t, []string{
		rc + ": [connection], [protocol], [certfiles], [ssl], [authentication], [auth_provider]",
	}, c.Read)

	credentials := filepath.Join(home(t, "", map[string]string{
		".cassandra/credentials": "broken",
	}), ".cassandra/credentials")
	require.NoError(t, os.Chmod(credentials, 0o640))
	got, c, err = connect(t, nil)
	require.NoError(t, err)
	require.Empty(t, got)
	require.Equal(t, []string{
		credentials + " is not used: it must belong to you, and others must not read it (chmod 600)",
	}, c.Notes)
	require.Empty(t, c.Read)
}

// An error has the file and the line, and no password.
func TestConnectionErrors(t *testing.T) {
	for cqlshrc, want := range map[string]string{
		"[connection]\nport = x":                                           `FILE:2: [connection]: port = "x": must be a whole number`,
		"[connection]\n\nssl = maybe":                                      `FILE:3: [connection]: ssl = "maybe": must be true or false`,
		"[connection]\nhostname = 5%":                                      `FILE:2: [connection]: hostname: a percent sign must be %%, or begin a reference such as %(name)s`,
		"[authentication]\nusername = %(x)s":                               `FILE:2: [authentication]: username: %(x)s: section [authentication] has no such option`,
		"[auth_provider]\nusername = joe\npassword = a%(secret)s":          `FILE:3: [auth_provider]: password: a percent sign must be %%`,
		"[authentication]\ncredentials = ~/.cassandra/c\nusername = %%joe": `CREDENTIALS:2: neither [section] nor name = value`,
	} {
		dir := home(t, cqlshrc, map[string]string{".cassandra/c": "[plain_text_auth]\nsecret\n"})
		_, _, err := connect(t, nil)
		want = strings.Replace(want, "FILE", dir+"/.cassandra/cqlshrc", 1)
		require.EqualError(t, err, strings.Replace(want, "CREDENTIALS", dir+"/.cassandra/c", 1))
	}
	home(t, "", nil)
	t.Setenv("CQLSH_HOST", "db1")
	_, c, err := connect(t, nil)
	require.NoError(t, err)
	require.Equal(t, []string{"the environment: CQLSH_HOST"}, c.Read)
	t.Setenv("CQLSH_PORT", "many")
	_, _, err = connect(t, nil)
	require.EqualError(t, err, `environment: CQLSH_PORT = "many": must be a whole number`)
}

func TestFind(t *testing.T) {
	dir := home(t, "[connection]\nhostname = new", map[string]string{
		".cqlshrc":    "[connection]\nhostname = old",
		"other":       "[connection]\nhostname = other",
		"credentials": "[plain_text_auth]\nusername = joe",
	})
	t.Setenv("CQLSH_PORT", "1")
	found := func(path string) string {
		f, err := Find(path)
		require.NoError(t, err)
		c, err := f.Connection(func(string) (string, bool) { return "", false })
		require.NoError(t, err)
		var words []string
		for _, s := range c.Settings {
			words = append(words, s.Value)
		}
		return strings.Join(words, " ")
	}
	require.Equal(t, "new 1", found(""))
	require.Equal(t, "other 1 joe", found(filepath.Join(dir, "other")), "credentials are beside it")
	require.Equal(t, "other 1 joe", found("~/other"))
	require.Empty(t, found(None))
	require.NoError(t, os.Remove(filepath.Join(dir, ".cassandra/cqlshrc")))
	require.Equal(t, "old 1", found(""))
	require.NoError(t, os.Remove(filepath.Join(dir, ".cqlshrc")))
	require.Equal(t, "1", found(""))

	_, err := Find("~/gone")
	require.ErrorIs(t, err, fs.ErrNotExist)
	require.ErrorContains(t, err, dir+"/gone")
	require.NoError(t, os.Mkdir(filepath.Join(dir, ".cqlshrc"), 0o700))
	_, err = Find("")
	require.ErrorContains(t, err, dir+"/.cqlshrc: is a directory")
	require.NoError(t, os.Unsetenv("HOME"))
	require.Equal(t, "1", found(""))
}

// A broken file is shown with its line, unless that may have a password.
func TestOpenBrokenFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "rc")
	for text, want := range map[string]string{
		"[copy]\nheader true":                     `rc:2: "header true": neither [section] nor name = value`,
		"header = true":                           `rc:1: "header = true": a section such as [copy] must come before it`,
		"PASSWORD = s3cret":                       `rc:1: a section such as [copy] must come before it`,
		"[authentication]\ns3cret":                `rc:2: neither [section] nor name = value`,
		"[plain_text_auth]\ns3cret":               `rc:2: neither [section] nor name = value`,
		"[auth_provider]\ns3cret":                 `rc:2: neither [section] nor name = value`,
		"[copy]\n; " + strings.Repeat("x", 1<<20): `rc: longer than 1MiB, so it is no cqlshrc`,
	} {
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		_, err := Open(path)
		require.EqualError(t, err, filepath.Dir(path)+"/"+want)
	}
}

func TestCopyOptions(t *testing.T) {
	path := filepath.Join(t.TempDir(), "rc")
	require.NoError(t, os.WriteFile(path, []byte(testdata(t, "copy")), 0o600))
	f, err := Open(path)
	require.NoError(t, err)
	table := spec.TableName{Keyspace: "ks", Table: "T"}
	at := func(line int) config.Origin {
		return config.Origin{From: config.FromFile, Path: path, Line: line}
	}
	options := f.Copy(copystmt.From, table)
	require.Equal(t, []Option{
		{"ttl", "5", "copy", at(2), true},
		{"null", "%s", "copy", at(6), true},
		{"ttl", "5", "copy-from", at(2), true},
		{"ttl", "6", "copy:ks.T", at(10), true},
		{"ttl", "5", "copy-from:ks.T", at(2), true},
		{"header", "true", "copy-from:ks.T", at(4), false},
	}, options)
	require.Equal(t, path+":10: [copy:ks.T]", options[3].Place())
	require.Equal(t, path+": [copy], [copy-from], [copy:ks.T], [copy-from:ks.T]", f.Read())
	o, ok := f.TimeFormat()
	require.True(t, ok)
	require.Equal(t, Option{"datetimeformat", "%Y %%", "ui", at(15), true}, o)
	require.Equal(t, "[copy], [copy-to], [copy:ks.T], [copy-to:ks.T]", Sections(copystmt.To, table))

	keyspace, err := f.Keyspace()
	require.NoError(t, err)
	require.Empty(t, keyspace)
}
