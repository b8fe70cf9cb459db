package cqlshcopy

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/cli/cqlshrc"
	"github.com/cqlbulk/cqlbulk/internal/config"
	"github.com/cqlbulk/cqlbulk/pkg/cqlparse/copystmt"
)

// withFiles translates a statement with options of files.
func withFiles(t *testing.T, statement string, ofFiles ...cqlshrc.Option) (*Command, error) {
	t.Helper()
	s, err := copystmt.Parse(statement)
	require.NoError(t, err)
	return Translate(s, "demo", "tombstone", ofFiles...)
}

// at is a line of the file rc.
func at(line int) config.Origin {
	return config.Origin{From: config.FromFile, Path: "rc", Line: line}
}

// Options of files are translated as those of the statement, which win. Notes have the place.
func TestOptionsOfFiles(t *testing.T) {
	for _, tc := range []struct {
		statement string
		ofFiles   []cqlshrc.Option
		want      string
		notes     []string
		origins   map[string]config.Origin
	}{
		{
			"COPY t FROM 'f' WITH CONFIGFILE = 'rc' AND SKIPROWS = 2",
			[]cqlshrc.Option{
				{Name: "header", Value: "TRUE", Section: "copy", Origin: at(1)},
				{Name: "skiprows", Value: "many", Section: "copy", Origin: at(2)},
				{Name: "maxrows", Value: "5", Section: "copy", Origin: at(3)},
				{Name: "maxrows", Value: "7", Section: "copy", Origin: at(4)},
			},
			"cqlbulk load demo.t f --format=csv --dialect=cqlsh --header=true --column-order=cqlsh" +
				" --nulls=tombstone --maxrows=5 --skiprows=2",
			nil,
			map[string]config.Origin{"maxrows": at(4)},
		},
		{
			"COPY t FROM 'f' WITH CHILDTIMEOUT = 1",
			[]cqlshrc.Option{
				{Name: "pagesize", Value: "5", Section: "copy", Origin: at(1), Shared: true},
				{Name: "maxoutputsize", Value: "5", Section: "copy", Origin: at(2)},
				{Name: "null", Value: "'x'", Section: "copy", Origin: at(3)},
				{Name: "chunksize", Value: "5", Section: "copy", Origin: at(4)},
				{Name: "quote", Value: `"`, Section: "copy", Origin: at(5)},
			},
			plainLoad + ` '--null-string='\''x'\''' '--quote="'`,
			[]string{
				"rc:2: [copy]: MAXOUTPUTSIZE = '5' is passed over, as cqlsh does: it has no meaning for COPY FROM",
				"rc:3: [copy]: NULL = '''x''': the quotes are part of the value, as with cqlsh",
				"rc:4: [copy]: CHUNKSIZE = '5' is not done: an input is cut into pieces as memory and processors allow",
				"CHILDTIMEOUT = '1' is not done: there are no child processes",
			},
			map[string]config.Origin{"null-string": at(3), "quote": at(5)},
		},
	} {
		c, err := withFiles(t, tc.statement, tc.ofFiles...)
		require.NoError(t, err)
		require.Equal(t, tc.want, c.CommandLine(nil))
		require.Equal(t, tc.notes, c.Notes)
		require.Equal(t, tc.origins, c.Origins)
	}
}

func TestRefusedOptionsOfFiles(t *testing.T) {
	for _, tc := range []struct {
		option cqlshrc.Option
		want   string
	}{
		{
			cqlshrc.Option{Name: "haeder", Value: "true", Section: "copy", Origin: at(3), Shared: true},
			`rc:3: [copy]: HAEDER = 'true': COPY has no such option; did you mean "HEADER"?`,
		},
		{
			cqlshrc.Option{Name: "password", Value: "s3cret", Section: "copy", Origin: at(3)},
			"rc:3: [copy]: PASSWORD: COPY has no such option",
		},
		{
			cqlshrc.Option{Name: "ttl", Value: "1d", Section: "copy-from", Origin: at(4)},
			"rc:4: [copy-from]: TTL = '1d': must be a whole number",
		},
		{
			cqlshrc.Option{Name: "configfile", Value: "x", Section: "copy", Origin: at(5)},
			"rc:5: [copy]: CONFIGFILE = 'x': a file of options cannot name another one",
		},
	} {
		_, err := withFiles(t, "COPY t FROM 'f' WITH CONFIGFILE = 'rc'", tc.option)
		require.EqualError(t, err, tc.want)
	}
}

// The connection is a part of the command line, without the password.
func TestConnectionInTheCommandLine(t *testing.T) {
	c, err := withFiles(t, "COPY t FROM 'f'")
	require.NoError(t, err)
	c.Connection = cqlshrc.Connection{
		Settings: []cqlshrc.Setting{{Flag: "hosts", Value: "db1"}, {Flag: "user", Value: "it's me"}},
		Password: "secret",
	}
	require.Equal(t, plainLoad+` --hosts=db1 '--user=it'\''s me'`, c.CommandLine(nil))
}
