package setting

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestRowLimit(t *testing.T) {
	for text, want := range map[string]RowLimit{
		"0": {}, "150": {Rows: 150}, "5k": {Rows: 5000}, "-1": NoRowLimit, "-7": {Rows: -7},
		"1%": {Rows: -1, Percent: 1}, "0.5%": {Rows: -1, Percent: 0.5}, "99.99%": {Rows: -1, Percent: 99.99},
		"0.0001%": {Rows: -1, Percent: 0.0001},
	} {
		l := RowLimit{Rows: 3, Percent: 4}
		require.NoError(t, l.Set(text), text)
		require.Equal(t, want, l, text)
		var again RowLimit
		require.NoError(t, again.Set(l.String()))
		require.Equal(t, want, again, text)
	}
	for text, why := range map[string]string{
		"":     `"" is no number of rows: write it as 5000 or 5k, or as a share such as 1%`,
		"many": "is no number of rows", "1.5": "is no number of rows", "1 %": "is no share of rows",
		"%": "is no share of rows: write it as 1% or 0.5%", "-1%": "is no share", "1e1%": "is no share",
		"0,5%": "is no share", "1%%": "is no share", "NaN%": "is no share", "1..5%": "is no share",
		"0%":    `"0%": a share is more than 0% and less than 100%; 0 allows no row, and -1 any number`,
		"0.00%": "more than 0%", "100%": "less than 100%", "250%": "less than 100%",
	} {
		l := RowLimit{Rows: 3}
		require.ErrorContains(t, l.Set(text), why, text)
		require.Equal(t, RowLimit{Rows: 3}, l, text)
	}
}
