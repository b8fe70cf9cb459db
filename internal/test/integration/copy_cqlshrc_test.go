//go:build integration

package integration

import (
	_ "embed"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

//go:embed testdata/cqlshrc
var sections string

// configured are the sections of a cqlshrc and of a file of options, and the statement that is
// given to cqlsh and to copy. FILE and OPTIONS stand for paths.
var configured = []struct{ name, sections, options, statement, rows string }{
	{
		name:      "sections",
		sections:  sections,
		statement: "COPY configured (k, v, b) FROM 'FILE' WITH SKIPROWS = '2'",
		rows: "k|v|b\n1|a|ja\n2|b|ja\n3|none ; of no value|nein\n4|'NA'|ja\n" +
			"5|another|nein\n6|other|none ; of no value\n",
	},
	{
		name: "a pattern and another file",
		sections: `[copy]
delimiter = x
[ui]
time_format = %d.%m.%Y %H:%M %%
`,
		options: `[DEFAULT]
null = -
[copy-from]
header = False
[copy-from:guarded.configured]
QUOTE = '
`,
		statement: "COPY Guarded.Configured (k, t, v) FROM 'FILE' WITH CONFIGFILE = 'OPTIONS'",
		rows:      "1,24.12.2020 18:30 %,'it,s'\n2,-,-\n3,2020-01-02 03:04:05+0000,x\n",
	},
}

// TestCopyCqlshrc gives the same cqlshrc to cqlsh and to copy. It has the connection, by TLS, and
// options of COPY; the login is in the file of credentials beside it. The table then has the same
// rows.
func TestCopyCqlshrc(t *testing.T) {
	lengthy(t)
	asAdmin(
		t,
		guarded,
		"CREATE TABLE IF NOT EXISTS guarded.configured (k int PRIMARY KEY, v text, b boolean, t timestamp)",
	)
	for _, tc := range configured {
		t.Run(tc.name, func(t *testing.T) {
			dir := t.TempDir()
			write := func(name, content string) string {
				path := filepath.Join(dir, name)
				require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
				return path
			}
			rc := write("cqlshrc", tc.sections+`
[connection]
hostname = `+authHost()+`
port = `+tlsPort+`
ssl = true
timeout = 60
[ssl]
validate = true
certfile = gone
usercert = `+tlsFile(t, "client.pem")+`
userkey = `+tlsFile(t, "client-key.pem")+`
[certfiles]
`+authHost()+` = `+tlsFile(t, "ca.pem")+`
[authentication]
keyspace = guarded
username = joe
`)
			write("credentials", "[plain_text_auth]\nusername = cassandra\npassword = cassandra\n")
			statement := strings.NewReplacer(
				"FILE'", write("rows.csv", tc.rows)+"'",
				"OPTIONS", write("options", tc.options),
			).Replace(tc.statement)
			rows := func() []string {
				r := cqlbulkOn(t, authHost(), "scan", "guarded.configured",
					"--user", "cassandra", "--password-file", file(t, "password", "cassandra"))
				require.Zero(t, r.code, r.report)
				return sortedLines(t, r.out)
			}

			asAdmin(t, "TRUNCATE guarded.configured")
			said := runCqlsh(t, "--cqlshrc", rc, "-e", statement)
			require.Contains(t, said, "rows imported from 1 files")
			require.NotContains(t, said, "given up")
			theirs := rows()
			require.Greater(t, len(theirs), 2, said)

			asAdmin(t, "TRUNCATE guarded.configured")
			r := cqlbulkOffline(t, "copy", statement, "--cqlshrc", rc)
			require.Zero(t, r.code, r.report)
			require.Contains(t, r.report, "reading options from "+rc+": [authentication], ")
			require.NotContains(t, r.report, "password")
			require.Equal(t, theirs, rows(), "%s\n%s", said, r.report)
		})
	}
}
