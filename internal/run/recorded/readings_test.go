package recorded_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/ingest/dialect"
	"github.com/cqlbulk/cqlbulk/internal/run/recorded"
	"github.com/cqlbulk/cqlbulk/internal/run/records"
	"github.com/cqlbulk/cqlbulk/internal/spec/setting"
	"github.com/cqlbulk/cqlbulk/pkg/dsv"
)

// typedChanges are changes that were all typed.
func typedChanges(values setting.Values) setting.Changes {
	c := setting.Changes{Values: values, Typed: setting.Given{}}
	for name := range values {
		c.Typed[name] = true
	}
	return c
}

var begunRun = recorded.Spec{
	Flags: setting.Values{
		"null-string": {"NA"},
		"format":      {"csv"},
		"consistency": {"LOCAL_QUORUM"},
	},
	Args: []string{"shop.orders", "/data/in.csv"},
}

// Changes of the runs in between stay. A resumed run knows how each of them read.
func TestReread(t *testing.T) {
	before := []records.Changed{{"null-string": {"-"}}, {"map": {"a=b"}}}
	settings, again, err := begunRun.Reread(
		before,
		typedChanges(
			setting.Values{"null-string": {"-", "x"}, "map": {"a=b"}, "ingestrate": {"5"}},
		),
	)
	require.NoError(t, err)
	require.Equal(t, []string{"-", "x"}, settings.Nulls)
	require.Equal(t, map[string]string{"a": "b"}, settings.Map)
	require.EqualValues(t, 5, settings.IngestRate)
	require.Equal(t, records.Changed{"null-string": {"-", "x"}}, again.Note)
	require.Equal(t, []recorded.Change{{Name: "null-string", Was: []string{"-"}, Now: []string{"-", "x"}}}, again.Now)
	require.Equal(
		t,
		[]recorded.Change{
			{Name: "map", Was: []string{""}, Now: []string{"a=b"}},
			{Name: "null-string", Was: []string{"NA"}, Now: []string{"-", "x"}},
		},
		again.All,
	)
	var nulls [][]string
	former, err := dialect.FormerReadings(again.Former, dsv.DefaultFormat)
	require.NoError(t, err)
	for _, r := range former {
		nulls = append(nulls, r.Nulls)
	}
	require.Equal(t, [][]string{{"NA"}, {"-"}, {"-"}}, nulls)
	require.Empty(t, former[1].Fields.Renamed)
	require.Equal(t, map[string]string{"a": "b"}, former[2].Fields.Renamed)
	require.Equal(
		t,
		setting.Values{"null-string": {"NA"}, "format": {"csv"}, "consistency": {"LOCAL_QUORUM"}},
		begunRun.Flags,
		"it is as it was",
	)
}

// What a file or the environment has changes nothing, and what is as it was is no change.
func TestRereadNothing(t *testing.T) {
	for _, c := range []setting.Changes{
		{}, {Values: setting.Values{"null-string": {"x"}, "encoding": {"latin1"}, "dialect": {"cqlsh"}}}, typedChanges(setting.Values{"null-string": {"NA"}, "dialect": {"cqlbulk"}}),
	} {
		settings, again, err := begunRun.Reread(nil, c)
		require.NoError(t, err)
		require.Equal(t, []string{"NA"}, settings.Nulls)
		require.Equal(t, "utf-8", settings.Dialect.Encoding)
		require.Equal(t, "cqlbulk", settings.Dialect.Name)
		require.Empty(t, again.Former)
		require.Empty(t, again.Now)
		require.Empty(t, again.Note)
	}
}

// With another dialect records are cut as before.
func TestRereadKeepsTheEscape(t *testing.T) {
	for _, c := range []struct {
		was    setting.Values
		now    string
		escape string
		want   byte
	}{
		{setting.Values{}, "cqlsh", `"`, '"'},
		{setting.Values{"quote": {"'"}}, "cqlsh", "'", '\''},
		{setting.Values{"escape": {"!"}}, "cqlsh", "!", '!'},
		{setting.Values{"dialect": {"cqlsh"}}, "cqlbulk", `\`, '\\'},
	} {
		run := recorded.Spec{
			Flags: setting.Values{"format": {"csv"}, "consistency": {"ONE"}},
			Args:  begunRun.Args,
		}
		for name, value := range c.was {
			run.Flags[name] = value
		}
		settings, again, err := run.Reread(nil, typedChanges(setting.Values{"dialect": {c.now}}))
		require.NoError(t, err)
		require.Equal(t, c.escape, settings.Dialect.Escape)
		format, err := settings.Delimited("csv", settings.Given)
		require.NoError(t, err)
		_, err = dialect.Reading(&settings, &format)
		require.NoError(t, err)
		require.Equal(t, c.want, format.Escape)
		_, err = dialect.FormerReadings(again.Former, format)
		require.NoError(t, err)
	}
}
