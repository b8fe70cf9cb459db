package verify

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/manifest"
)

// Whatever two manifests say, no file outside of their folder is touched, and every finding is one
// printable line. No output that differs from its manifest is called "the same rows".
func FuzzCheck(f *testing.F) {
	add := func(change func(m *manifest.Manifest)) {
		m := scanned(3, 1, 2)
		m.Format = manifest.Format
		change(&m)
		text, err := json.Marshal(m)
		require.NoError(f, err)
		f.Add(text)
	}
	add(func(*manifest.Manifest) {})
	add(func(m *manifest.Manifest) { m.Shard = "2/3" })
	add(func(m *manifest.Manifest) { m.Files[1].Name = "../part-0001-0001.csv" })
	add(
		func(m *manifest.Manifest) { m.Ranges.Lost = []manifest.Range{{Start: "1\n", End: "2", Error: "\x00"}} },
	)
	f.Add(
		[]byte(
			`{"format": 1, "command": "scan", "shard": "9/999999999", "rows": -9223372036854775808, "checksum": {}}`,
		),
	)
	root := f.TempDir()
	sound := put(f, root, "a", scanned(3, 1, 2))
	odd := put(f, root, "b", scanned(3, 1, 2))
	f.Fuzz(func(t *testing.T, text []byte) {
		require.NoError(t, os.WriteFile(filepath.Join(odd, "manifest.json"), text, 0o600))
		r, err := Check(t.Context(), Options{Paths: []string{sound, odd}, Parallel: 1})
		if err != nil {
			return
		}
		for _, line := range append(append([]string{r.Sets[0].Name}, r.Findings...), r.Notes...) {
			require.False(
				t,
				strings.ContainsFunc(line, func(r rune) bool { return !unicode.IsPrint(r) }),
				"%q",
				line,
			)
		}
		require.LessOrEqual(
			t,
			r.Bytes,
			int64(4*len(content(0))),
			"more than the files in the two folders",
		)
		switch r.Verdict {
		case Same:
			require.Empty(t, r.Findings)
			require.Equal(t, int64(3), r.Sets[1].Rows)
			require.Equal(t, r.Sets[0].Sum, r.Sets[1].Sum)
		case Alone:
			t.Fatal("there are two sets")
		default:
			require.NotEmpty(t, r.Findings)
		}
	})
}
