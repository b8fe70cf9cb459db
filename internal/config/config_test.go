package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/spec/setting"
)

// settings are the flags of a command of the tests.
type settings struct {
	flags    *pflag.FlagSet
	port     int
	rate     float64
	timeout  time.Duration
	header   bool
	user     string
	password string
	hosts    []string
	file     string
	seed     uint64
	mode     setting.Mode
	read     File // what apply gave
}

func newSettings() *settings {
	s := &settings{flags: pflag.NewFlagSet("load", pflag.ContinueOnError)}
	s.flags.String(FileFlag, "", "")
	s.flags.Bool("help", false, "")
	s.flags.IntVar(&s.port, "port", 9042, "")
	s.flags.Float64Var(&s.rate, "ingestrate", 0, "")
	s.flags.DurationVar(&s.timeout, "timeout", time.Second, "")
	s.flags.BoolVar(&s.header, "header", true, "")
	s.flags.StringVar(&s.user, "user", "", "")
	s.flags.StringVar(&s.password, "password", "", "")
	s.flags.StringSliceVar(&s.hosts, "hosts", []string{"127.0.0.1"}, "")
	s.flags.StringVar(&s.file, "password-file", "", "")
	s.flags.Uint64Var(&s.seed, "seed", 0, "")
	s.flags.Var(&s.mode, "mode", "")
	return s
}

// apply runs Apply for the command load in a folder of its own, with a
// configuration file in the working directory unless it is empty.
func (s *settings) apply(t *testing.T, file string, env map[string]string, args ...string) error {
	t.Helper()
	dir := t.TempDir()
	t.Chdir(dir)
	t.Setenv("HOME", dir)
	t.Setenv("XDG_CONFIG_HOME", filepath.Join(dir, "config"))
	if file != "" {
		require.NoError(t, os.WriteFile("cqlbulk.yaml", []byte(file), 0o600))
	}
	for k, v := range env {
		t.Setenv(k, v)
	}
	require.NoError(t, s.flags.Parse(args))
	var err error
	s.read, err = Apply("load", "", s.flags, s.settings(), []string{"load", "scan"})
	return err
}

// settings are the names of all commands: those of load, and one of scan.
func (s *settings) settings() []string {
	names := []string{"output"}
	s.flags.VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	return names
}

func TestLaterHomesWin(t *testing.T) {
	const file = "port: 1\n"
	const section = "port: 1\nload:\n  port: 2\nscan:\n  port: 99\n"
	env := map[string]string{"CQLBULK_PORT": "3"}
	for _, tc := range []struct {
		name string
		file string
		env  map[string]string
		args []string
		want int
	}{
		{"default", "", nil, nil, 9042},
		{"file", file, nil, nil, 1},
		{"section of the command", section, nil, nil, 2},
		{"section of another command", "scan:\n  port: 99\n", nil, nil, 9042},
		{"environment", section, env, nil, 3},
		{"environment without a file", "", env, nil, 3},
		{"empty environment variable", file, map[string]string{"CQLBULK_PORT": ""}, nil, 1},
		{"flag", section, env, []string{"--port", "4"}, 4},
		{"flag that says the default", section, env, []string{"--port", "9042"}, 9042},
		{"names in upper case", "PORT: 5\n", nil, nil, 5},
		{"empty section", "port: 1\nload:\n", nil, nil, 1},
		{"empty setting", "port:\n", nil, nil, 9042},
		{"empty file", "# nothing\n", nil, nil, 9042},
		{"variable of another command", section, map[string]string{"CQLBULK_OUTPUT": "x"}, nil, 2},
		{"empty variable that no command knows", section, map[string]string{"CQLBULK_PROT": ""}, nil, 2},
		{"variable of the tests", section, map[string]string{"CQLBULK_TEST_PROT": "x"}, nil, 2},
		{"JSON is YAML", `{"port": 6}`, nil, nil, 6},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := newSettings()
			require.NoError(t, s.apply(t, tc.file, tc.env, tc.args...))
			require.Equal(t, tc.want, s.port)
			require.Equal(
				t,
				len(tc.args) > 0,
				s.flags.Changed("port"),
				"only what was typed counts as changed",
			)
		})
	}
}

func TestTypes(t *testing.T) {
	s := newSettings()
	require.NoError(t, s.apply(t, `
ingestrate: 1.5e6
timeout: 1m30s
header: false
user: "007"
password-file: a b
hosts: [a, "b,c", 10.0.0.1]
seed: 18446744073709551615
`, nil))
	require.InDelta(t, 1.5e6, s.rate, 0)
	require.Equal(t, 90*time.Second, s.timeout)
	require.False(t, s.header)
	require.Equal(t, "007", s.user)
	require.Equal(t, "a b", s.file)
	require.Equal(t, []string{"a", "b,c", "10.0.0.1"}, s.hosts)
	require.EqualValues(t, uint64(1<<64-1), s.seed)

	s = newSettings()
	require.NoError(t, s.apply(t, "", map[string]string{
		"CQLBULK_INGESTRATE":    "50000",
		"CQLBULK_TIMEOUT":       "5s",
		"CQLBULK_HEADER":        "false",
		"CQLBULK_USER":          "007",
		"CQLBULK_PASSWORD_FILE": "/run/secret",
		"CQLBULK_PASSWORD":      " p=,#:'\" ",
	}))
	require.InDelta(t, 50000, s.rate, 0)
	require.Equal(t, 5*time.Second, s.timeout)
	require.False(t, s.header)
	require.Equal(t, "007", s.user)
	require.Equal(t, "/run/secret", s.file)
	require.Equal(t, " p=,#:'\" ", s.password)
}

func TestLists(t *testing.T) {
	for _, tc := range []struct {
		name string
		file string
		env  map[string]string
		args []string
		want []string
	}{
		{"default", "", nil, nil, []string{"127.0.0.1"}},
		{"list in the file", "hosts:\n  - a\n  - b\n", nil, nil, []string{"a", "b"}},
		{"text in the file", "hosts: a,b\n", nil, nil, []string{"a", "b"}},
		{"one in the file", "hosts: a\n", nil, nil, []string{"a"}},
		{"empty list", "hosts: []\n", nil, nil, []string{}},
		{"empty text", "hosts: \"\"\n", nil, nil, []string{}},
		{"environment", "hosts: [x]\n", map[string]string{"CQLBULK_HOSTS": "a,b"}, nil, []string{"a", "b"}},
		{"environment, one", "", map[string]string{"CQLBULK_HOSTS": "a"}, nil, []string{"a"}},
		{"environment, quoted as in a flag", "", map[string]string{"CQLBULK_HOSTS": `"a,b",c`}, nil, []string{"a,b", "c"}},
		{"flag", "hosts: [x]\n", map[string]string{"CQLBULK_HOSTS": "y"}, []string{"--hosts", "a", "--hosts", "b,c"}, []string{"a", "b", "c"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := newSettings()
			require.NoError(t, s.apply(t, tc.file, tc.env, tc.args...))
			require.Equal(t, tc.want, s.hosts)
		})
	}
}

func TestErrors(t *testing.T) {
	for _, tc := range []struct {
		name string
		file string
		env  map[string]string
		want string
	}{
		{"unknown setting", "prot: 1\n", nil, `configuration file cqlbulk.yaml: unknown setting "prot"; did you mean "port"?`},
		{"unknown settings", "b: 1\na: 1\nport: 1\n", nil, "configuration file cqlbulk.yaml: unknown setting \"a\"\nconfiguration file cqlbulk.yaml: unknown setting \"b\""},
		{"unknown setting in a section", "load:\n  prot: 1\n", nil, `configuration file cqlbulk.yaml: unknown setting "load.prot"; did you mean "port"?`},
		{"unknown setting in another section", "scan:\n  prot: 1\n", nil, `configuration file cqlbulk.yaml: unknown setting "scan.prot"; did you mean "port"?`},
		{"setting of another command in the section", "load:\n  output: x\n", nil, `configuration file cqlbulk.yaml: unknown setting "load.output"`},
		{"unknown section", "laod:\n  port: 1\n", nil, `configuration file cqlbulk.yaml: unknown setting "laod.port"; did you mean "load"?`},
		{"section that is none", "load: 5\n", nil, `configuration file cqlbulk.yaml: unknown setting "load"`},
		{"settings below a setting", "user:\n  a: 1\n", nil, `configuration file cqlbulk.yaml: setting "user": other settings where a value is expected`},
		{"settings below a setting in a section", "load:\n  user:\n    a: 1\n", nil, `configuration file cqlbulk.yaml: setting "user": other settings where a value is expected`},
		{"bad number", "port: many\n", nil, `setting port from cqlbulk.yaml: strconv.ParseInt: parsing "many": invalid syntax`},
		{"bad number in the environment", "port: 1\n", map[string]string{"CQLBULK_PORT": "many"}, `setting port from CQLBULK_PORT: strconv.ParseInt: parsing "many": invalid syntax`},
		{"bad number, empty variable", "port: many\n", map[string]string{"CQLBULK_PORT": ""}, `setting port from cqlbulk.yaml: strconv.ParseInt: parsing "many": invalid syntax`},
		{"two bad values", "port: many\nheader: maybe\n", nil,
			"setting header from cqlbulk.yaml: strconv.ParseBool: parsing \"maybe\": invalid syntax\nsetting port from cqlbulk.yaml: strconv.ParseInt: parsing \"many\": invalid syntax"},
		{"list for one value", "port: [1, 2]\n", nil, `setting port from cqlbulk.yaml: a list where one value is expected`},
		{"list for a text", "user: [a]\n", nil, `setting user from cqlbulk.yaml: a list where one value is expected`},
		{"list of lists", "hosts: [[a]]\n", nil, `setting hosts from cqlbulk.yaml: element 1: put the text in quotes, else YAML reads it as something else`},
		{"number in a list of texts", "hosts: [a, 010]\n", nil, `setting hosts from cqlbulk.yaml: element 2: put the text in quotes, else YAML reads it as something else`},
		{"number for a list of texts", "hosts: 010\n", nil, `setting hosts from cqlbulk.yaml: put the text in quotes, else YAML reads it as something else`},
		{"broken", "port: 1\n  x: [\n", nil, `configuration file cqlbulk.yaml: `},
		{"not settings", "just words\n", nil, `configuration file cqlbulk.yaml: not a list of settings, each a line of "name: value"`},
		{"tab", "load:\n\tport: 1\n", nil, `configuration file cqlbulk.yaml: `},
		{"mode that YAML reads as a number", "mode: 0640\n", nil, `setting mode from cqlbulk.yaml: put the text in quotes, else YAML reads it as something else`},
		{"text that YAML reads as a number", "user: 007\n", nil, `setting user from cqlbulk.yaml: put the text in quotes, else YAML reads it as something else`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			err := newSettings().apply(t, tc.file, tc.env)
			require.Error(t, err)
			if strings.HasSuffix(tc.want, ": ") {
				require.ErrorContains(t, err, tc.want)
			} else {
				require.EqualError(t, err, tc.want)
			}
		})
	}
}

// The error for a variable that no command knows names the nearest known one, and never the
// variable's value.
func TestUnknownVariables(t *testing.T) {
	for name, hint := range map[string]string{
		"CQLBULK_PASWORD": `; did you mean CQLBULK_PASSWORD?`, "CQLBULK_HOST": `; did you mean CQLBULK_HOSTS?`,
		"CQLBULK_hosts": `; did you mean CQLBULK_HOSTS?`, "CQLBULK_PASSWORD-FILE": `; did you mean CQLBULK_PASSWORD_FILE?`,
		"CQLBULK_OUTPT": `; did you mean CQLBULK_OUTPUT?`, "CQLBULK_XYZZY": "", "CQLBULK_LOAD": "", "CQLBULK_": "", "CQLBULK_TEST": "",
	} {
		t.Run(name, func(t *testing.T) {
			err := newSettings().apply(t, "load:\n  port: 1\n", map[string]string{name: "s3cret"})
			require.EqualError(t, err, "unknown environment variable "+name+hint)
		})
	}
	err := newSettings().apply(t, "prot: 1\n", map[string]string{"CQLBULK_PROT": "1", "CQLBULK_HOST": "a"})
	require.EqualError(
		t,
		err,
		"unknown environment variable CQLBULK_HOST; did you mean CQLBULK_HOSTS?\n"+
			"unknown environment variable CQLBULK_PROT; did you mean CQLBULK_PORT?\nconfiguration file cqlbulk.yaml: unknown setting \"prot\"; did you mean \"port\"?",
	)
}

// Whatever is wrong with the file, what is in it is not shown.
func TestSecretsAreNotShown(t *testing.T) {
	for _, file := range []string{
		"s3cret\n", "password=s3cret\n", "password: [s3cret]\n", "password: {s3cret: 1\n", "password: *s3cret\n", "password: s3cret: x\n",
		"- s3cret\n", "password: \"s3cret\n", "password: !!int s3cret\n", "password: 's3cret' x\n", "password:\n\ts3cret\n", "password: %s3cret\n",
		"password: !s3cret\n  - a\n", "password: @s3cret\n", "port: 1\ns3cret\n", "password: 1\npassword: s3cret\n", "password: !!float s3cret\n",
		"password: {s3cret: 1}\n", "load:\n  password: {s3cret: 1}\n", "password: !!int s3c`ret\n", "<<: s3cret\n",
	} {
		t.Run(file, func(t *testing.T) {
			err := newSettings().apply(t, file, nil)
			require.Error(t, err)
			require.NotContains(t, err.Error(), "s3cret")
			require.ErrorContains(t, err, "cqlbulk.yaml")
		})
	}
}

func TestNamedFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "other.conf")
	require.NoError(t, os.WriteFile(path, []byte("port: 7\n"), 0o600))
	s := newSettings()
	require.NoError(t, s.apply(t, "port: 1\nuser: left-out\n", nil, "--config", path))
	require.Equal(t, 7, s.port)
	require.Empty(t, s.user, "the usual places do not count")

	s = newSettings()
	require.NoError(t, s.apply(t, "port: 1\n", map[string]string{"CQLBULK_CONFIG": path}))
	require.Equal(t, 7, s.port)

	gone := filepath.Join(dir, "gone.yaml")
	err := newSettings().apply(t, "port: 1\n", nil, "--config", gone)
	require.EqualError(t, err, "configuration file "+gone+": file does not exist")
	require.ErrorIs(t, err, os.ErrNotExist)
	err = newSettings().apply(t, "", map[string]string{"CQLBULK_CONFIG": gone})
	require.ErrorIs(t, err, os.ErrNotExist)
	err = newSettings().apply(t, "", nil, "--config", dir)
	require.ErrorContains(t, err, "configuration file "+dir+": ")
	require.ErrorContains(t, err, "is a directory")
}

func TestWhatTheFileHolds(t *testing.T) {
	env := map[string]string{"CQLBULK_PORT": "7"}
	s := newSettings()
	require.NoError(
		t,
		s.apply(t, "user: u\nload:\n  ingestrate: 5\nscan:\n  password: hunter2\n", env),
	)
	require.Equal(t, "cqlbulk.yaml", s.read.Path)
	for name, want := range map[string]bool{"user": true, "ingestrate": true, "password": true, "port": false, "word": false, "load": false} {
		require.Equal(t, want, s.read.Has(name), name)
	}
	require.Empty(t, s.password, "that of another command")
	s = newSettings()
	require.NoError(t, s.apply(t, "", env))
	require.Empty(t, s.read.Path)
	require.False(t, s.read.Has("port"))
}

func TestUsualPlaces(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("XDG_CONFIG_HOME", dir)
	places := Places()
	require.Equal(t, "cqlbulk.yaml", places[0])
	require.Equal(t, "/etc/cqlbulk/cqlbulk.yaml", places[len(places)-1])
	home, err := os.UserConfigDir()
	require.NoError(t, err)
	require.Equal(t, filepath.Join(home, "cqlbulk", "cqlbulk.yaml"), places[1])

	t.Chdir(t.TempDir())
	t.Setenv("HOME", dir)
	require.NoError(t, os.MkdirAll(filepath.Dir(Places()[1]), 0o700))
	require.NoError(t, os.WriteFile(Places()[1], []byte("port: 8\n"), 0o600))
	s := newSettings()
	file, err := Apply("load", "", s.flags, s.settings(), nil)
	require.NoError(t, err)
	require.Equal(t, 8, s.port)
	require.Equal(t, places[1], file.Path)
}

func TestEnvName(t *testing.T) {
	require.Equal(t, "CQLBULK_PASSWORD_FILE", EnvName("password-file"))
	require.Equal(t, "CQLBULK_HOSTS", EnvName("hosts"))
}

// A section may be called as a flag of other commands is: it is no value of that.
func TestASectionCalledLikeAFlag(t *testing.T) {
	t.Chdir(t.TempDir())
	settings, commands := []string{"config", "output", "report"}, []string{"load", "report"}
	apply := func(text string) (string, File) {
		require.NoError(t, os.WriteFile("cqlbulk.yaml", []byte(text), 0o600))
		flags := pflag.NewFlagSet("load", pflag.ContinueOnError)
		flags.String(FileFlag, "", "")
		value := flags.String("report", "", "")
		file, err := Apply("load", "", flags, settings, commands)
		require.NoError(t, err)
		return *value, file
	}
	value, file := apply("report:\n  output: r.html\n")
	require.Empty(t, value)
	require.Equal(t, Origin{From: FromDefault}, file.Origin("report"))
	value, file = apply("report:\n  output: r.html\nload:\n  # of each load\n  report: l.html\n")
	require.Equal(t, "l.html", value)
	require.Equal(t, Origin{From: FromFile, Path: "cqlbulk.yaml", Line: 5}, file.Origin("report"))
}
