package cqlshcopy

import (
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// The lines are those of RateMeter of cqlsh 6.2.2 for the same counts at the same times.
func TestRateMeter(t *testing.T) {
	var text strings.Builder
	begun := time.Now()
	m := newRateMeter(&text, begun)
	at := func(seconds float64) time.Time {
		return begun.Add(time.Duration(seconds * float64(time.Second)))
	}
	m.look(at(0.25), 0)
	m.look(at(0.5), 1000)
	m.look(at(0.75), 1000)
	m.look(at(1), 2000)
	m.add(at(2), 2000)
	require.Equal(t, strings.Join([]string{
		"Processed: 1000 rows; Rate:    2000 rows/s; Avg. rate:    2000 rows/s\r\n",
		"Processed: 2000 rows; Rate:    2000 rows/s; Avg. rate:    2000 rows/s\r\n",
		"Processed: 2000 rows; Rate:    1000 rows/s; Avg. rate:    1000 rows/s\r\n",
	}, ""), text.String())
}

func TestStartRates(t *testing.T) {
	name := filepath.Join(t.TempDir(), "rates")
	require.NoError(t, os.WriteFile(name, []byte("of an earlier copy\n"), 0o600))
	var rows atomic.Int64
	stop, err := StartRates(name, time.Millisecond, rows.Load)
	require.NoError(t, err)
	rows.Store(7)
	require.Eventually(t, func() bool {
		text, err := os.ReadFile(name)
		return err == nil && len(text) > 0
	}, 10*time.Second, time.Millisecond)
	rows.Store(9)
	require.NoError(t, stop())
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	require.Regexp(t, `^Processed: 7 rows; Rate: +\d+ rows/s; Avg\. rate: +\d+ rows/s\r\n`, string(text))
	require.Regexp(t, `\nProcessed: 9 rows; Rate: [^\n]* rows/s\r\n$`, string(text))

	_, err = StartRates(filepath.Dir(name), time.Second, rows.Load)
	require.ErrorContains(t, err, "is a folder")
	_, err = StartRates(filepath.Join(name, "f"), time.Second, rows.Load)
	require.Error(t, err)
}
