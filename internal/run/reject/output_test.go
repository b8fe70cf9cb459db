package reject

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/ingest"
)

// headed is a rejected row under the n-th header.
func headed(n int, raw string) []ingest.Reject {
	return []ingest.Reject{
		{
			Header: fmt.Appendf(nil, "h%d\n", n),
			Raw:    []byte(raw),
			Reason: "bad",
			Stage:  ingest.Parse,
		},
	}
}

// However many headers there are, few files are open. The state of each file is what it holds,
// whether it stayed open or was closed and reopened.
func TestFewFilesAreOpen(t *testing.T) {
	const headers, rows = 150, 3000
	d := folder(t)
	want := map[string]string{}
	var state State
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range rows {
		n := rng.IntN(headers)
		raw := fmt.Sprintf("row %d\n", i)
		require.NoError(t, d.Add(headed(n, raw)))
		h := fmt.Sprintf("h%d\n", n)
		if want[h] == "" {
			want[h] = h
		}
		want[h] += raw
		require.LessOrEqual(t, len(d.open), mostOpen)
		if i%7 != 0 {
			continue
		}
		changed, err := d.Changed()
		require.NoError(t, err)
		require.LessOrEqual(t, len(changed.Files), 8, "those written to, and the reasons")
		state.Update(changed)
		if i%700 == 0 {
			require.NoError(t, Check(d.path, ".csv", state))
			require.NoError(t, d.Sync())
			require.NoError(t, d.Close())
			d, err = Resume(d.path, ".csv", state)
			require.NoError(t, err)
		}
	}
	require.Len(t, d.Files(), headers)
	require.NoError(t, d.Close())
	got := map[string]string{}
	for _, path := range d.Files() {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		header, _, _ := strings.Cut(string(text), "\n")
		got[header+"\n"] = string(text)
	}
	require.Equal(t, want, got)
}

// If another program changes a file while it is closed, nothing is written to it.
func TestFilesChangedMeanwhileStayUnchanged(t *testing.T) {
	d := folder(t)
	for n := range mostOpen + 1 {
		require.NoError(t, d.Add(headed(n, "x\n")))
	}
	path := filepath.Join(d.path, "rejects.csv")
	require.NoError(t, os.WriteFile(path, []byte("h0\nmended\n"), 0o600))
	err := d.Add(headed(0, "y\n"))
	require.ErrorContains(
		t,
		err,
		"rejects.csv has 10 bytes instead of the 5 that the run had written: it was changed",
	)
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, "h0\nmended\n", string(text))
	require.NoError(t, d.Close())
}
