package setting

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// all has a field of every type.
type all struct {
	text   string
	on     bool
	number int
	large  int64
	seed   uint64
	rate   float64
	wait   time.Duration
	memory Size
	list   []string
	pairs  map[string]string
	secret string
	file   string
}

func (a *all) settings() List {
	return List{
		{
			Name:  "text",
			Field: &a.text,
		},
		{Name: "on", Field: &a.on},
		{Name: "number", Field: &a.number},
		{Name: "large", Field: &a.large},
		{
			Name:  "seed",
			Field: &a.seed,
		},
		{Name: "rate", Field: &a.rate},
		{Name: "wait", Field: &a.wait},
		{Name: "memory", Field: &a.memory},
		{Name: "list", Field: &a.list},
		{Name: "pairs", Field: &a.pairs},
		{Name: "secret", Field: &a.secret, Use: Private},
		{Name: "file", Field: &a.file, Use: Path},
	}
}

// What is recorded of settings of every type comes back as it was.
func TestRecordAndApply(t *testing.T) {
	was := all{
		text:   `a,"b"`,
		on:     true,
		number: -1,
		large:  1 << 40,
		seed:   1<<64 - 1,
		rate:   1.5e6,
		wait:   90 * time.Second,
		memory: 64 << 20,
		list: []string{
			"a",
			"b,c",
			"",
		},
		pairs:  map[string]string{"x": `a,"=b`, "y": ""},
		secret: "secret",
		file:   "/a/b",
	}
	recorded := was.settings().Record((&all{}).settings(), nil)
	require.NotContains(t, recorded, "secret")
	require.Equal(t, []string{"1m30s"}, recorded["wait"])
	require.Equal(t, []string{"64MiB"}, recorded["memory"])
	require.Equal(t, []string{"1.5e+06"}, recorded["rate"])

	var is all
	given := Given{}
	require.NoError(t, is.settings().Apply(recorded, given))
	was.secret = ""
	require.Equal(t, was, is)
	require.Len(t, given, len(was.settings())-1)
}

// What is as it is by default is recorded when it was chosen.
func TestGivenIsRecorded(t *testing.T) {
	var is, defaults all
	require.Empty(t, is.settings().Record(defaults.settings(), nil))
	always := List{{Name: "text", Field: &is.text, Use: Always}}
	require.Equal(
		t,
		Values{"text": {""}},
		always.Record(List{{Name: "text", Field: &defaults.text}}, nil),
	)
	require.Equal(
		t,
		Values{"rate": {"0"}},
		is.settings().Record(defaults.settings(), Given{"rate": true, "secret": true}),
	)
}

// What was typed replaces what is recorded; what a file or the environment has only
// fills in what is not.
func TestChange(t *testing.T) {
	is := all{text: "was", number: 1}
	recorded := Values{"text": {"was"}, "number": {"1"}}
	given := Given{}
	require.NoError(t, is.settings().Change(recorded, given, Changes{
		Values: Values{
			"text":               {"new"},
			"number":             {"2"},
			"rate":               {"3"},
			"of another command": {"x"},
		},
		Typed: Given{"number": true},
	}))
	require.Equal(t, all{text: "was", number: 2, rate: 3}, is)
	require.Equal(t, Given{"number": true}, given)
}

func TestSetRefuses(t *testing.T) {
	var is all
	for name, c := range map[string]struct {
		texts []string
		want  string
	}{
		"nothing": {[]string{"x"}, "there is no flag --nothing"},
		"number":  {[]string{"many"}, `--number: "many" is no whole number: write it as 5000, 5k or 2M`},
		"text":    {[]string{"a", "b"}, "--text has 2 values"},
		"memory":  {[]string{"much"}, `--memory: "much" is no size: write a number of bytes such as 64MiB`},
		"pairs":   {[]string{"x"}, "--pairs: x must be formatted as key=value"},
	} {
		require.EqualError(t, is.settings().Set(name, c.texts...), c.want)
	}
	require.Equal(t, all{pairs: nil}, is)
}

func TestShellQuote(t *testing.T) {
	require.Equal(t, "a/b-1.csv", ShellQuote("a/b-1.csv"))
	require.Equal(t, "--rows", ShellQuote("--rows"))
	require.Equal(t, "''", ShellQuote(""))
	require.Equal(t, `'it'\''s $x'`, ShellQuote("it's $x"))
}
