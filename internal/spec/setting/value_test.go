package setting

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// What people write for numbers, rates, times and sizes.
func TestValues(t *testing.T) {
	var whole int
	var large int64
	var seed uint64
	var rate float64
	var wait time.Duration
	var size Size
	var seconds Seconds
	var on bool
	for _, tc := range []struct {
		field any
		text  string
		want  string // empty: it is refused
	}{
		{&whole, "5000", "5000"}, {&whole, "5k", "5000"}, {&whole, "2M", "2000000"}, {&whole, "1.5k", "1500"}, {&whole, "-1", "-1"}, {&whole, "1G", "1000000000"},
		{&whole, "+7", "7"}, {&whole, "1.5", ""}, {&whole, "", ""}, {&whole, "k", ""}, {&whole, "5kB", ""}, {&whole, "1e3", ""}, {&whole, "9223372036854775808", ""},
		{&whole, "1.0000k", "1000"}, {&whole, "1.00001k", ""}, {&whole, "0x10", ""}, {&whole, "5,000", ""},
		{&large, "10G", "10000000000"}, {&large, "9223372036854775807", "9223372036854775807"}, {&large, "9223372036854775807k", ""},
		{&seed, "18446744073709551615", "18446744073709551615"}, {&seed, "-1", ""}, {&seed, "5k", "5000"},
		{&rate, "0.5", "0.5"}, {&rate, "5k", "5000"}, {&rate, "1e6", "1e+06"}, {&rate, "2.5k", "2500"}, {&rate, "fast", ""}, {&rate, "", ""},
		{&wait, "1h", "1h"}, {&wait, "90s", "1m30s"}, {&wait, "1h30m", "1h30m"}, {&wait, "1d", "24h"}, {&wait, "1w2d3h", "219h"}, {&wait, "60s", "1m"}, {&wait, "500ms", "500ms"},
		{&wait, "1 h", "1h"}, {&wait, "10m0s", "10m"}, {&wait, "0s", "0s"}, {&wait, "30", ""}, {&wait, "", ""}, {&wait, "soon", ""}, {&wait, "1d-1h", ""}, {&wait, "999999w", ""}, {&wait, "-5s", "-5s"},
		{&size, "10MB", "10MiB"}, {&size, "64mib", "64MiB"}, {&size, "1.5G", "1536MiB"}, {&size, "1 k", "1KiB"}, {&size, "5", "5"}, {&size, "0.3", ""}, {&size, "-1", ""}, {&size, "MB", ""}, {&size, "9999999T", ""},
		{&seconds, "3600", "3600"}, {&seconds, "1h", "3600"}, {&seconds, "30d", "2592000"}, {&seconds, "-1", "-1"}, {&seconds, "1500ms", ""}, {&seconds, "soon", ""},
		{&on, "TRUE", "true"}, {&on, "no", "false"}, {&on, "on", "true"}, {&on, "0", "false"}, {&on, "", ""}, {&on, "maybe", ""},
	} {
		value := Setting{Name: "x", Field: tc.field}.Value()
		before := value.String()
		err := value.Set(tc.text)
		if tc.want == "" {
			require.ErrorContains(t, err, `"`+tc.text+`" is `, "%T %q", tc.field, tc.text)
			require.NotContains(t, err.Error(), "strconv")
			require.Equal(t, before, value.String())
			continue
		}
		require.NoError(t, err, "%T %q", tc.field, tc.text)
		require.Equal(t, tc.want, value.String())
	}
	require.EqualError(
		t,
		Setting{Field: &wait}.Value().Set("30"),
		`"30" is no time: write it with its unit, as 30ms, 30s or 30m`,
	)
}

// Whatever a value takes, it writes so that it takes it again, for the same.
func FuzzValues(f *testing.F) {
	for _, text := range []string{"5k", "1.5G", "1w2d3h4m5s", "18446744073709551615", "-1", "1e6", "0.5", "10MB", "1h0m0s", "-1ns", "true"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, field := range []any{
			new(int), new(int64), new(uint64), new(float64),
			new(time.Duration), new(Size), new(Seconds), new(bool),
		} {
			value := Setting{Field: field}.Value()
			if value.Set(text) != nil {
				continue
			}
			written := value.String()
			require.NoError(t, value.Set(written), "%T %q", field, text)
			require.Equal(t, written, value.String(), "%T %q", field, text)
		}
	})
}
