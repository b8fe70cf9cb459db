package timepattern

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestLacks(t *testing.T) {
	for format, want := range map[string]string{
		"%d/%m/%y": "", "%D": "", "%F %T": "", "%c": "", "%e %b %Y": "", "%B %d, %Y %I:%M %p": "", "%Y%m%d": "",
		"%d/%m": "year (%Y)", "%H:%M": "year (%Y)", "100%%": "year (%Y)", "%Y-%d": "month (%m)", "%Y-%m": "day (%d)", "%d/%d/%Y": "month (%m)",
		"%Y-%m-%d %I:%M": "AM or PM (%p) beside %I",
	} {
		p, err := Parse(format)
		require.NoError(t, err, format)
		require.Equal(t, want, p.LacksOfDate(), format)
	}
	_, err := Parse("%Q")
	require.ErrorContains(t, err, "%Q cannot be read")
}
