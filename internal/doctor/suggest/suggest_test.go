package suggest

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/doctor"
	"github.com/cqlbulk/cqlbulk/internal/fault"
	"github.com/cqlbulk/cqlbulk/internal/run/advice"
	"github.com/cqlbulk/cqlbulk/internal/spec"
)

// search returns the search for a load of a file, with checks that look does.
func search(look func(*spec.Load) []doctor.Finding) *Search {
	o := spec.NewLoad()
	o.TableName, o.Inputs = spec.TableName{Keyspace: "shop", Table: "orders"}, []string{"in.csv"}
	return &Search{
		Load:     o,
		Look:     func(context.Context) []doctor.Finding { return look(o) },
		Input:    "in.csv",
		Patience: time.Minute,
	}
}

// run runs a search. It returns the command of the load, which is empty if there is none, and the
// findings as name, state and text.
func run(t *testing.T, s *Search) (command string, findings []string) {
	t.Helper()
	load, err := s.Run(t.Context(), func(f doctor.Finding) {
		findings = append(findings, fmt.Sprintf("%s %s: %s", f.Name, f.State, f.Found))
	})
	require.NoError(t, err)
	return line(load), findings
}

func line(load *advice.Load) string {
	if load == nil {
		return ""
	}
	return load.Line()
}

// propose returns a warning that proposes a setting.
func propose(name string, texts ...string) doctor.Finding {
	f := doctor.Warn("", "%s is needed", name)
	f.Name, f.Settings = "rows", map[string][]string{name: texts}
	return f
}

// with returns a finding of the check of that name.
func with(name string, f doctor.Finding) doctor.Finding {
	f.Name = name
	return f
}

func TestRun(t *testing.T) {
	fine := with("rows", doctor.Fine("all rows fit"))
	wrong := with("times", doctor.Fail("", "other times"))
	wrong.Wrong = true
	const command = "cqlbulk load shop.orders in.csv"
	for _, c := range []struct {
		name     string
		given    func(*spec.Load)
		look     func(*spec.Load) []doctor.Finding
		command  string
		findings []string
	}{
		{
			"nothing is proposed", nil,
			func(*spec.Load) []doctor.Finding { return []doctor.Finding{fine} },
			command, []string{"rows ok: all rows fit"},
		},
		{
			// The second proposal of a round may be a mistake of the first reading.
			"one proposal for each check of the inputs", nil,
			func(o *spec.Load) []doctor.Finding {
				if o.Delimiter == "," {
					return []doctor.Finding{propose("delimiter", ";"), propose("escape", "!")}
				}
				return []doctor.Finding{fine}
			},
			command + " --delimiter ';'", []string{"rows ok: all rows fit"},
		},
		{
			"a text that was given stays", func(o *spec.Load) {
				o.Dialect.Encoding, o.Given["encoding"] = "latin1", true
			},
			func(*spec.Load) []doctor.Finding { return []doctor.Finding{propose("encoding", "utf-8")} },
			command + " --encoding latin1", []string{"rows warning: encoding is needed"},
		},
		{
			"a password is left out", func(o *spec.Load) {
				o.Password, o.Given["password"] = "secret", true
			},
			func(*spec.Load) []doctor.Finding { return nil },
			command, nil,
		},
		{
			"a list that was given grows", func(o *spec.Load) {
				o.Nulls, o.Given["null-string"] = []string{"-"}, true
			},
			func(*spec.Load) []doctor.Finding {
				return []doctor.Finding{propose("null-string", "-", "NA")}
			},
			command + " --null-string=-,NA",
			[]string{
				"rows warning: null-string is needed",
				"nulls warning: read as null in all columns, those of text too: NA",
			},
		},
		{
			"strings of JSON in columns of text stay", func(o *spec.Load) {
				o.Format, o.Given["format"] = "json", true
			},
			func(*spec.Load) []doctor.Finding { return []doctor.Finding{propose("null-string", "NA")} },
			command + " --format json --null-string NA",
			[]string{"rows warning: null-string is needed"},
		},
		{
			"pairs of fields and columns", nil,
			func(*spec.Load) []doctor.Finding { return []doctor.Finding{propose("map", "a=b", "c=d")} },
			command + " --map a=b,c=d", []string{"rows warning: map is needed"},
		},
		{
			"fields that are left out are named, ten at most", nil,
			func(*spec.Load) []doctor.Finding {
				return []doctor.Finding{propose("skipcols", strings.Split("abcdefghijkl", "")...)}
			},
			command + " --skipcols a,b,c,d,e,f,g,h,i,j,k,l",
			[]string{
				"rows warning: skipcols is needed",
				"header warning: left out, since no column has such a name: " +
					"a, b, c, d, e, f, g, h, i, j and 2 more",
			},
		},
		{
			"a guess is reported once", nil,
			func(*spec.Load) []doctor.Finding {
				f := propose("datetimeformat", "%d/%m/%Y")
				f.Guess = "the day is first"
				return []doctor.Finding{f}
			},
			command + " --datetimeformat %d/%m/%Y",
			[]string{"rows warning: the day is first", "rows warning: datetimeformat is needed"},
		},
		{
			"a failure that a load survives", nil,
			func(*spec.Load) []doctor.Finding {
				return []doctor.Finding{with("estimate", doctor.Fail("", "a week"))}
			},
			command, []string{"estimate failure: a week"},
		},
		{
			"a warning about the header", nil,
			func(*spec.Load) []doctor.Finding {
				return []doctor.Finding{with("header", doctor.Warn("", "a field is missing"))}
			},
			command, []string{"header warning: a field is missing"},
		},
		{
			"values that are read as others", nil,
			func(*spec.Load) []doctor.Finding { return []doctor.Finding{wrong} },
			"", []string{"times failure: other times"},
		},
		{
			"a finding without a name is of the inputs, which cannot be read", nil,
			func(*spec.Load) []doctor.Finding { return []doctor.Finding{doctor.Fail("", "no file")} },
			"", []string{"inputs failure: no file"},
		},
		{
			"what was found is named without a command, what was typed is not", func(o *spec.Load) {
				o.Dialect.Encoding, o.Given["encoding"] = "latin1", true
			},
			func(*spec.Load) []doctor.Finding {
				return []doctor.Finding{
					propose("skipcols", strings.Repeat("x", mostShown+1)),
					propose("delimiter", ";"),
					with("header", doctor.Fail("", "other columns")),
				}
			},
			"", []string{
				"rows warning: skipcols is needed",
				"rows warning: delimiter is needed",
				"header failure: other columns",
				"options warning: options that it needs besides: --skipcols with many fields --delimiter ';'",
			},
		},
		{
			"more fields than a command may name", nil,
			func(*spec.Load) []doctor.Finding {
				return []doctor.Finding{propose("null-string", strings.Repeat("x", mostCommand+1))}
			},
			"", []string{
				"rows warning: null-string is needed",
				"nulls warning: read as null in all columns, those of text too: " +
					strings.Repeat("x", mostCommand+1),
				"header failure: --null-string would have 102401 bytes, which is too long for a command line",
			},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := search(c.look)
			if c.given != nil {
				c.given(s.Load)
			}
			command, findings := run(t, s)
			require.Equal(t, c.command, command)
			require.Equal(t, c.findings, findings)
		})
	}
}

// Findings that contradict each other do not keep the search running.
func TestRunOfFindingsThatNeverEnd(t *testing.T) {
	rounds := 0
	s := search(func(*spec.Load) []doctor.Finding {
		rounds++
		return []doctor.Finding{propose("null-string", fmt.Sprint(rounds))}
	})
	command, _ := run(t, s)
	require.Equal(t, mostRounds, rounds)
	require.Equal(t, fmt.Sprint("cqlbulk load shop.orders in.csv --null-string ", mostRounds), command)
}

// A finding that proposes a setting that does not exist, or a value that cannot be, is an error.
func TestRunRefusesOtherSettings(t *testing.T) {
	for name, text := range map[string]string{"frobnicate": "1", "header": "perhaps"} {
		f := propose(name, text)
		s := search(func(*spec.Load) []doctor.Finding { return []doctor.Finding{f} })
		load, err := s.Run(t.Context(), func(doctor.Finding) {})
		require.ErrorContains(t, err, name)
		require.Nil(t, load)
	}
}

// Each check of the inputs has the patience of its own. If the context ends during a check, the
// search ends.
func TestRunEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	s := search(nil)
	s.Look = func(looking context.Context) []doctor.Finding {
		_, limited := looking.Deadline()
		require.True(t, limited)
		cancel()
		require.Error(t, looking.Err())
		return []doctor.Finding{propose("delimiter", ";")}
	}
	load, err := s.Run(ctx, func(doctor.Finding) { t.Error("a finding of a canceled check") })
	require.Equal(t, fault.Canceled, fault.ClassOf(err))
	require.Nil(t, load)
	require.Equal(t, ",", s.Load.Delimiter)
}
