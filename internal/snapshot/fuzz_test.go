package snapshot

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func FuzzTransaction(f *testing.F) {
	f.Add(
		record(
			"ADD",
			"/x/nb-2-big-",
			0,
			8,
		) + record(
			"REMOVE",
			"/x/nb-1-big-",
			1700000000123,
			8,
		) + "COMMIT:[,0,0][2613697770]\n",
	)
	f.Add(record("REMOVE", "nb-1-big", -1, 8) + record("abort", "", 0, 0))
	f.Add("ADD:[/x,0,8][1]")
	f.Fuzz(func(t *testing.T, text string) {
		log, err := parseTransaction("log", text)
		if err != nil {
			require.Nil(t, log)
			return
		}
		require.LessOrEqual(t, len(log.records), strings.Count(text, "\n")+1)
		gone := make(map[string]string)
		log.gone(gone)
		require.LessOrEqual(t, len(gone), len(log.records))
		log.consistent([]string{"nb-1-big-Data.db"})
	})
}
